package stages

import "github.com/google/pprof/profile"

// Calls is a profile as go build -pgo reads it: functions by their names and lines by their
// distance from where they begin, and nothing of the machine it was taken on.
func Calls(p *profile.Profile) *profile.Profile {
	out := p.Copy()
	out.Comments = nil
	for _, f := range out.Function {
		f.Filename = ""
	}
	for _, m := range out.Mapping {
		m.File = ""
		m.BuildID = ""
	}
	for _, s := range out.Sample {
		s.Label = nil
		s.NumLabel = nil
		s.NumUnit = nil
	}
	return out.Compact()
}

package main

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"

	"github.com/google/pprof/profile"
)

// saveProfiles keeps a CPU profile, that of the heap now, and what the compiler needs of the
// first.
func (n *node) saveProfiles(ctx context.Context, path string, merged *profile.Profile) error {
	heap, err := n.ask(ctx, "/debug/pprof/heap?gc=1", nil)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	var cpu, calls bytes.Buffer
	if err := errors.Join(merged.Write(&cpu), callsOf(merged).Write(&calls)); err != nil {
		return err
	}
	return errors.Join(
		os.WriteFile(path+".cpu.pprof", cpu.Bytes(), 0o644),
		os.WriteFile(path+".heap.pprof", heap, 0o644),
		os.WriteFile(path+".pgo", calls.Bytes(), 0o644),
	)
}

// callsOf is a profile as go build -pgo reads it: functions by their names and lines by
// their distance from where they begin, and nothing of the machine it was taken on.
func callsOf(p *profile.Profile) *profile.Profile {
	out := p.Copy()
	out.Comments = nil
	for _, f := range out.Function {
		f.Filename = ""
	}
	for _, m := range out.Mapping {
		m.File, m.BuildID = "", ""
	}
	for _, s := range out.Sample {
		s.Label, s.NumLabel, s.NumUnit = nil, nil, nil
	}
	return out.Compact()
}

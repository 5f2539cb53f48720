package member

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/ovation-analytics/ovation/actors/domain"
)

// standing is one change of an opt.
type standing struct {
	opt  domain.Opt
	said string // in, out, listed
}

// naiveBits are the bits of opts, from the whole history.
func naiveBits(history []standing) []string {
	var out []string
	opts := map[domain.Opt][]string{}
	for _, h := range history {
		opts[h.opt] = append(opts[h.opt], h.said)
	}
	for o, said := range opts {
		since := said
		for i, s := range said {
			if s == "out" {
				since = said[i+1:]
			}
		}
		for a, on := range map[domain.Attribute]bool{
			domain.AttrOptIn: slices.Contains(since, "in"), domain.AttrListed: slices.Contains(since, "listed"),
			domain.AttrOptOut: len(since) == 0,
		} {
			if on {
				out = append(out, fmt.Sprintf("%d %q", a, o.Value()))
			}
		}
	}
	slices.Sort(out)
	return out
}

// The bits of opt-ins are those of the whole history, whenever the member is loaded again.
func TestState_OptsAreWhatWasSaidLast(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := New(&domain.RegisterMember{Application: 1}, 1, domain.MemberIDOf(1, 7), 3)
		s.Register(nil, &domain.RegisterMember{Application: 1, Service: domain.Spotify, Identity: identity('x')}, 1)
		var history []standing
		bits := map[string]bool{}
		for step := range rapid.Int64Range(1, 60).Draw(t, "steps") {
			o := domain.Opt{Kind: rapid.SampledFrom([]domain.OptKind{domain.OptGlobal, domain.OptBrand, domain.OptSegment}).Draw(t, "kind")}
			if o.Kind != domain.OptGlobal {
				o.ID = rapid.Uint32Range(1, 3).Draw(t, "id")
			}
			var changes []domain.Change
			switch rapid.IntRange(0, 2).Draw(t, "says") {
			case 0:
				changes, history = s.OptIn(nil, o, step), append(history, standing{o, "in"})
			case 1:
				changes, history = s.OptOut(nil, o, step), append(history, standing{o, "out"})
			default:
				o.Kind, o.ID = domain.OptSegment, max(o.ID, 1)
				c := &domain.RegisterMember{Application: 1, Service: domain.Spotify, Identity: identity('x'), Segment: domain.SegmentID(o.ID), At: step}
				changes, history = s.Register(nil, c, 2), append(history, standing{o, "listed"})
			}
			for _, c := range changes {
				b, ok := c.Value.(*domain.Bit)
				if !ok {
					continue
				}
				name := fmt.Sprintf("%d %q", b.Attribute, b.Value)
				if bits[name] == b.On {
					t.Fatalf("step %d: bit %s is %v already", step, name, b.On)
				}
				if bits[name] = b.On; !b.On {
					delete(bits, name)
				}
			}
			if d := gocmp.Diff(naiveBits(history), slices.Sorted(maps.Keys(bits))); d != "" {
				t.Fatalf("step %d: %s", step, d)
			}
			if !slices.IsSortedFunc(s.Member.Opts, func(a, b domain.OptState) int {
				return cmp.Or(cmp.Compare(a.Kind, b.Kind), cmp.Compare(a.ID, b.ID))
			}) || s.Member.Opts[slices.IndexFunc(s.Member.Opts, func(x domain.OptState) bool { return x.Opt == o })].At > step {
				t.Fatalf("step %d: %+v", step, s.Member.Opts)
			}
			if rapid.Bool().Draw(t, "loaded again") {
				s = NewState(&s.Member)
			}
		}
	})
}

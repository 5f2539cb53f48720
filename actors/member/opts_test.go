package member

import (
	"cmp"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"

	"github.com/ovation-analytics/ovation/actors/domain"
)

// standing is one thing that was said about an opt.
type standing struct {
	opt  domain.Opt
	said string // in, out, listed
}

// naiveBits are the bits of opts, from all that was ever said.
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

func TestOptsStandAsANaiveModelSays(t *testing.T) {
	for range 100 {
		seed := rand.Uint64()
		rnd := rand.New(rand.NewPCG(seed, 6))
		s := New(&domain.RegisterMember{Application: 1}, 1, domain.MemberIDOf(1, 7), 3)
		s.Register(nil, &domain.RegisterMember{Application: 1, Service: domain.Spotify, UID: "x", Identity: identity('x')}, 1)
		var history []standing
		bits := map[string]bool{}
		for step := range int64(60) {
			o := domain.Opt{Kind: []domain.OptKind{domain.OptGlobal, domain.OptBrand, domain.OptSegment}[rnd.IntN(3)], ID: uint32(1 + rnd.IntN(3))}
			if o.Kind == domain.OptGlobal {
				o.ID = 0
			}
			var changes []domain.Change
			switch rnd.IntN(3) {
			case 0:
				changes, history = s.OptIn(nil, o, step), append(history, standing{o, "in"})
			case 1:
				changes, history = s.OptOut(nil, o, step), append(history, standing{o, "out"})
			default:
				o.Kind, o.ID = domain.OptSegment, max(o.ID, 1)
				c := &domain.RegisterMember{Application: 1, Service: domain.Spotify, UID: "x", Identity: identity('x'), Segment: domain.SegmentID(o.ID), At: step}
				changes, history = s.Register(nil, c, 2), append(history, standing{o, "listed"})
			}
			for _, c := range changes {
				b, ok := c.Value.(*domain.Bit)
				if !ok {
					continue
				}
				name := fmt.Sprintf("%d %q", b.Attribute, b.Value)
				if bits[name] == b.On {
					t.Fatalf("seed %d, step %d: bit %s is %v already", seed, step, name, b.On)
				}
				if bits[name] = b.On; !b.On {
					delete(bits, name)
				}
			}
			if d := gocmp.Diff(naiveBits(history), slices.Sorted(maps.Keys(bits))); d != "" {
				t.Fatalf("seed %d, step %d: %s", seed, step, d)
			}
			if !slices.IsSortedFunc(s.Member.Opts, func(a, b domain.OptState) int {
				return cmp.Or(cmp.Compare(a.Kind, b.Kind), cmp.Compare(a.ID, b.ID))
			}) || s.Member.Opts[slices.IndexFunc(s.Member.Opts, func(x domain.OptState) bool { return x.Opt == o })].At > step {
				t.Fatalf("seed %d, step %d: %+v", seed, step, s.Member.Opts)
			}
			if rnd.IntN(3) == 0 { // asleep and awake again
				s = NewState(&s.Member)
			}
		}
	}
}

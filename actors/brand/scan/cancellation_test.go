package scan

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/ovation-analytics/ovation/actors/brand/rows"
	"github.com/ovation-analytics/ovation/actors/domain"
)

// countdown has the questions of a scratch end at the n-th look, from 0 on; looks is how
// many there were.
type countdown struct{ n, looks int }

func (c *countdown) ended() bool {
	c.looks++
	return c.looks > c.n
}

// cancelled asks a question that is cancelled after a few looks.
func (s *walk) cancelled(v *rows.View, x *Scratch, r *rand.Rand, cold rows.Source) {
	c := &countdown{n: r.IntN(8)}
	x.CancelWhen(c.ended)
	_, err := x.Answer(v, s.w.question(r).ask(cold))
	if x.CancelWhen(nil); c.looks > c.n && err != ErrCancelled || c.looks <= c.n && err != nil {
		s.t.Errorf("given up at look %d of %d: %v", c.n, c.looks, err)
	}
}

// A question that is given up at any of its looks ends there, and the next one on that
// scratch is answered as on a new one.
func TestCancellation_LeavesTheScratchAsItWas(t *testing.T) {
	if underRace {
		t.Skip("one goroutine: run without -race")
	}
	seed := rand.Uint64()
	r := rand.New(rand.NewPCG(seed, 5))
	w := population{members: 700, brands: 12, definitions: 9, start: 20_000 * 86400, span: 16 * 86400}
	table, m := w.mixed(r)
	table.Evict(1)
	v, x, cold := table.Commit(nil), NewScratch(), m.stored(w)
	looks := map[domain.Shape]int{}
	for range 300 {
		h := w.question(r)
		ask := func(x *Scratch) domain.Answer {
			a, err := x.Answer(v, h.ask(cold))
			if err != nil {
				t.Fatalf("seed %d: %v", seed, err)
			}
			return ordered(a)
		}
		whole := &countdown{n: 1 << 30}
		x.CancelWhen(whole.ended)
		want := ask(x)
		looks[h.q.Shape] = max(looks[h.q.Shape], whole.looks)
		if whole.looks == 0 { // it cannot have a row
			continue
		}
		c := &countdown{n: []int{0, r.IntN(whole.looks), whole.looks - 1}[r.IntN(3)]}
		x.CancelWhen(c.ended)
		if _, err := x.Answer(v, h.ask(cold)); err != ErrCancelled || c.looks != c.n+1 {
			t.Fatalf("seed %d, shape %d: given up at look %d of %d: %v after %d", seed, h.q.Shape, c.n, whole.looks, err, c.looks)
		}
		x.CancelWhen(nil)
		if d := cmp.Diff(want, ask(x)); d != "" {
			t.Fatalf("seed %d, shape %d, after one given up at look %d: %s", seed, h.q.Shape, c.n, d)
		}
		shape := h.q.Shape
		h = w.question(r)
		if d := cmp.Diff(ask(NewScratch()), ask(x)); d != "" {
			t.Fatalf("seed %d, shape %d after shape %d given up: %s", seed, h.q.Shape, shape, d)
		}
	}
	if len(looks) < 11 {
		t.Errorf("seed %d: only %d shapes were tried", seed, len(looks))
	}
	for shape, n := range looks {
		if n < 10 { // chunks of 2,000 rows, and sets
			t.Errorf("seed %d: shape %d looked at most %d times", seed, shape, n)
		}
	}
}

// Who did something is given up the same way.
func TestCancellation_EndsPerformedAndAtLeast(t *testing.T) {
	seed := rand.Uint64()
	r := rand.New(rand.NewPCG(seed, 6))
	w := population{members: 700, brands: 12, definitions: 9, start: 20_000 * 86400, span: 16 * 86400}
	table, m := w.mixed(r)
	v, x := table.Commit(nil), NewScratch()
	cold, in := m.stored(w), domain.Range{From: w.start, To: w.start + w.span}
	for range 60 {
		performed := NewPerformed(in, []Required{w.required(r), w.required(r)}, []Required{w.required(r), {domain.FirstDefinition + 2, rows.EveryBrand}})
		h := w.question(r)
		for name, ask := range map[string]func() ([]uint64, error){
			"did":     func() ([]uint64, error) { return x.Performed(v, nil, performed, cold) },
			"atLeast": func() ([]uint64, error) { return x.AtLeast(v, nil, h.ask(cold), 2) },
		} {
			whole := &countdown{n: 1 << 30}
			x.CancelWhen(whole.ended)
			want, err := ask()
			if err != nil {
				t.Fatalf("seed %d: %s: %v", seed, name, err)
			}
			if whole.looks > 0 {
				c := &countdown{n: r.IntN(whole.looks)}
				x.CancelWhen(c.ended)
				if _, err := ask(); err != ErrCancelled || c.looks != c.n+1 {
					t.Fatalf("seed %d: %s given up at look %d of %d: %v after %d", seed, name, c.n, whole.looks, err, c.looks)
				}
			}
			x.CancelWhen(nil)
			if got, err := ask(); err != nil || !slices.Equal(got, want) {
				t.Fatalf("seed %d: %s after one given up: %v, and other members", seed, name, err)
			}
		}
	}
}

// BenchmarkCancellation_Checks measures the cost of cancellation checks: the hot brand's questions
// with a context that has a deadline, and without one.
func BenchmarkCancellation_Checks(b *testing.B) {
	h := hotBrand()
	ctx, cancel := context.WithTimeout(context.Background(), time.Hour)
	defer cancel()
	for _, days := range []uint32{7, 180} {
		for _, shape := range benchShapes {
			plan := NewPlan(benchQuestion(shape, days, benchKinds))
			for name, ended := range map[string]func() bool{"looks": func() bool { return ctx.Err() != nil }, "does not": nil} {
				b.Run(fmt.Sprintf("%s/%dd/%s", shapeNames[shape], days, name), func(b *testing.B) {
					for b.Loop() {
						for s := range benchShards {
							h.x[s].CancelWhen(ended)
							if _, err := h.x[s].Answer(h.views[s], &Ask{Plan: plan, Brand: 7, Column: h.countries[s]}); err != nil {
								b.Fatal(err)
							}
							h.x[s].CancelWhen(nil)
						}
					}
				})
			}
		}
	}
}

package demo

import (
	"errors"
	"io"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/ovation-analytics/ovation/cmd/ovation/audience"
	"github.com/ovation-analytics/ovation/cmd/ovation/collect/input"
)

func openGenerator(t *testing.T, seed uint64) *Generator {
	t.Helper()
	g, err := NewGenerator(audience.Options{Seed: seed, Members: 20, Actions: 300, Brands: 3, End: time.Date(2026, 11, 21, 0, 0, 0, 0, time.UTC)})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { g.Close() })
	return g
}

// ids are the ids of all rows to come.
func (g *Generator) ids(t *testing.T) (ids []string) {
	t.Helper()
	for {
		r, err := g.Next()
		if errors.Is(err, io.EOF) {
			return ids
		}
		if err != nil {
			t.Fatal(err)
		}
		ids = append(ids, r.Action.ID)
	}
}

// A generator resumes after its mark, and refuses the mark of another audience.
func TestGenerator_Resume(t *testing.T) {
	t.Parallel()
	all := openGenerator(t, 1).ids(t)
	if len(all) != 300 {
		t.Fatalf("%d actions", len(all))
	}
	g := openGenerator(t, 1)
	for range 120 {
		if _, err := g.Next(); err != nil {
			t.Fatal(err)
		}
	}
	mark := g.Mark(1)
	again := openGenerator(t, 1)
	if err := again.Resume(mark); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(all[119:], again.ids(t)); diff != "" {
		t.Error(diff)
	}
	if err := openGenerator(t, 2).Resume(mark); !errors.Is(err, input.ErrChanged) {
		t.Error(err)
	}
	mark.Line = 301
	if err := openGenerator(t, 1).Resume(mark); !errors.Is(err, input.ErrChanged) {
		t.Error(err)
	}
}

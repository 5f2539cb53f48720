package main

import (
	"errors"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/ovation-analytics/ovation/cmd/ovation/audience"
	"github.com/ovation-analytics/ovation/cmd/ovation/collect"
)

func openMadeUp(t *testing.T, seed uint64) *madeUp {
	t.Helper()
	c := &CollectGenerator{Seed: seed, Members: 20, Actions: 300, Brands: 3, End: time.Date(2026, 11, 21, 0, 0, 0, 0, time.UTC)}
	fans, err := audience.New(audience.Options{Seed: c.Seed, Members: c.Members, Actions: c.Actions, Brands: c.Brands, End: c.End})
	if err != nil {
		t.Fatal(err)
	}
	g := newMadeUp(c, fans)
	t.Cleanup(func() { g.Close() })
	return g
}

// ids are the ids of all rows to come.
func (g *madeUp) ids(t *testing.T) (ids []string) {
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

func TestAMadeUpAudienceGoesOnWhereItWas(t *testing.T) {
	t.Parallel()
	all := openMadeUp(t, 1).ids(t)
	if len(all) != 300 {
		t.Fatalf("%d actions", len(all))
	}
	g := openMadeUp(t, 1)
	for range 120 {
		if _, err := g.Next(); err != nil {
			t.Fatal(err)
		}
	}
	mark := g.Mark(1)
	again := openMadeUp(t, 1)
	if err := again.Resume(mark); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(all[119:], again.ids(t)); diff != "" {
		t.Error(diff)
	}
	if err := openMadeUp(t, 2).Resume(mark); !errors.Is(err, collect.ErrChanged) {
		t.Error(err)
	}
	mark.Line = 301
	if err := openMadeUp(t, 1).Resume(mark); !errors.Is(err, collect.ErrChanged) {
		t.Error(err)
	}
}

func TestCollectRefusesFlagsThatMakeNoSense(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		args, says string
	}{
		{"collect file", `expected "<mapping> <input>"`},
		{"collect file testdata/none.yaml none.csv", "no such file"},
		{"collect generator --rate=-1", "--rate and --show"},
		{"collect generator --create", "--create needs --key"},
		{"collect generator --members 0 --dry-run", "members: 0 is not between"},
		{"collect generator --members 5 --actions 5", "--account is required"},
		{"collect generator --end soon", "--end"},
	} {
		var out, errs strings.Builder
		if code := run(strings.Fields(c.args), &out, &errs); code != exitWrongUse || !strings.Contains(errs.String(), c.says) {
			t.Errorf("%s: %d %s", c.args, code, errs.String())
		}
	}
}

func TestADryRunOfAMadeUpAudienceShowsIt(t *testing.T) {
	t.Parallel()
	var out, errs strings.Builder
	code := run(strings.Fields("collect generator --dry-run --members 20 --actions 500 --show 1 --end 2026-11-21"), &out, &errs)
	lines := strings.Split(strings.TrimSpace(out.String()), "\n")
	if code != exitFine || len(lines) != 2 || !strings.HasPrefix(lines[0], `{"id":"1-`) || lines[1] != "500 actions mapped from 500 rows" {
		t.Errorf("%d %q %s", code, lines, errs.String())
	}
}

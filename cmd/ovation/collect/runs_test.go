package collect

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/ovation-analytics/ovation/cmd/ovation/collect/input"
	"github.com/ovation-analytics/ovation/cmd/ovation/collect/runs"
	"github.com/ovation-analytics/ovation/ingest/kafka"
)

// all are the runs of the fixture's state.
func (r *fixture) all() []*runs.Run {
	r.t.Helper()
	list, err := runs.In(r.path("state")).List()
	if err != nil {
		r.t.Fatal(err)
	}
	return list
}

// Rows that a mapping passes over at the end of a file are no part of the position: the next run finds it.
func TestCollector_ResumesBeforeRowsThatArePassedOver(t *testing.T) {
	t.Parallel()
	for what, c := range map[string]struct{ mapping, tail, more string }{
		"where":   {plain + "where: user != \"none\"\n", "x,none,1300000000\n", "y,u,1300000000\n"},
		"comment": {plain + "input: {comment: \"#\"}\n", "# the end\n\n", "y,u,1300000000\n"},
		"json":    {plain + "input: {format: json}\nwhere: user != \"none\"\n", `{"id":"x","user":"none","at":1300000000}`, `{"id":"y","user":"u","at":1300000000}`},
	} {
		rows := plainRows(3)
		if what == "json" {
			rows = `{"id":"a0","user":"u0","at":1300000000} {"id":"a1","user":"u1","at":1300000000} {"id":"a2","user":"u2","at":1300000000}`
		}
		r := newFixture(t, c.mapping, rows+c.tail)
		if got := r.must(); got.Published != 3 || got.Skipped != map[bool]int64{true: 1}[what != "comment"] {
			t.Fatalf("%s: %+v", what, got)
		}
		if got := r.must(); got.Published != 0 {
			t.Errorf("%s, again: %+v", what, got)
		}
		r.write("in.csv", rows+c.tail+c.more)
		if got := r.must(); got.Published != 1 || r.log.ids()["y"] != 1 {
			t.Errorf("%s, one more: %+v", what, got)
		}
	}
}

// A run's file says what became of every row; the next run has one of its own.
func TestRun_CountsOfItsRows(t *testing.T) {
	t.Parallel()
	r := newFixture(t, plain+"where: user != \"none\"\n", "id,user,at\na,u,1300000000\nb,none,1\na,u,1300000000\na,v,1300000009\nc,u,soon\nd,u,5\ne,u,soon\n")
	r.takeRejects()
	r.options.Now = frozen
	r.must()
	want := runs.Counts{
		Rows: 6, Skipped: 1, Rejected: 3, Published: 3, Repeats: 1, FirstBad: []int64{6, 7, 8}, FirstRepeats: []int64{4},
		Reasons: map[string]int64{"time: not a number since 1970": 2, "time: before the year 2000": 1},
	}
	list := r.all()
	if len(list) != 1 {
		t.Fatalf("%d runs", len(list))
	}
	run := list[0]
	if d := cmp.Diff(want, run.Counts); d != "" {
		t.Error(d)
	}
	if run.Source != "test in.csv" || run.Account != 7 || run.Topic != "t" || run.First != 1300000000 || run.Last != 1300000009 || !run.Ended.Equal(frozen()) {
		t.Errorf("%+v", run)
	}
	for i, line := range []int{2, 4, 5} {
		if d := dataOf(t, &r.log.messages[i]); d.Marker != fmt.Sprintf("%s:%d", run.ID, line) || !run.Marked(d.Marker) {
			t.Errorf("marker %s of line %d", d.Marker, line)
		}
	}
	if runs.In(r.path("state")).HasIDs(run.ID) {
		t.Error("the ids are there after the end")
	}
	r.must() // nothing new: no run
	if list := r.all(); len(list) != 1 {
		t.Errorf("%d runs", len(list))
	}
	r.options.FromStart, r.options.Now = true, time.Now
	r.must()
	if list := r.all(); len(list) != 2 || list[1].Published != 3 || list[1].ID == run.ID {
		t.Errorf("%d runs", len(list))
	}
}

// The markers that a mapping gives stay, and the ids with them.
func TestRun_KeepsGivenMarkers(t *testing.T) {
	t.Parallel()
	r := newFixture(t, plain+"marker: \"{id}\"\n", plainRows(3))
	r.must()
	run := r.all()[0]
	if d := dataOf(t, &r.log.messages[1]); d.Marker != "a1" || !run.Given {
		t.Errorf("%+v %+v", d, run)
	}
	ids, err := runs.In(r.path("state")).IDs(run.ID)
	if err != nil {
		t.Fatal(err)
	}
	defer ids.Close()
	for w, want := range map[runs.Shown]bool{
		{Marker: "a1", Time: 1300000001, Activity: 100, Brand: 3}: true,
		{Marker: "a1", Time: 1300000002, Activity: 100, Brand: 3}: false,
		{Marker: "a9", Time: 1300000001, Activity: 100, Brand: 3}: false,
	} {
		if got, err := ids.Noted(w); err != nil || got != want {
			t.Errorf("%+v: %v %v", w, got, err)
		}
	}
}

// A run that is ended at any moment is continued under its name, with counts that are exact, and its own rows are no
// repeats of themselves.
func TestRun_CountsSurviveCrashes(t *testing.T) {
	t.Parallel()
	seed := rand.Uint64()
	rnd := rand.New(rand.NewPCG(seed, 0))
	rows := strings.Split(strings.TrimSpace(plainRows(2000)), "\n")
	for i := 100; i < len(rows); i += 100 {
		rows[i] = rows[i-7] // a repeat
	}
	r := newFixture(t, plain, strings.Join(rows, "\n")+"\nbad\n")
	m, err := input.ParseMapping([]byte(plain))
	if err != nil {
		t.Fatal(err)
	}
	crashes := 0
	for crashes = 0; ; crashes++ {
		left := 1 + rnd.IntN(4)
		r.log.fail = func(messages []kafka.Message) (int, error) {
			if left--; left > 0 {
				return 0, nil
			}
			return rnd.IntN(len(messages) + 1), errCrash
		}
		if r.partly(m, 1+rnd.IntN(200)) {
			break
		}
	}
	list := r.all()
	if len(list) != 1 || crashes < 5 {
		t.Fatalf("seed %d: %d runs, %d crashes", seed, len(list), crashes)
	}
	got := list[0].Counts
	if got.Rows != 2001 || got.Published != 2000 || got.Repeats != 20 || got.Rejected != 1 || len(r.log.ids()) != 1980 {
		t.Errorf("seed %d: %+v, %d ids", seed, got, len(r.log.ids()))
	}
}

// partly is a run in chunks of a size; it reports that it came to the end.
func (r *fixture) partly(m *input.Mapping, size int) bool {
	r.t.Helper()
	s, err := input.OpenFile(m, r.path("in.csv"), nil)
	if err != nil {
		r.t.Fatal(err)
	}
	defer s.Close()
	state, err := OpenState(r.path("state"), r.log.Topic(), 7)
	if err != nil {
		r.t.Fatal(err)
	}
	defer state.Close()
	rejects, err := OpenRejects(r.path("rejects"))
	if err != nil {
		r.t.Fatal(err)
	}
	defer rejects.Close()
	now := frozen()
	o := Options{Account: 7, MaxErrors: -1, Rate: size * 10, Log: r.log, State: state, Report: &told{}, Rejects: rejects, Now: func() time.Time {
		now = now.Add(time.Hour)
		return now
	}}
	_, err = Run(context.Background(), s, o)
	if err != nil && !errors.Is(err, errCrash) {
		r.t.Fatal(err)
	}
	return err == nil
}

// A dry run tells equal ids as well, and leaves nothing behind.
func TestDryRun_TellsRepeats(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("TMPDIR", dir)
	r := newFixture(t, plain, "id,user,at\na,u,1300000000\nb,u,1300000000\na,u,1300000001\n")
	r.log = nil
	if got := r.must(); got.Published != 3 || got.Repeats != 1 || !cmp.Equal(got.FirstRepeats, []int64{4}) {
		t.Errorf("%+v", got)
	}
	if left, err := os.ReadDir(dir); err != nil || len(left) != 0 {
		t.Errorf("left behind: %v %v", left, err)
	}
}

// The rows of a run that was stopped may have other lines when it goes on: those after the position are met again there,
// and are no repeats of themselves.
func TestRun_MendedRowsAreNoRepeats(t *testing.T) {
	t.Parallel()
	rows := strings.SplitAfter(plainRows(500), "\n")
	bad := slices.Insert(slices.Clone(rows), 150, "bad\n")
	r := newFixture(t, plain, strings.Join(bad, ""))
	now := frozen()
	r.options.Rate = 1000 // chunks of 100
	r.options.Now = func() time.Time { now = now.Add(time.Hour); return now }
	chunks := 0
	r.log.fail = func([]kafka.Message) (int, error) {
		if chunks++; chunks == 4 {
			return 0, errCrash
		}
		return 0, nil
	}
	if _, err := r.run(t.Context()); !errors.Is(err, errCrash) {
		t.Fatal(err)
	}
	r.log.fail = nil
	rows[10] = rows[9] // up to the position nothing may change, so this is another input
	r.write("in.csv", strings.Join(rows, ""))
	if _, err := r.run(t.Context()); !errors.Is(err, input.ErrChanged) {
		t.Error(err)
	}
	rows = strings.SplitAfter(plainRows(500), "\n")
	rows[400] = rows[300]
	r.write("in.csv", strings.Join(rows, ""))
	if got := r.must(); got.Repeats != 1 || !slices.Equal(got.FirstRepeats, []int64{401}) {
		t.Errorf("%+v", got)
	}
	if list := r.all(); len(list) != 1 || list[0].Repeats != 1 {
		t.Errorf("%d runs, %+v", len(list), list[0].Counts)
	}
}

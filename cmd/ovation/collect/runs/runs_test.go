package runs

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func TestFolder_KeepsRuns(t *testing.T) {
	t.Parallel()
	f := In(t.TempDir())
	if list, err := f.List(); err != nil || len(list) != 0 {
		t.Fatal(list, err)
	}
	at := time.Date(2026, 5, 1, 10, 0, 0, 0, time.UTC)
	late, early := New("s b", "t", 7, at.Add(time.Hour)), New("s a", "t", 7, at)
	early.Bad(3, "time")
	early.Undo = &Undo{Began: at, Pending: []Action{{4097, 12289}}, Cursor: "c"}
	for _, r := range []*Run{late, early} {
		if err := f.Save(r); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(filepath.Join(f.dir, early.ID+".json-12.new"), []byte("{"), 0o600); err != nil { // of a crash
		t.Fatal(err)
	}
	list, err := f.List()
	if d := cmp.Diff([]*Run{early, late}, list); err != nil || d != "" {
		t.Error(err, d)
	}
	for _, id := range []string{"20260501-100000-0000", "", "../x", early.ID + "x"} {
		if _, err := f.Get(id); !errors.Is(err, ErrNone) {
			t.Errorf("%q: %v", id, err)
		}
	}
	if err := os.WriteFile(f.path(late.ID), []byte(`{"version":9,"id":"`+late.ID+`"}`), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := f.List(); err == nil {
		t.Error("a run of another release")
	}
}

func TestRun_MarkersAreItsOwn(t *testing.T) {
	t.Parallel()
	at := time.Date(2026, 5, 1, 10, 0, 0, 0, time.UTC)
	r := New("s", "t", 7, at)
	for marker, want := range map[string]bool{
		r.Marker(2, 0): true, r.Marker(2, 7): true, r.ID: false, r.ID + "0:2": false, "": false, New("s", "t", 7, at.Add(time.Second)).Marker(2, 0): false,
	} {
		if r.Marked(marker) != want {
			t.Errorf("%q: %v", marker, !want)
		}
	}
}

// Reasons and lines are bounded, whatever the rows; the sum of two counts is what both counted.
func TestCounts_AreBounded(t *testing.T) {
	t.Parallel()
	var a, b, both Counts
	for i := range int64(3 * maxReasons) {
		for _, c := range []*Counts{&both, map[bool]*Counts{true: &a, false: &b}[i < maxReasons]} {
			c.Bad(i, fmt.Sprint("reason ", min(i, 60)))
			c.Repeat(i)
		}
	}
	if len(both.Reasons) != maxReasons+1 || both.Reasons[OtherReasons] != 2*maxReasons || len(both.FirstBad) != firstLines {
		t.Errorf("%+v", both)
	}
	kept := a.Reasons
	a.Add(&b)
	if a.Rejected != both.Rejected || a.Repeats != both.Repeats || !cmp.Equal(a.FirstBad, both.FirstBad) || !cmp.Equal(a.FirstRepeats, both.FirstRepeats) {
		t.Errorf("%+v", a)
	}
	if len(kept) != maxReasons {
		t.Error("a sum changes what it is made of")
	}
}

// An id is met once for each member and place; what was kept outlives the process, what was not is new again.
func TestIDs_AreMetOnce(t *testing.T) {
	t.Parallel()
	f := In(t.TempDir())
	open := func() *IDs {
		ids, err := f.IDs("20260501-100000-aaaa")
		if err != nil {
			t.Fatal(err)
		}
		return ids
	}
	ids := open()
	met := func(member, id string, line int64, of uint64, want bool) {
		t.Helper()
		if repeat, err := ids.Met(member, id, line, of); err != nil || repeat != want {
			t.Errorf("%s %s line %d: %v %v", member, id, line, repeat, err)
		}
	}
	met("ann", "a", 2, 0, false)
	met("ann", "a", 2, 0, false) // itself
	met("ann", "a", 3, 0, true)
	met("ben", "a", 3, 0, false)
	met("ann:a", "", 4, 0, false) // no other split of both is the same
	met("ann", ":a", 4, 0, false)
	if err := ids.Keep(); err != nil {
		t.Fatal(err)
	}
	met("ann", "a", 300, 2, true)
	met("cleo", "a", 300, 2, false)
	if err := errors.Join(ids.Sync(), ids.Close()); err != nil {
		t.Fatal(err)
	}
	ids = open()
	met("ann", "a", 300, 2, true)
	met("ann", "a", 2, 0, false)
	met("cleo", "a", 301, 0, false) // it was not kept
	if _, err := f.IDs("20260501-100000-aaaa"); err == nil {
		t.Error("opened twice")
	}
	if !f.HasIDs("20260501-100000-aaaa") {
		t.Error("they are not there")
	}
	if err := ids.Discard(); err != nil || f.HasIDs("20260501-100000-aaaa") {
		t.Error(err, "they are there after all")
	}
}

// The store holds a bounded part in memory, and finds each of many ids again.
func TestIDs_OfManyActions(t *testing.T) {
	t.Parallel()
	ids, err := TemporaryIDs()
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := ids.Discard(); err != nil {
			t.Error(err)
		}
	}()
	const n, chunk = 50_000, 1000
	for pass := range int64(2) {
		repeats := 0
		for i := range int64(n) {
			repeat, err := ids.Met("ann", strconv.FormatInt(i, 10), i+pass*n, 0)
			if err != nil {
				t.Fatal(err)
			}
			if repeat {
				repeats++
			}
			if i%chunk == 0 {
				if err := ids.Keep(); err != nil {
					t.Fatal(err)
				}
			}
		}
		if repeats != int(pass)*n {
			t.Errorf("pass %d: %d repeats", pass, repeats)
		}
	}
	m := ids.db.Metrics()
	if got := m.BlockCache.Size + int64(m.MemTable.Size) + m.FileCache.Size; got > 40<<20 {
		t.Errorf("%d MiB in memory", got>>20)
	}
}

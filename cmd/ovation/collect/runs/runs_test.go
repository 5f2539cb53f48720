package runs

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
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
			c.Repeat(i, i%2 == 0)
		}
	}
	if len(both.Reasons) != maxReasons+1 || both.Reasons[OtherReasons] != 2*maxReasons || len(both.FirstBad) != firstLines {
		t.Errorf("%+v", both)
	}
	kept := a.Reasons
	a.Add(&b)
	if a.Rejected != both.Rejected || a.Repeats != both.Repeats || !cmp.Equal(a.FirstBad, both.FirstBad) || !cmp.Equal(a.FirstRepeats, both.FirstRepeats) ||
		a.Differing != both.Differing || both.Differing != 3*maxReasons/2 || !cmp.Equal(a.FirstDiffer, both.FirstDiffer) {
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
	repeats := func(want ...int64) {
		t.Helper()
		var got []int64
		if err := ids.Repeats(func(line int64, _ bool) { got = append(got, line) }); err != nil {
			t.Fatal(err)
		}
		slices.Sort(got)
		if !slices.Equal(got, want) {
			t.Errorf("repeats in lines %d, not %d", got, want)
		}
	}
	repeats()
	ids.Met("ann", "a", nil, 2, 0)
	ids.Met("ann", "a", nil, 2, 0) // itself
	repeats()
	ids.Met("ann", "a", nil, 3, 0)
	ids.Met("ben", "a", nil, 3, 0)
	ids.Met("ann:a", "", nil, 4, 0) // no other split of both is the same
	ids.Met("ann", ":a", nil, 4, 0)
	repeats(3)
	ids.Met("ann", "a", nil, 300, 2)
	ids.Met("ann", "a", nil, 300, 3)
	repeats(3, 300, 300)
	if err := errors.Join(ids.Keep(), ids.Sync()); err != nil {
		t.Fatal(err)
	}
	ids.Met("ann", "a", nil, 301, 0)
	if _, err := f.IDs("20260501-100000-aaaa"); err == nil {
		t.Error("opened twice")
	}
	if err := ids.Close(); err != nil {
		t.Fatal(err)
	}
	ids = open()
	repeats(3, 300, 300) // the last was not kept
	if got := ids.Len(); got != 8 {
		t.Errorf("%d are met", got)
	}
	if err := ids.Back(7); err != nil {
		t.Fatal(err)
	}
	repeats(3, 300)
	if err := ids.Close(); err != nil {
		t.Fatal(err)
	}
	met := filepath.Join(f.idsOf("20260501-100000-aaaa"), "met")
	if err := os.Truncate(met, 6*32+1); err != nil { // cut by a crash
		t.Fatal(err)
	}
	ids = open()
	repeats(3)
	ids.Met("ann", "a", nil, 5, 0)
	repeats(3, 5)
	if err := ids.Discard(); err != nil || f.HasIDs("20260501-100000-aaaa") {
		t.Error(err, "they are there after all")
	}
}

// Equal ids are found, and notes of markers, among more than are sorted or merged at once; what is held in memory
// does not grow with them.
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
	const n = 3*pieceRecords + 1
	var want []int64
	for i := range int64(n) {
		id := i
		if i%1000 == 999 {
			id, want = i-999+i%7, append(want, i)
		}
		ids.Met("ann", strconv.FormatInt(id, 10), nil, i, 0)
		ids.Note(Shown{Marker: strconv.FormatInt(i, 10)})
		if err := ids.Keep(); i%1000 == 0 && err != nil {
			t.Fatal(err)
		}
	}
	var got []int64
	if err := ids.Repeats(func(line int64, _ bool) { got = append(got, line) }); err != nil {
		t.Fatal(err)
	}
	slices.Sort(got)
	if !slices.Equal(got, want) {
		t.Errorf("%d repeats, not %d", len(got), len(want))
	}
	for i := int64(0); i < n+99; i += 99 {
		if noted, err := ids.Noted(Shown{Marker: strconv.FormatInt(i, 10)}); err != nil || noted != (i < n) {
			t.Fatalf("%d: %v %v", i, noted, err)
		}
	}
	if got := cap(ids.met.added) + cap(ids.shown.added); got > 1<<20 {
		t.Errorf("%d bytes in memory", got)
	}
}

// Of repeats those differ that say something else than the first action of the id, which counts.
func TestIDs_RepeatsThatDiffer(t *testing.T) {
	t.Parallel()
	ids, err := TemporaryIDs()
	if err != nil {
		t.Fatal(err)
	}
	for line, contents := range []string{3: "a", 2: "b", 5: "a", 7: "b", 9: "b"} {
		if contents != "" {
			ids.Met("ann", "x", []byte(contents), int64(line), 0)
		}
	}
	ids.Met("ann", "x", []byte("other by now"), 9, 0) // met again
	ids.Met("ben", "x", []byte("c"), 4, 0)
	got := map[int64]bool{}
	if err := ids.Repeats(func(line int64, differs bool) { got[line] = differs }); err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(map[int64]bool{3: true, 5: true, 7: false, 9: false}, got); d != "" {
		t.Error(d)
	}
	if err := ids.Discard(); err != nil {
		t.Error(err)
	}
}

// Records come in the order of their bytes, whatever their number and however few pieces are asked for.
func TestRecords_AreSorted(t *testing.T) {
	t.Parallel()
	seed := rand.Uint64()
	rnd := rand.New(rand.NewPCG(seed, 0))
	for _, n := range []int{0, 1, 2, 1000} {
		r, err := openRecords(filepath.Join(t.TempDir(), "r"))
		if err != nil {
			t.Fatal(err)
		}
		defer r.file.Close()
		want := make([]record, n)
		p := &pieces{file: r.file}
		for i := 0; i < n; {
			length := min(1+rnd.IntN(3), n-i)
			piece := want[i : i+length]
			for k := range piece {
				piece[k][0], piece[k][31] = byte(rnd.IntN(9)), byte(rnd.IntN(256))
			}
			slices.SortFunc(piece, compare)
			for k := range piece {
				r.add(&piece[k])
			}
			p.lengths = append(p.lengths, int64(length))
			i += length
		}
		if err := r.keep(); err != nil {
			t.Fatal(err)
		}
		slices.SortFunc(want, compare)
		for len(p.lengths) > 1 { // those of 1000 more than once
			if p, err = p.merged(); err != nil {
				t.Fatal(err)
			}
			defer p.file.Close()
		}
		var got []record
		if err := p.each(0, p.lengths, func(one []byte) { got = append(got, record(one)) }); err != nil {
			t.Fatal(err)
		}
		if !slices.Equal(got, want) {
			t.Errorf("seed %d: %d records in another order", seed, n)
		}
	}
}

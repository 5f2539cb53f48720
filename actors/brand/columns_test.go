package brand

import (
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/ovation-analytics/ovation/actors/domain"
)

const testTime = 20_000 * 86400

// rowsOf are n rows of definition 100 by members 0, 1, …, a minute apart, with
// sequences from seq on.
func rowsOf(n int, seq uint64) (rows []domain.Row) {
	for i := range n {
		rows = append(rows, domain.Row{
			Seq: seq + uint64(i), Ord: domain.Ordinal(i), Time: testTime + uint32(i)*60,
			Brand: 1005, Definition: 100, Service: domain.Spotify,
		})
	}
	return rows
}

func tallyOf(t *testing.T, v *View, dense uint32, cold Source) domain.Count {
	t.Helper()
	q := &domain.Question{
		Shape: domain.ShapeTally, Range: domain.Range{To: ^uint32(0)},
		Groups: []domain.Group{{Definition: domain.Registration, Group: 1}, {Definition: 100, Group: 100}},
	}
	got, err := v.Tally(NewScratch(), &Ask{Plan: NewPlan(q), Brand: dense, Cold: cold})
	if err != nil {
		t.Fatal(err)
	}
	return got.Total
}

func TestABrandIsPromotedInTheCommitThatMakesItLarge(t *testing.T) {
	w := NewTable(Options{Promote: 10})
	rest := w.Target(5)
	rest.Append(5, rowsOf(9, 1))
	w.Commit(nil)
	if w.Target(5) != rest || w.Rest() != rest {
		t.Fatal("nine rows are not in the rest")
	}
	rest.Append(5, rowsOf(1, 10))
	v := w.Commit(nil)
	own := w.Target(5)
	if dense, id, ok := own.Brand(); own == rest || !ok || dense != 5 || id != 1005 {
		t.Fatalf("brand %d, label %d, own %v", dense, id, ok)
	}
	if own.Rows() != 10 || rest.Rows() != 0 {
		t.Errorf("%d rows in its columns, %d in the rest", own.Rows(), rest.Rows())
	}
	rest.Append(5, rowsOf(4, 11)) // who still holds the rest's columns
	if old := tallyOf(t, v, 5, nil); old != (domain.Count{Actions: 10, Members: 9}) {
		t.Errorf("the view has %+v", old)
	}
	if got := tallyOf(t, w.Commit(nil), 5, nil); got != (domain.Count{Actions: 14, Members: 9}) {
		t.Errorf("the next has %+v", got)
	}
}

func TestVisitsAreInNoAnswerAboutTheAccount(t *testing.T) {
	w := NewTable(Options{})
	visits := rowsOf(3, 1)
	for i := range visits {
		visits[i].Brand, visits[i].Definition = 0, domain.Registration
	}
	w.Append(Visits, visits)
	w.Append(7, rowsOf(2, 4))
	v := w.Commit(nil)
	if got := tallyOf(t, v, EveryBrand, nil); got != (domain.Count{Actions: 2, Members: 2}) {
		t.Errorf("the account has %+v", got)
	}
	if got := tallyOf(t, v, Visits, nil); got != (domain.Count{Actions: 3, Members: 3}) {
		t.Errorf("there are %+v visits", got)
	}
	if n := v.RowsIn(EveryBrand, domain.Range{To: ^uint32(0)}); n != 2 {
		t.Errorf("a question reads %d rows", n)
	}
}

// TestI7RowsWithOldSequencesAreInNoOlderView: such rows would pass a tail's cut.
func TestI7RowsWithOldSequencesAreInNoOlderView(t *testing.T) {
	for _, dense := range []uint32{5, 6} {
		w := NewTable(Options{Promote: 20})
		w.Append(5, rowsOf(30, 101))
		w.Append(6, rowsOf(5, 201))
		v := w.Commit(nil)
		before := tallyOf(t, v, dense, nil)
		w.Append(dense, rowsOf(3, 1))
		next := w.Commit(nil)
		if got := tallyOf(t, v, dense, nil); got != before {
			t.Errorf("brand %d: the older view has %+v, had %+v", dense, got, before)
		}
		if got := tallyOf(t, next, dense, nil); got.Actions != before.Actions+3 {
			t.Errorf("brand %d: the newer view has %+v", dense, got)
		}
	}
}

func TestRemoveTakesOnlyTheRowNamed(t *testing.T) {
	w := NewTable(Options{Promote: 20, TailMin: 4, TailMax: 8})
	rows := rowsOf(10, 1)
	w.Append(5, rows)
	w.Append(6, rowsOf(3, 50))
	w.Commit(nil)
	other := rows[0]
	other.Time++
	if w.Remove(5, &other) || w.Remove(6, &rows[0]) || w.Remove(9, &rows[0]) {
		t.Error("removed a row that is not there")
	}
	for i := range rows[:9] {
		if !w.Remove(5, &rows[i]) || w.Remove(5, &rows[i]) {
			t.Errorf("row %d", i)
		}
	}
	if got := tallyOf(t, w.Commit(nil), EveryBrand, nil); got.Actions != 4 {
		t.Errorf("left are %+v", got)
	}
}

func TestAChunkHoldsSequencesOfAnyWidth(t *testing.T) {
	w := NewTable(Options{Promote: 10})
	rows := rowsOf(20, 1)
	for i := range rows {
		rows[i].Seq = uint64(i+1) << 40
		rows[i].Time = testTime
	}
	w.Load(5, rows)
	v := w.Commit(nil)
	c := w.Target(5).set.runs[0].c
	if c.wide == nil {
		t.Fatal("not wide")
	}
	for i := range rows {
		if c.seq(i) != rows[i].Seq {
			t.Fatalf("row %d has sequence %d", i, c.seq(i))
		}
	}
	if !w.Remove(5, &rows[19]) {
		t.Error("a wide row is not found")
	}
	if got := tallyOf(t, v, 5, nil); got.Actions != 20 {
		t.Errorf("got %+v", got)
	}
}

// TestAMergeKeepsWhatDiedMeanwhile: before it runs and after, also of a chunk that
// had lost rows in the same commit already.
func TestAMergeKeepsWhatDiedMeanwhile(t *testing.T) {
	w := NewTable(Options{Promote: 1, TailMin: 4, TailMax: 16, FanIn: 2, Thin: 1})
	rows := rowsOf(64, 1)
	for i := 0; i < 64; i += 16 {
		w.Append(5, rows[i:i+16])
		w.Commit(nil)
	}
	c := w.Target(5)
	if !w.Remove(5, &rows[3]) {
		t.Fatal("not removed")
	}
	m := c.Pending()
	if m == nil || c.Pending() != nil {
		t.Fatal("there is not exactly one merge")
	}
	if !w.Remove(5, &rows[4]) || !w.Remove(5, &rows[20]) {
		t.Fatal("not removed")
	}
	m.Run()
	if !w.Remove(5, &rows[5]) || !w.Remove(5, &rows[21]) {
		t.Fatal("not removed")
	}
	if !c.Install(m) {
		t.Fatal("not installed")
	}
	if got := tallyOf(t, w.Commit(nil), 5, nil); got.Actions != 59 {
		t.Errorf("got %+v", got)
	}
	for _, i := range []int{3, 4, 5, 20, 21} {
		if w.Remove(5, &rows[i]) {
			t.Errorf("row %d came back", i)
		}
	}
}

func TestAMergeThatCameTooLateChangesNothing(t *testing.T) {
	w := NewTable(Options{Promote: 1, TailMin: 4, TailMax: 16, FanIn: 2})
	for i := range 4 {
		w.Append(5, rowsOf(16, uint64(1+16*i)))
		w.Commit(nil)
	}
	c := w.Target(5)
	m := c.Pending()
	if m == nil {
		t.Fatal("no merge is pending")
	}
	if c.Install(m) {
		t.Error("installed a merge that was not run")
	}
	if m = c.Pending(); m == nil {
		t.Fatal("the merge is not pending again")
	}
	m.Run()
	w.Evict(5)
	if c.Install(m) {
		t.Error("installed into an evicted set")
	}
	if v := w.Commit(nil); len(v.Cold(5)) != 1 {
		t.Error("the brand is not cold")
	}
}

func TestAColdBrandIsReadFromItsSource(t *testing.T) {
	w := NewTable(Options{Promote: 10})
	rows := rowsOf(50, 1)
	w.Append(5, rows)
	w.Append(6, rowsOf(2, 100))
	w.Commit(nil)
	hot := w.Bytes()
	if !w.Evict(5) || w.Evict(5) || w.Evict(6) {
		t.Fatal("evicted the wrong ones")
	}
	v := w.Commit(nil)
	if d := cmp.Diff([]Cold{{5, 1005}}, v.Cold(EveryBrand)); d != "" {
		t.Error(d)
	}
	if w.Bytes() >= hot {
		t.Errorf("%d bytes hot, %d cold", hot, w.Bytes())
	}
	if n := v.RowsIn(5, domain.Range{To: ^uint32(0)}); n != 50 {
		t.Errorf("a question reads %d rows", n)
	}
	plan := NewPlan(&domain.Question{Shape: domain.ShapeTimeline, Range: domain.Range{To: ^uint32(0)}, Groups: []domain.Group{{Definition: 100}}})
	if _, err := v.Timeline(NewScratch(), &Ask{Plan: plan, Brand: 5}); !errors.Is(err, ErrCold) {
		t.Errorf("got %v", err)
	}
	broken := errors.New("disk")
	if _, err := v.Tally(NewScratch(), &Ask{Plan: plan, Brand: EveryBrand, Cold: func(Cold, func([]domain.Row)) error { return broken }}); !errors.Is(err, broken) {
		t.Errorf("got %v", err)
	}
	disk := func(_ Cold, f func([]domain.Row)) error { f(rows); return nil }
	if got := tallyOf(t, v, EveryBrand, disk); got != (domain.Count{Actions: 52, Members: 50}) {
		t.Errorf("got %+v", got)
	}
}

// TestAReloadMissesNothing: rows that come and go between the commit that is read
// and the restoring.
func TestAReloadMissesNothing(t *testing.T) {
	w := NewTable(Options{Promote: 10, TailMin: 4, TailMax: 16})
	rows := rowsOf(50, 1)
	w.Append(5, rows)
	w.Commit(nil)
	w.Evict(5)
	more := rowsOf(60, 51)
	w.Append(5, more[:20])
	if w.Reload(5) != nil {
		t.Fatal("a reload between commits would miss rows")
	}
	w.Commit(nil)
	r := w.Reload(5)
	if r == nil || w.Reload(5) != nil {
		t.Fatal("there is not exactly one reload")
	}
	w.Append(5, more[20:])
	if !w.Remove(5, &rows[7]) || !w.Remove(5, &more[3]) || !w.Remove(5, &more[30]) || !w.Remove(5, &more[59]) {
		t.Fatal("not removed")
	}
	if v := w.Commit(nil); len(v.Cold(5)) != 1 {
		t.Fatal("not cold while it is read")
	}
	r.Add(rows)
	r.Add(more[:20])
	if !w.Restore(r) || w.Restore(r) {
		t.Fatal("restored the wrong number of times")
	}
	v := w.Commit(nil)
	if got := tallyOf(t, v, 5, nil); len(v.Cold(5)) != 0 || got.Actions != 106 || w.Target(5).Rows() != 106 {
		t.Errorf("got %+v, %d rows", got, w.Target(5).Rows())
	}
}

func TestFilledAtStartATableIsTheSame(t *testing.T) {
	w := NewTable(Options{Promote: 100, ChunkMax: 128})
	rows := rowsOf(1000, 1)
	for i := 900; i >= 0; i -= 100 { // months come in any order
		w.Load(5, rows[i:i+100])
	}
	w.Load(6, rowsOf(60, 2000))
	w.Load(6, rowsOf(60, 3000))
	w.Settle()
	v := w.Commit(nil)
	if got := tallyOf(t, v, 5, nil); got != (domain.Count{Actions: 1000, Members: 1000}) {
		t.Errorf("got %+v", got)
	}
	if got := tallyOf(t, v, 6, nil); got != (domain.Count{Actions: 120, Members: 60}) {
		t.Errorf("got %+v", got)
	}
	if _, _, own := w.Target(6).Brand(); !own || w.Rest().Rows() != 0 {
		t.Errorf("own %v, %d rows in the rest", own, w.Rest().Rows())
	}
}

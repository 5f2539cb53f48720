package rows

import (
	"testing"

	"github.com/ovation-analytics/ovation/actors/domain"
)

const testTime = 20_000 * 86400

// rowsOf are n rows of definition 100 by members 0, 1, …, a minute apart, with
// sequences from seq on.
func rowsOf(n int, seq uint64) (some []domain.Row) {
	for i := range n {
		some = append(some, domain.Row{
			Seq: seq + uint64(i), Ord: domain.Ordinal(i), Time: testTime + uint32(i)*60,
			Brand: 1005, Definition: 100, Service: domain.Spotify,
		})
	}
	return some
}

// countOf counts the living rows of a brand and their members one by one.
func countOf(v *View, dense uint32) (n domain.Count) {
	members := map[uint32]bool{}
	count := func(ord uint32, living bool) {
		if living {
			n.Actions++
			members[ord] = true
		}
	}
	v.Each(dense, func(s *Set, small bool) {
		for _, r := range s.Runs {
			for i, o := range r.Chunk.Ord {
				count(o, !r.Deleted.Has(i) && (!small || r.Chunk.Brands[r.Chunk.BrandOf[i]] == dense))
			}
		}
		tail := s.TailAt(v.Seq)
		for i := range tail.Rows {
			count(tail.Rows[i].Ord, !tail.Deleted.Has(i) && (!small || tail.Brands[i] == dense))
		}
	})
	n.Members = uint64(len(members))
	return n
}

func TestTable_PromotesABrandInTheCommitThatMakesItLarge(t *testing.T) {
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
	if old := countOf(v, 5); old != (domain.Count{Actions: 10, Members: 9}) {
		t.Errorf("the view has %+v", old)
	}
	if got := countOf(w.Commit(nil), 5); got != (domain.Count{Actions: 14, Members: 9}) {
		t.Errorf("the next has %+v", got)
	}
}

func TestView_EveryBrandLeavesVisitsOut(t *testing.T) {
	w := NewTable(Options{})
	visits := rowsOf(3, 1)
	for i := range visits {
		visits[i].Brand, visits[i].Definition = 0, domain.Registration
	}
	w.Append(Visits, visits)
	w.Append(7, rowsOf(2, 4))
	v := w.Commit(nil)
	if got := countOf(v, EveryBrand); got != (domain.Count{Actions: 2, Members: 2}) {
		t.Errorf("the account has %+v", got)
	}
	if got := countOf(v, Visits); got != (domain.Count{Actions: 3, Members: 3}) {
		t.Errorf("there are %+v visits", got)
	}
	if n := v.RowsIn(EveryBrand, domain.Range{To: ^uint32(0)}); n != 2 {
		t.Errorf("a question reads %d rows", n)
	}
}

// TestI7_RowsWithOldSequencesAreInNoOlderView: such rows would pass a tail's cut.
func TestI7_RowsWithOldSequencesAreInNoOlderView(t *testing.T) {
	for _, dense := range []uint32{5, 6} {
		w := NewTable(Options{Promote: 20})
		w.Append(5, rowsOf(30, 101))
		w.Append(6, rowsOf(5, 201))
		v := w.Commit(nil)
		before := countOf(v, dense)
		w.Append(dense, rowsOf(3, 1))
		next := w.Commit(nil)
		if got := countOf(v, dense); got != before {
			t.Errorf("brand %d: the older view has %+v, had %+v", dense, got, before)
		}
		if got := countOf(next, dense); got.Actions != before.Actions+3 {
			t.Errorf("brand %d: the newer view has %+v", dense, got)
		}
	}
}

func TestTable_RemovesOnlyTheRowNamed(t *testing.T) {
	w := NewTable(Options{Promote: 20, TailMin: 4, TailMax: 8})
	list := rowsOf(10, 1)
	w.Append(5, list)
	w.Append(6, rowsOf(3, 50))
	w.Commit(nil)
	other := list[0]
	other.Time++
	if w.Remove(5, &other) || w.Remove(6, &list[0]) || w.Remove(9, &list[0]) {
		t.Error("removed a row that is not there")
	}
	for i := range list[:9] {
		if !w.Remove(5, &list[i]) || w.Remove(5, &list[i]) {
			t.Errorf("row %d", i)
		}
	}
	if got := countOf(w.Commit(nil), EveryBrand); got.Actions != 4 {
		t.Errorf("left are %+v", got)
	}
}

func TestChunk_HoldsSequencesOfAnyWidth(t *testing.T) {
	w := NewTable(Options{Promote: 10})
	list := rowsOf(20, 1)
	for i := range list {
		list[i].Seq = uint64(i+1) << 40
		list[i].Time = testTime
	}
	w.Load(5, list)
	v := w.Commit(nil)
	v.Each(5, func(s *Set, _ bool) {
		for i := range list {
			if got := s.Runs[0].Chunk.Seq(i); got != list[i].Seq {
				t.Fatalf("row %d has sequence %d", i, got)
			}
		}
	})
	if !w.Remove(5, &list[19]) {
		t.Error("a wide row is not found")
	}
	if got := countOf(v, 5); got.Actions != 20 {
		t.Errorf("got %+v", got)
	}
}

// TestCompaction_KeepsDeletions: before it runs and after, also of a chunk that
// had lost rows in the same commit already.
func TestCompaction_KeepsDeletions(t *testing.T) {
	w := NewTable(Options{Promote: 1, TailMin: 4, TailMax: 16, FanIn: 2, Thin: 1})
	list := rowsOf(64, 1)
	for i := 0; i < 64; i += 16 {
		w.Append(5, list[i:i+16])
		w.Commit(nil)
	}
	if !w.Remove(5, &list[3]) {
		t.Fatal("not removed")
	}
	m := w.Pending()
	if m == nil || w.Pending() != nil {
		t.Fatal("there is not exactly one compaction")
	}
	if !w.Remove(5, &list[4]) || !w.Remove(5, &list[20]) {
		t.Fatal("not removed")
	}
	m.Run()
	if !w.Remove(5, &list[5]) || !w.Remove(5, &list[21]) {
		t.Fatal("not removed")
	}
	if !w.Install(m) {
		t.Fatal("not installed")
	}
	if got := countOf(w.Commit(nil), 5); got.Actions != 59 {
		t.Errorf("got %+v", got)
	}
	for _, i := range []int{3, 4, 5, 20, 21} {
		if w.Remove(5, &list[i]) {
			t.Errorf("row %d came back", i)
		}
	}
}

func TestCompaction_ChangesNothingOnceItsChunksAreGone(t *testing.T) {
	w := NewTable(Options{Promote: 1, TailMin: 4, TailMax: 16, FanIn: 2})
	for i := range 4 {
		w.Append(5, rowsOf(16, uint64(1+16*i)))
		w.Commit(nil)
	}
	m := w.Pending()
	if m == nil {
		t.Fatal("no compaction is pending")
	}
	if w.Install(m) {
		t.Error("installed a compaction that was not run")
	}
	if m = w.Pending(); m == nil {
		t.Fatal("the compaction is not pending again")
	}
	m.Run()
	w.Evict(5)
	if w.Install(m) {
		t.Error("installed into an evicted set")
	}
	if v := w.Commit(nil); len(v.Cold(5)) != 1 {
		t.Error("the brand is not cold")
	}
}

// TestReload_MissesNoChange: rows that come and go between the commit that is read
// and the restoring.
func TestReload_MissesNoChange(t *testing.T) {
	w := NewTable(Options{Promote: 10, TailMin: 4, TailMax: 16})
	list := rowsOf(50, 1)
	w.Append(5, list)
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
	if !w.Remove(5, &list[7]) || !w.Remove(5, &more[3]) || !w.Remove(5, &more[30]) || !w.Remove(5, &more[59]) {
		t.Fatal("not removed")
	}
	if v := w.Commit(nil); len(v.Cold(5)) != 1 {
		t.Fatal("not cold while it is read")
	}
	r.Add(list)
	r.Add(more[:20])
	if !w.Restore(r) || w.Restore(r) {
		t.Fatal("restored the wrong number of times")
	}
	v := w.Commit(nil)
	if got := countOf(v, 5); len(v.Cold(5)) != 0 || got.Actions != 106 || w.Target(5).Rows() != 106 {
		t.Errorf("got %+v, %d rows", got, w.Target(5).Rows())
	}
}

func TestTable_LoadIsAsAppend(t *testing.T) {
	w := NewTable(Options{Promote: 100, ChunkMax: 128})
	list := rowsOf(1000, 1)
	for i := 900; i >= 0; i -= 100 { // months come in any order
		w.Load(5, list[i:i+100])
	}
	w.Load(6, rowsOf(60, 2000))
	w.Load(6, rowsOf(60, 3000))
	w.Settle()
	v := w.Commit(nil)
	if got := countOf(v, 5); got != (domain.Count{Actions: 1000, Members: 1000}) {
		t.Errorf("got %+v", got)
	}
	if got := countOf(v, 6); got != (domain.Count{Actions: 120, Members: 60}) {
		t.Errorf("got %+v", got)
	}
	if _, _, own := w.Target(6).Brand(); !own || w.Rest().Rows() != 0 {
		t.Errorf("own %v, %d rows in the rest", own, w.Rest().Rows())
	}
}

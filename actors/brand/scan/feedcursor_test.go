package scan

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/ovation-analytics/ovation/actors/brand/rows"
	"github.com/ovation-analytics/ovation/actors/domain"
)

// cursor has a random question ask for what is after a row, which may be one that
// there is, another shard's, or none.
func (w *population) cursor(r *rand.Rand, h *question) {
	member := memberOf(domain.Ordinal(r.IntN(w.members)))
	seq := 1 + r.Uint64N(1+r.Uint64N(5000))
	if r.IntN(3) == 0 {
		at := int64(w.start) - 100 + r.Int64N(int64(w.span)+200)
		if h.q.Listing.Recorded {
			at = recordedAt(seq) + r.Int64N(3) - 1
		}
		h.q.Listing.Offset = 0
		h.q.Listing.After = &domain.FeedAfter{At: at, ID: domain.ActionIDOf(seq, member.Slot())}
	}
	if r.IntN(3) == 0 && h.q.Top.Above == nil {
		rank := r.Uint64N(1 + r.Uint64N(300))
		if h.q.Top.Order.Timed() {
			rank = r.Uint64N(52)
		}
		h.q.Top.Offset = 0
		h.q.Top.After = &domain.After{Rank: rank, Member: member}
	}
	h.q.Histogram = domain.HistogramQuery{Of: domain.ShapeFeed, From: uint64(w.start) - 50_000 + r.Uint64N(uint64(w.span)), To: uint64(w.start) + r.Uint64N(2*uint64(w.span))}
	if r.IntN(2) == 0 {
		h.q.Histogram = domain.HistogramQuery{Of: domain.ShapeLeaders, From: r.Uint64N(20), To: 1 << r.IntN(40)}
		if r.IntN(2) == 0 {
			h.q.Histogram.Among = new(r.Uint64N(50))
		}
	}
}

// idOf is the id of the action.
func idOf(f *placedRow) domain.ActionID { return domain.ActionIDOf(f.Seq, memberOf(f.Ord).Slot()) }

// A page after any row is the rest of the list, and cells hold what the list has, in
// chunks of their real size.
func TestCursor_FeedAfterARowIsTheRestOfTheList(t *testing.T) {
	if underRace {
		t.Skip("one goroutine: run without -race")
	}
	w, r := population{members: 500, brands: 6, definitions: 6, start: 20_000 * 86400, span: 20 * 86400}, rand.New(rand.NewPCG(4, 9))
	table, m := rows.NewTable(rows.Options{Promote: 200, TailMax: 512, FanIn: 4}), newModel()
	for i := range 5000 {
		f := w.row(r, uint64(i+1), w.start+uint32(i)*340)
		if r.IntN(3) == 0 { // many in one second
			f.Time -= f.Time % 20_000
		}
		m.put(&f)
		table.Append(f.dense, []domain.Row{f.Row})
		if r.IntN(20) == 0 {
			if !table.Remove(f.dense, &f.Row) {
				t.Fatal("not removed")
			}
			m.take(f.Seq)
		}
		if i%97 == 0 {
			table.Commit(nil)
			table.Settle()
		}
	}
	v, x := table.Commit(nil), NewScratch()
	halves, cells := 0, 0
	for i := range some(3000) {
		if i == some(2000) { // brands that are asked about often are on disk only
			table.Evict(1)
			table.Evict(2)
			v = table.Commit(nil)
		}
		h := w.question(r)
		h.q.Shape = []domain.Shape{domain.ShapeFeed, domain.ShapeLeaders, domain.ShapeRankHistogram}[r.IntN(3)]
		if f := m.rows[1+r.Uint64N(5000)]; f != nil && r.IntN(2) == 0 { // after a row that there is, or beside it
			l := &h.q.Listing
			l.Offset, l.Limit = 0, 1+r.IntN(200)
			l.After = &domain.FeedAfter{At: int64(f.Time), ID: idOf(f) + domain.ActionID(r.IntN(3)) - 1}
			if r.IntN(4) == 0 { // after all of its second
				l.After.ID = math.MaxUint64
			}
			if l.Recorded {
				l.After.At = recordedAt(f.Seq)
			}
		}
		got, err := x.Answer(v, h.ask(m.stored(w)))
		if err != nil {
			t.Fatal(err)
		}
		if h.q.Shape == domain.ShapeRankHistogram {
			cells += m.compareBuckets(t, h, got.Histogram)
			continue
		}
		if d := difference(m.answer(h), got); d != "" {
			t.Fatalf("brand %d %+v %+v %+v of %+v (-want +got):\n%s", h.dense, h.q.Listing, h.q.Listing.After, h.q.Top, h.q.Range, d)
		}
		if f := got.Feed; f != nil && f.Ahead > 0 && len(f.Items) > 0 {
			halves++
		}
	}
	if halves < some(60) || cells < some(1000) {
		t.Errorf("only %d feeds began in the midst, %d rows were sounded", halves, cells)
	}
}

// compareBuckets compares buckets with the model and returns how many rows are in them.
func (m *model) compareBuckets(t *testing.T, h *question, got *domain.RankHistogram) (list int) {
	t.Helper()
	if len(got.Buckets) > domain.MaxBuckets {
		t.Fatalf("%d cells", len(got.Buckets))
	}
	left := slices.Clone(got.Buckets)
	for key, n := range m.reference().Ranks(m.question(h)) {
		at := (key - h.q.Histogram.From) >> got.Shift
		if at >= uint64(len(left)) || left[at] < n {
			t.Fatalf("%+v of %+v: too few at %d", h.q.Histogram, h.q.Range, key)
		}
		left[at] -= n
		list += int(n)
	}
	if i := slices.IndexFunc(left, func(n uint32) bool { return n > 0 }); i >= 0 {
		t.Fatalf("%+v of %+v %v: %d too many in cell %d of %d, shift %d", h.q.Histogram, h.q.Range, h.q.Listing.Every, left[i], i, len(left), got.Shift)
	}
	return list
}

// Every moment finds the sequence that it begins with, from wherever it is looked for.
func TestCursor_FindsTheSequencesOfAMoment(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 9))
	for _, gaps := range []uint64{1, 2, 40, 100_000} {
		table, all, seq := rows.NewTable(rows.Options{TailMax: 512, FanIn: 4}), []domain.Row(nil), uint64(0)
		for range 3000 {
			seq += 1 + r.Uint64N(gaps)
			all = append(all, domain.Row{Seq: seq, Account: 1, Time: 1000 + r.Uint32N(500), Ord: 1, Brand: 1001, Definition: 100})
		}
		table.Append(1, all)
		v, x := table.Commit(nil), NewScratch()
		q := &domain.Question{Account: 1, Shape: domain.ShapeFeed, Range: domain.Range{To: 5000}, Groups: []domain.Group{{Definition: 100}}}
		a := &Ask{Plan: NewPlan(q), Brand: 1, Label: labelOf, Contents: contentsOfRows, ID: memberOf}
		if !x.selection.open(v, a, false) {
			t.Fatal("nothing counts")
		}
		x.feed.feed.begin(a, 10, 64, false)
		x.feed.feed.span = q.Range
		for range 400 {
			i := r.IntN(len(all))
			ms := recordedAt(all[i].Seq)
			lo, hi := uint64(0), v.Seq+1
			if first := slices.IndexFunc(all, func(o domain.Row) bool { return recordedAt(o.Seq) >= ms-1 }); r.IntN(2) == 0 && first > 0 {
				lo = all[first-1].Seq + 1
				hi = min(hi, lo+1+r.Uint64N(2000))
			}
			got, err := x.feed.recordedFrom(a, ms, lo, hi)
			if err != nil {
				t.Fatal(err)
			}
			at := slices.IndexFunc(all, func(o domain.Row) bool { return recordedAt(o.Seq) >= ms })
			if got > all[at].Seq || at > 0 && got <= all[at-1].Seq {
				t.Fatalf("gaps %d: ms %d from %d begins with %d, not with %d", gaps, ms, lo, got, all[at].Seq)
			}
		}
		x.feed.feed.end()
		x.selection.end()
	}
}

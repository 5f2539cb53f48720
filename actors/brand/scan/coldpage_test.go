package scan

import (
	"math/rand/v2"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"

	"github.com/ovation-analytics/ovation/actors/brand/rows"
	"github.com/ovation-analytics/ovation/actors/domain"
)

// disk has the rows of brands that are on disk only, and counts what of it is read.
type disk struct {
	t     *testing.T
	table *rows.Table // with all rows in memory
	cold  *rows.Table // with some on disk only
	byRow map[uint32][]domain.Row

	read     map[uint64]int // by sequence, of one question: how often
	contents int            // rows whose contents were read for it
}

const (
	diskHot  = 1 // the brand with a third of the rows
	diskRows = 48_000
	diskDays = 150
)

// newDisk has a hot brand, many small ones, and some visits, with few rows that came late.
func newDisk(t *testing.T, r *rand.Rand) *disk {
	d := &disk{t: t, table: rows.NewTable(rows.Options{}), cold: rows.NewTable(rows.Options{}), byRow: map[uint32][]domain.Row{}}
	for i := range diskRows {
		row := domain.Row{
			Account: 1, Seq: uint64(i + 1), Ord: domain.Ordinal(r.IntN(900)), Definition: 100 + domain.DefinitionID(r.IntN(3)),
			Points: uint16(r.IntN(9)), Service: domain.Service(r.IntN(3)), Time: testTime + uint32(i)*(diskDays*86400/diskRows),
		}
		if r.IntN(20) == 0 {
			row.Time -= r.Uint32N(10 * 86400)
		}
		row.Time -= row.Time % 20 // many in one second
		dense := uint32(diskHot)
		if r.IntN(3) > 0 {
			dense = 2 + uint32(r.IntN(120))
		}
		row.Brand = labelOf(dense)
		d.byRow[dense] = append(d.byRow[dense], row)
		for _, table := range []*rows.Table{d.table, d.cold} {
			table.Append(dense, []domain.Row{row})
		}
		if r.IntN(50) == 0 { // it is deleted
			list := d.byRow[dense]
			gone := list[r.IntN(len(list))]
			d.take(dense, gone.Seq)
			if !d.table.Remove(dense, &gone) || !d.cold.Remove(dense, &gone) {
				t.Fatal("no row to remove")
			}
		}
		if i%1000 == 0 {
			d.table.Commit(nil)
			d.cold.Commit(nil)
		}
		if i == diskRows*9/10 { // the last rows come for brands that are cold
			d.evict()
		}
	}
	return d
}

func (d *disk) take(dense uint32, seq uint64) {
	list := d.byRow[dense]
	for i := range list {
		if list[i].Seq == seq {
			d.byRow[dense] = append(list[:i], list[i+1:]...)
			return
		}
	}
}

// evict evicts every other small brand, and the hot one.
func (d *disk) evict() {
	d.cold.Commit(nil)
	var out []rows.Cold
	d.cold.Small(func(dense uint32, _ int) {
		if dense%2 == 0 {
			out = append(out, rows.Cold{Dense: dense, Brand: labelOf(dense)})
		}
	})
	d.cold.EvictSmall(out)
	d.cold.Evict(diskHot)
}

// source gives the rows of the range, and no others.
func (d *disk) source(b rows.Cold, in domain.Range, f func([]domain.Row)) error {
	var list []domain.Row
	for _, r := range d.byRow[b.Dense] {
		if r.Time >= in.From && r.Time < in.To {
			list = append(list, r)
			d.read[r.Seq]++
		}
	}
	f(list)
	return nil
}

// ask asks with the rows on disk and with all in memory, and gives how many rows were read from disk, and
// how often one: the answers are equal.
func (d *disk) ask(q *domain.Question, dense uint32, members []uint64) (answer domain.Answer, read, often int) {
	d.t.Helper()
	d.read, d.contents = map[uint64]int{}, 0
	h := &question{q: *q, dense: dense, members: members}
	a := h.ask(d.source)
	memory, err := NewScratch().Answer(d.table.Commit(nil), a)
	if err != nil {
		d.t.Fatal(err)
	}
	a.Contents = func(list []domain.Row, f func(int, int64, []byte)) error {
		d.contents += len(list)
		return contentsOfRows(list, f)
	}
	answer, err = NewScratch().Answer(d.cold.Commit(nil), a)
	if err != nil {
		d.t.Fatal(err)
	}
	if diff := gocmp.Diff(memory, answer); diff != "" {
		d.t.Fatalf("brand %d, %+v of %+v (-in memory, +from disk):\n%s", int32(dense), q.Listing, q.Range, diff)
	}
	for _, n := range d.read {
		read, often = read+n, max(often, n)
	}
	return answer, read, often
}

// A page of a feed reads from disk about as many rows as it has, wherever it is in the list and however
// long the range: the others are counted without. Where rows are chosen by what they say, each is read once.
func TestFeed_PageReadsTheRowsOfItsPage(t *testing.T) {
	t.Parallel()
	seed := rand.Uint64()
	t.Log("seed", seed)
	r := rand.New(rand.NewPCG(seed, 25))
	d := newDisk(t, r)
	all := []domain.Group{{Definition: 100}, {Definition: 101}, {Definition: 102}}
	const small = 8
	for i := range some(400) {
		limit := 1 + r.IntN(30)
		q := &domain.Question{
			Account: 1, Shape: domain.ShapeFeed, Groups: all,
			Range:   domain.Range{From: testTime - 20*86400, To: testTime + (diskDays+1)*86400},
			Listing: domain.Listing{Every: true, Up: r.IntN(3) == 0, Limit: limit},
		}
		if r.IntN(2) == 0 {
			q.Range.From += r.Uint32N(90 * 86400)
			q.Range.To -= r.Uint32N(40 * 86400)
		}
		if r.IntN(2) == 0 {
			at := q.Range.From + r.Uint32N(q.Range.To-q.Range.From)
			q.Listing.After = &domain.FeedAfter{At: int64(at - at%20), ID: domain.ActionIDOf(r.Uint64N(diskRows), 5)}
		} else if r.IntN(4) == 0 {
			q.Listing.Offset = r.IntN(60)
		}
		dense := []uint32{rows.EveryBrand, diskHot, small}[i%3]
		// Of a hot brand whole stretches are known: the ends of the range, those of the page, and of
		// one that a cursor cuts.
		maxRead := 5*(q.Listing.End()+20) + 4*diskRows/100
		if dense == small {
			maxRead = 5 * (q.Listing.End() + 20)
		}
		if r.IntN(3) == 0 { // late rows make stretches of ten days those that have the latest
			q.Listing.Recorded = true
			if q.Listing.After != nil {
				q.Listing.After.At = recordedAt(q.Listing.After.ID.Sequence())
				if dense != small {
					maxRead += diskRows / 8 // stretches in whose midst the moment may be
				}
			}
			maxRead += 5*slack + 13*diskRows/3/diskDays
		}
		got, read, _ := d.ask(q, dense, nil)
		if d.contents > 2*(q.Listing.End()+slack) && q.Listing.After == nil {
			t.Fatalf("brand %d, %+v: the contents of %d rows were read", int32(dense), q.Listing, d.contents)
		}
		if read > maxRead {
			t.Fatalf("brand %d, %+v of %+v: %d rows were read for a page of %d, of %d", int32(dense), q.Listing, q.Range, read, limit, got.Feed.Total)
		}
		var members []uint64
		switch r.IntN(4) { // what rows decide: each is read once
		case 0:
			q.Filter.Services = []domain.Service{1}
		case 1:
			q.Groups = all[:2]
		case 2:
			q.Listing.Every = false
		default:
			members = randomMembers(r)
		}
		if _, _, often := d.ask(q, dense, members); often > 1 && (!q.Listing.Recorded || q.Listing.After == nil) {
			t.Fatalf("brand %d, %+v: a row was read %d times", int32(dense), q.Listing, often)
		}
	}
	q := &domain.Question{
		Account: 1, Shape: domain.ShapeRankHistogram, Groups: all, Range: domain.AllTime, Listing: domain.Listing{Every: true},
		Histogram: domain.HistogramQuery{Of: domain.ShapeFeed, To: 1<<32 - 1},
	}
	for _, dense := range []uint32{rows.EveryBrand, small} { // how a page far down is found
		if got, read, _ := d.ask(q, dense, nil); read > diskRows/20 || got.Histogram == nil {
			t.Errorf("brand %d: %d rows were read to rank all", int32(dense), read)
		}
	}
	q.Shape = domain.ShapeFeed
	if got, read, _ := d.ask(q, rows.EveryBrand, nil); read != 0 || got.Feed.Total == 0 {
		t.Errorf("%d rows were read to count all %d", read, got.Feed.Total)
	}
}

// randomMembers are about a tenth of the members.
func randomMembers(r *rand.Rand) []uint64 {
	set := make([]uint64, 15)
	for i := range set {
		set[i] = r.Uint64() & r.Uint64() & r.Uint64()
	}
	return set
}

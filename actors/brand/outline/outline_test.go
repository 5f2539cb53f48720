package outline

import (
	"maps"
	"math/rand/v2"
	"testing"

	"github.com/ovation-analytics/ovation/actors/domain"
)

// outlined is an outline beside the rows that it is of.
type outlined struct {
	outline Outline
	rows    map[uint64]uint32 // sequence → time
}

// compare asks both about a range.
func (x *outlined) compare(t *testing.T, seed uint64, in domain.Range) {
	t.Helper()
	rowsIn := func(in domain.Range) (n uint64) {
		for _, at := range x.rows {
			if at >= in.From && at < in.To {
				n++
			}
		}
		return n
	}
	want, o := rowsIn(in), &x.outline
	sure, edges := o.Count(in)
	for _, e := range edges {
		if e.From < e.To && (e.From < in.From || e.To > in.To) {
			t.Fatalf("seed %d: %+v is no part of %+v", seed, e, in)
		}
		sure += rowsIn(e)
	}
	if sure != want || o.Most(in) < want || want > 0 && !o.Has(in) || o.Has(in) != (o.Most(in) > 0) {
		t.Fatalf("seed %d: %+v has %d rows, counted as %d, at most %d", seed, in, want, sure, o.Most(in))
	}
	for _, up := range []bool{false, true} {
		last, n := Stretch{}, uint64(0)
		o.Each(in, up, func(s Stretch) bool {
			if n > 0 && (up && s.First <= last.Last && o.coarse || !up && s.Last >= last.First && o.coarse) {
				t.Fatalf("seed %d: %+v comes after %+v", seed, s, last)
			}
			last, n = s, n+uint64(s.Rows)
			rows := uint32(0)
			for seq, at := range x.rows {
				if at >= s.First && at <= s.Last && seq >= s.Low && seq <= s.High {
					rows++
				}
			}
			if rows < s.Rows || o.coarse && rows > s.Rows {
				t.Fatalf("seed %d: %+v has %d rows", seed, s, rows)
			}
			return true
		})
		if n != o.Most(in) {
			t.Fatalf("seed %d: each of %+v has %d rows, not %d", seed, in, n, o.Most(in))
		}
	}
}

// An outline counts as its rows do, whatever comes and goes, and however little it may know; one that a
// reader holds does not change.
func TestOutline_CountsAsItsRowsDo(t *testing.T) {
	t.Parallel()
	for range 60 {
		seed := rand.Uint64()
		r := rand.New(rand.NewPCG(seed, 25))
		x, span := outlined{rows: map[uint64]uint32{}}, 1+r.Uint32N(200_000)
		maxMarks, epoch, low := Least<<r.IntN(5), uint64(1), uint64(r.IntN(2))*(1<<32-100)
		if n := r.IntN(300); r.IntN(2) == 0 { // it is made of rows that there are
			x.outline.Begin(n, domain.Range{From: 1000, To: 1000 + span}, maxMarks, epoch)
			for i := range n {
				at := 1000 + r.Uint32N(span)
				x.rows[low+uint64(i)] = at
				x.outline.Put(at, low+uint64(i))
			}
			x.outline.Settle(maxMarks)
		}
		var held outlined
		for i := range 300 {
			switch k := r.IntN(20); {
			case k < 12:
				at, seq := 1000+r.Uint32N(span), low+1000+uint64(i)
				if r.IntN(2) == 0 {
					at = 1000 + uint32(i)*span/300
				}
				x.rows[seq] = at
				x.outline.Add(at, seq, maxMarks, epoch)
			case k < 16:
				for seq, at := range x.rows {
					x.outline.Remove(at, seq, epoch)
					delete(x.rows, seq)
					break
				}
			case k < 17 && maxMarks > Least:
				maxMarks /= 2
				x.outline.Limit(maxMarks, epoch)
			default: // a commit: a reader takes what there is
				epoch++
				held = outlined{outline: x.outline, rows: map[uint64]uint32{}}
				maps.Copy(held.rows, x.rows)
			}
			if n := max(len(x.outline.list), len(x.outline.marks)); n > maxMarks || x.outline.coarse && n > maxMarks/marksPerStretch {
				t.Fatalf("seed %d: %d of %d are known", seed, n, maxMarks)
			}
			in := domain.Range{From: 900 + r.Uint32N(span+200)}
			in.To = in.From + r.Uint32N(span)
			x.compare(t, seed, in)
			held.compare(t, seed, in)
		}
		x.compare(t, seed, domain.Range{To: 1<<32 - 1})
	}
}

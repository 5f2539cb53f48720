package scan

import (
	"cmp"
	"slices"

	"github.com/ovation-analytics/ovation/actors/brand/bitset"
	"github.com/ovation-analytics/ovation/actors/brand/rows"
	"github.com/ovation-analytics/ovation/actors/brand/text"
	"github.com/ovation-analytics/ovation/actors/domain"
)

// Search searches the contents of a brand's actions at the range's times, but for what the content
// filters rule out, perhaps contents of other brands, too: rows are known by their sequence.
type Search func(brand domain.BrandID, in domain.Range, sought *domain.ContentSearch) error

const (
	// searchFrom says when contents are searched rather than read row by row: when one in
	// so many of the rows at those times passes everything else. A row that is passed
	// over costs so much less than one that is looked up.
	searchFrom = 64
	// minSearch is of how many rows at least.
	minSearch = 2 * searchFrom
	// searchAtOnce is how many rows' contents are searched before these are walked over:
	// it bounds what is kept of them.
	searchAtOnce = 1 << 20
)

// searches reports that the question's keyword is to be looked for in the contents first,
// and in the rows for those that have it; else contents are read of the rows that pass.
func (x *feedScan) searches(a *Ask) bool {
	f := &x.feed
	if f.keyword == nil || a.Search == nil || a.Brand == rows.EveryBrand {
		return false
	}
	size := x.view.RowsIn(a.Brand, f.span)
	if size < minSearch {
		return false
	}
	pass := float64(searchFrom)
	if x.filter != nil {
		pass *= float64(bitset.Count(x.filter)) / float64(x.view.Members())
	}
	return pass*x.kindsPass(a.Brand) >= 1
}

// kindsPass is about the share of a brand's rows in chunks whose kind is asked for.
func (x *feedScan) kindsPass(dense uint32) float64 {
	pass, all := 0, 0
	x.view.Each(dense, func(s *rows.Set, small bool) {
		for _, r := range s.Runs {
			if small || r.Chunk.Max < x.feed.span.From || r.Chunk.Min >= x.feed.span.To {
				continue
			}
			for code, k := range r.Chunk.Dict {
				n := int(r.Chunk.Count[code])
				if all += n; x.target(k) != x.targets {
					pass += n
				}
			}
		}
	})
	if all == 0 {
		return 1
	}
	return float64(pass) / float64(all)
}

// search offers the rows at those times that have the keyword: their contents are gone
// through first.
func (x *feedScan) search(a *Ask, in domain.Range) error {
	f := &x.feed
	if x.splits(a.Brand, in) {
		middle := in.From + (in.To-in.From)/2
		if err := x.search(a, domain.Range{From: middle, To: in.To}); err != nil {
			return err
		}
		return x.search(a, domain.Range{From: in.From, To: middle})
	}
	f.hits.Clear()
	f.hits.stretches = f.hits.stretches[:0]
	err := a.Search(a.Label(a.Brand), in, &domain.ContentSearch{
		Finder: f.keyword.Finder(), FilterOf: text.FilterOf, MayContain: f.keyword.MayContain,
		Found: func(seq uint64, content []byte, at domain.Range) {
			if f.keyword.In(content) {
				f.hits.Add(seq)
				f.hits.stretch(at)
			}
		},
	})
	if err = x.result(err); err != nil || f.hits.Len == 0 {
		return err
	}
	f.hits.Index()
	f.hits.known = true
	if len(x.view.Cold(a.Brand)) > 0 { // they are read once
		f.hits.stretches = append(f.hits.stretches[:0], in)
	}
	for _, part := range f.hits.joined(in) {
		f.span = part
		if err := x.scanFeed(a, true); err != nil {
			return err
		}
	}
	return nil
}

// hits are the rows that have the keyword, found in the contents.
type hits struct {
	bitset.Sequences
	known     bool           // the contents were searched
	stretches []domain.Range // times that the hits have
	atOnce    uint64         // searchAtOnce, but in tests
}

// maxStretches is how many stretches of time rows are looked for in one by one.
const maxStretches = 256

// stretch notes times that the keyword was found at.
func (f *hits) stretch(at domain.Range) {
	if n := len(f.stretches); n == 0 || f.stretches[n-1] != at {
		f.stretches = append(f.stretches, at)
	}
}

// joined are the stretches of a range noted, none of which touches another.
func (f *hits) joined(in domain.Range) []domain.Range {
	slices.SortFunc(f.stretches, func(a, b domain.Range) int { return cmp.Compare(a.From, b.From) })
	out := f.stretches[:0]
	for _, s := range f.stretches {
		s.From, s.To = max(s.From, in.From), min(s.To, in.To)
		switch n := len(out); {
		case s.From >= s.To:
		case n > 0 && (s.From <= out[n-1].To || n == maxStretches):
			out[n-1].To = max(out[n-1].To, s.To)
		default:
			out = append(out, s)
		}
	}
	return out
}

// splits reports that the rows at those times are too many for once. Those of a brand
// that is on disk have no times before they are read.
func (x *feedScan) splits(dense uint32, in domain.Range) bool {
	return in.To-in.From > 1 && len(x.view.Cold(dense)) == 0 && x.view.RowsIn(dense, in) > x.feed.hits.atOnce
}

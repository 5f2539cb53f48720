package brand

import (
	"math/bits"

	"github.com/ovation-analytics/ovation/actors/domain"
)

// Search reads what a brand's actions at the range's times say, but for those that near
// passes over, and calls f with each, perhaps with others too: f knows its rows by
// their sequence. Neither keeps what it is given.
type Search func(brand domain.BrandID, in domain.Range, near func(text []byte) (next func(from int) int), f func(seq uint64, content []byte)) error

const (
	// searchFrom says when contents are searched rather than read row by row: when one in
	// so many of the rows at those times passes everything else. A row that is passed
	// over costs so much less than one that is looked up.
	searchFrom = 64
	// searchLeast is of how many rows at least.
	searchLeast = 2 * searchFrom
	// searchAtOnce is how many rows' contents are searched before these are walked over:
	// it bounds what is kept of them.
	searchAtOnce = 1 << 20
)

// searches reports that the question's keyword is to be looked for in the contents first,
// and in the rows for those that have it; else contents are read of the rows that pass.
func (x *Scratch) searches(a *Ask) bool {
	f := &x.feed
	if f.word == nil || a.Search == nil || a.Brand == EveryBrand {
		return false
	}
	rows := x.view.RowsIn(a.Brand, f.span)
	if rows < searchLeast {
		return false
	}
	pass := float64(searchFrom)
	if x.filter != nil {
		pass *= float64(members(x.filter)) / float64(x.view.members)
	}
	return pass*x.kindsPass(a.Brand) >= 1
}

// kindsPass is about the share of a brand's rows in chunks whose kind is asked for.
func (x *Scratch) kindsPass(dense uint32) float64 {
	pass, all := 0, 0
	x.view.each(dense, func(s *set, small bool) {
		for _, r := range s.runs {
			if small || r.c.max < x.feed.span.From || r.c.min >= x.feed.span.To {
				continue
			}
			for code, k := range r.c.dict {
				n := int(r.c.count[code])
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
func (x *Scratch) search(a *Ask, in domain.Range) error {
	f := &x.feed
	if x.splits(a.Brand, in) {
		middle := in.From + (in.To-in.From)/2
		if err := x.search(a, domain.Range{From: middle, To: in.To}); err != nil {
			return err
		}
		return x.search(a, domain.Range{From: in.From, To: middle})
	}
	f.hits.clear()
	err := a.Search(a.Label(a.Brand), in, f.word.near, func(seq uint64, content []byte) {
		if f.word.in(content) {
			f.hits.add(seq)
		}
	})
	if err = x.fate(err); err != nil || f.hits.n == 0 {
		return err
	}
	f.searched, f.span = true, in
	return x.walk(a, true)
}

// splits reports that the rows at those times are too many for once. Those of a brand
// that is on disk cannot be told apart by time before they are read.
func (x *Scratch) splits(dense uint32, in domain.Range) bool {
	return in.To-in.From > 1 && len(x.view.Cold(dense)) == 0 && x.view.RowsIn(dense, in) > x.feed.atOnce
}

// sequences is a set of sequences.
type sequences struct {
	table []uint64 // 1 + a sequence at its hash or behind it; 0: free. A power of two long, at most half full
	shift int
	n     int
}

func (s *sequences) clear() {
	if len(s.table) > 1<<16 {
		s.table = nil
	}
	clear(s.table)
	s.n = 0
}

// place is where the sequence stands, or would.
func (s *sequences) place(seq uint64) int {
	i := int((seq + 1) * 0x9E3779B97F4A7C15 >> s.shift)
	for s.table[i] != 0 && s.table[i] != seq+1 {
		i = (i + 1) & (len(s.table) - 1)
	}
	return i
}

func (s *sequences) has(seq uint64) bool { return s.n > 0 && s.table[s.place(seq)] != 0 }

func (s *sequences) add(seq uint64) {
	if 2*s.n >= len(s.table) {
		old := s.table
		s.table, s.n = make([]uint64, max(64, 2*len(old))), 0
		s.shift = 64 - bits.TrailingZeros(uint(len(s.table)))
		for _, v := range old {
			if v != 0 {
				s.add(v - 1)
			}
		}
	}
	if i := s.place(seq); s.table[i] == 0 {
		s.table[i], s.n = seq+1, s.n+1
	}
}

package scan

import (
	"github.com/ovation-analytics/ovation/actors/brand/bitset"
	"github.com/ovation-analytics/ovation/actors/brand/rows"
	"github.com/ovation-analytics/ovation/actors/domain"
)

// roundState is a round on its way over the rows.
type roundState struct {
	round   *round
	in      domain.Range
	found   []uint64 // of a round of one bit: the members that have it; nil: see mask
	general []uint64 // by the account's number of a kind: its bits, for any brand
	lut     []uint64 // by a chunk's code of a kind: its bits there
}

// performedScan finds the members that performed actions.
type performedScan struct {
	*selection
	state   roundState
	mask    []uint64 // by ordinal: bits met; zero between questions
	touched []uint32
}

// answer is the set of the members that meet the condition, whatever the member filter, in dst's memory
// where that is large enough. The error is ErrCold, or that of the Source.
func (x *performedScan) answer(v *rows.View, dst []uint64, d *Performed, from rows.Source) ([]uint64, error) {
	defer x.end()
	x.view = v
	x.selection.words = int(v.Members()+63) / 64
	dst = bitset.Sized(dst, x.words)
	clear(dst)
	f := &x.state
	defer func() { f.round, f.found = nil, nil }()
	for i := range d.rounds {
		f.round, f.in, f.found = &d.rounds[i], d.span, nil
		if len(d.rounds) == 1 && f.round.need == 1 {
			f.found = dst
			return dst, x.scanSets(from)
		}
		x.mask, x.touched = bitset.Grown(x.mask, x.words*64), x.touched[:0]
		err := x.scanSets(from)
		if left := x.takeComplete(dst, i > 0); err != nil || !left {
			return dst, err
		}
	}
	return dst, nil
}

// takeComplete leaves in dst the members that have all bits of the round, of those in it already where it
// is not the first, and reports that there are some.
func (x *performedScan) takeComplete(dst []uint64, again bool) bool {
	need, n := x.state.round.need, 0
	for _, o := range x.touched {
		if x.mask[o] == need && (!again || bitset.Get(dst, o) == 1) {
			x.touched[n] = o
			n++
		}
		x.mask[o] = 0
	}
	clear(dst)
	for _, o := range x.touched[:n] {
		dst[o>>6] |= 1 << (o & 63)
	}
	return n > 0
}

// scanSets scans the sets that may have a required action.
func (x *performedScan) scanSets(from rows.Source) error {
	f, v := &x.state, x.view
	if f.in.From >= f.in.To {
		return nil
	}
	if len(f.round.any) == 0 {
		return x.scanBrands(from)
	}
	f.general = bitset.Sized(f.general, len(v.Kinds))
	for k, kind := range v.Kinds {
		f.general[k] = bitsOf(f.round.any, kind.Definition)
	}
	for i := range v.Owned() {
		if s := v.OwnSet(i); s.Dense != rows.Visits {
			if err := x.scanSet(s, f.round.of(s.Dense), from); err != nil {
				return err
			}
		}
	}
	x.scanPool()
	return x.result(nil)
}

// scanBrands scans the sets of the brands that actions are required for.
func (x *performedScan) scanBrands(from rows.Source) error {
	f, v := &x.state, x.view
	f.general = f.general[:0]
	small := false
	for i := range f.round.brands {
		b := &f.round.brands[i]
		s := v.SetOf(b.dense)
		if s == nil {
			small = true
		} else if err := x.scanSet(s, b.required, from); err != nil {
			return err
		}
	}
	if small {
		x.scanPool()
	}
	return x.result(nil)
}

// bitsOf are the bits of a kind: those for any brand, and those of a brand's own.
func (f *roundState) bitsOf(k uint32, of *rows.View, required []requiredBits) (bits uint64) {
	if int(k) < len(f.general) {
		bits = f.general[k]
	}
	if len(required) > 0 {
		bits |= bitsOf(required, of.Kinds[k].Definition)
	}
	return bits
}

// scanSet scans a brand's own set.
func (x *performedScan) scanSet(s *rows.Set, required []requiredBits, from rows.Source) error {
	if s.Cold {
		return x.scanCold(s, required, from)
	}
	for _, r := range s.Runs {
		if !x.running() {
			return ErrCancelled
		}
		x.scanRun(r, required)
	}
	f, p := &x.state, s.TailAt(x.view.Seq)
	for i := p.Skip(f.in.From); i < len(p.Rows); i++ {
		r := &p.Rows[i]
		if r.Time-f.in.From < f.in.To-f.in.From && !p.Deleted.Has(i) {
			x.add(r.Ord, f.bitsOf(r.Kind, x.view, required))
		}
	}
	return nil
}

// scanCold scans a set that is on disk.
func (x *performedScan) scanCold(s *rows.Set, required []requiredBits, from rows.Source) error {
	f := &x.state
	return s.Read(from, f.in, func(stored []domain.Row) {
		for i := range stored {
			r := &stored[i]
			if !x.view.Holds(r) || r.Time-f.in.From >= f.in.To-f.in.From {
				continue
			}
			x.add(uint32(r.Ord), bitsOf(f.round.any, r.Definition)|bitsOf(required, r.Definition))
		}
	})
}

// scanPool scans the small-brand pool: for any brand every row of it, for
// one brand in that one's.
func (x *performedScan) scanPool() {
	f, s := &x.state, x.view.Rest
	for _, r := range s.Runs {
		if r.Chunk.Max < f.in.From || r.Chunk.Min >= f.in.To {
			continue
		}
		if !x.running() {
			return
		}
		if len(f.general) > 0 {
			x.scanRun(r, nil)
		}
		for i := range f.round.brands {
			x.scanSmall(r, &f.round.brands[i])
		}
	}
	p := s.TailAt(x.view.Seq)
	for i := p.Skip(f.in.From); i < len(p.Rows); i++ {
		r := &p.Rows[i]
		if r.Time-f.in.From < f.in.To-f.in.From && !p.Deleted.Has(i) {
			x.add(r.Ord, f.bitsOf(r.Kind, x.view, f.round.of(p.Brands[i])))
		}
	}
}

// scanSmall scans one brand's rows in a chunk of the pool.
func (x *performedScan) scanSmall(r rows.Run, b *brandBits) {
	f, c := &x.state, r.Chunk
	for _, at := range c.Of(b.dense) {
		i := int(at)
		if c.Time[i]-f.in.From < f.in.To-f.in.From && !r.Deleted.Has(i) {
			x.add(c.Ord[i], bitsOf(b.required, x.view.Kinds[c.Dict[c.Kind[i]]].Definition))
		}
	}
}

// add notes the bits of a row of a member.
func (x *performedScan) add(ord uint32, bits uint64) {
	switch {
	case bits == 0:
	case x.state.found != nil:
		x.state.found[ord>>6] |= 1 << (ord & 63)
	default:
		if x.mask[ord] == 0 {
			x.touched = append(x.touched, ord)
		}
		x.mask[ord] |= bits
	}
}

// scanRun scans a chunk. The places of its rows are written down first,
// without a branch and without touching their members.
func (x *performedScan) scanRun(r rows.Run, required []requiredBits) {
	f, c := &x.state, r.Chunk
	if c.Max < f.in.From || c.Min >= f.in.To {
		return
	}
	some, every := false, true
	f.lut = bitset.Sized(f.lut, len(c.Dict))
	for code, k := range c.Dict {
		f.lut[code] = f.bitsOf(k, x.view, required)
		some, every = some || f.lut[code] != 0, every && f.lut[code] != 0
	}
	if !some {
		return
	}
	lo, hi := c.Cut(f.in.From, f.in.To)
	ords, kinds, alive := c.Ord[lo:hi], c.Kind[lo:hi], r.Deleted.Count() == 0
	if every && alive && f.found != nil {
		bitset.AddAll(f.found, ords)
		return
	}
	x.pos = bitset.Sized(x.pos, rows.MaxChunk+1)
	n := placesWith(x.pos, kinds, f.lut)
	if !alive {
		n = placesAlive(x.pos[:n], lo, r.Deleted)
	}
	if found := f.found; found != nil {
		for _, p := range x.pos[:n] {
			o := ords[p]
			found[o>>6] |= 1 << (o & 63)
		}
		return
	}
	mask, touched, lut := x.mask, x.touched, f.lut
	for _, p := range x.pos[:n] {
		o := ords[p]
		if mask[o] == 0 {
			touched = append(touched, o)
		}
		mask[o] |= lut[kinds[p]]
	}
	x.touched = touched
}

// placesWith are the rows of kinds that have a bit.
func placesWith(pos []uint16, kinds []uint16, lut []uint64) (n int) {
	for i, k := range kinds {
		pos[n] = uint16(i)
		n += bitset.Bit(lut[k] != 0)
	}
	return n
}

// placesAlive keeps of the places, counted from row lo on, those that are not deleted.
func placesAlive(pos []uint16, lo int, d *rows.Deletions) (n int) {
	for _, p := range pos {
		pos[n] = p
		n += bitset.Bit(!d.Has(lo + int(p)))
	}
	return n
}

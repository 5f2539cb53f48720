package brand

import (
	"cmp"
	"slices"

	"github.com/ovation-analytics/ovation/actors/domain"
)

// Column is a value of each member by ordinal, in pages; 0, unknown, where there is
// no page. It never changes.
type Column []*[columnPage]uint16

const columnPage = 1 << 12

// of is the value of a member.
func (c Column) of(o uint32) uint16 {
	if k := int(o / columnPage); k < len(c) && c[k] != nil {
		return c[k][o%columnPage]
	}
	return 0
}

// lands counts by the value of a column, members in the upper bits; zero between
// questions, but for met.
type lands struct {
	of  [1 << 16]uint64
	met []uint16
}

// A count of a shard's rows takes the lower bits, one of its members the others.
const (
	landMember  = 1 << 36
	landActions = landMember - 1
)

// Location counts actions and distinct members by the members' country and in all,
// over the question's range; the group is the country's code, 0 is unknown. The
// error is ErrCold, or that of the Source.
func (v *View) Location(x *Scratch, a *Ask) (*domain.Tally, error) {
	defer x.end()
	if err := x.begin(v, a, false); err != nil {
		return nil, err
	}
	rows, t := x.settle(), &domain.Tally{}
	if rows == 0 {
		return t, nil
	}
	if x.lands == nil {
		x.lands = &lands{}
	}
	if rows < landsByMemberFrom*x.words {
		x.landsByRow(a.Country)
	} else {
		x.landsByMember(a.Country)
	}
	l := x.lands
	if len(l.met) == 0 {
		return t, nil
	}
	t.Groups = make([]domain.GroupCount, len(l.met))
	for i, land := range l.met {
		n := domain.Count{Actions: l.of[land] & landActions, Members: l.of[land] / landMember}
		t.Groups[i] = domain.GroupCount{Group: uint32(land), Count: n}
		t.Total.Add(n) // a member has one country
		l.of[land] = 0
	}
	l.met = l.met[:0]
	slices.SortFunc(t.Groups, func(a, b domain.GroupCount) int { return cmp.Compare(a.Group, b.Group) })
	return t, nil
}

// landsByMemberFrom is the number of rows for 64 members from which it pays to
// count rows by member before looking at where members are.
const landsByMemberFrom = 32

// landsByRow looks up the country of each row's member.
func (x *Scratch) landsByRow(c Column) {
	x.all = grown(x.all, x.words)
	for i := range x.spans {
		if sp := &x.spans[i]; sp.drops {
			x.gather(sp, sp.lo, sp.hi)
		} else {
			x.lands.rows(x.all, c, sp.c.ord[sp.lo:sp.hi])
		}
	}
	x.lands.rows(x.all, c, x.ord)
	clear(x.all[:x.words])
}

// rows counts a row of each of the ordinals; all has the members met.
func (l *lands) rows(all []uint64, c Column, ords []uint32) {
	for _, o := range ords {
		land := c.of(o)
		n, w := &l.of[land], &all[o>>6]
		if *n == 0 {
			l.met = append(l.met, land)
		}
		*n += 1 + (^*w>>(o&63)&1)*landMember
		*w |= 1 << (o & 63)
	}
}

// landsByMember counts rows by member first.
func (x *Scratch) landsByMember(c Column) {
	x.did = grown(x.did, x.words*64)
	did := x.did[:x.words*64]
	for i := range x.spans {
		sp := &x.spans[i]
		ords := sp.c.ord[sp.lo:sp.hi]
		if sp.drops {
			x.didKept(did, ords, sp)
			continue
		}
		for _, o := range ords {
			did[o]++
		}
	}
	for _, o := range x.ord {
		did[o]++
	}
	l := x.lands
	for at := 0; at < len(did); at += columnPage {
		part, page := did[at:min(at+columnPage, len(did))], &nowhere
		if k := at / columnPage; k < len(c) && c[k] != nil {
			page = c[k]
		}
		l.page(page, part)
	}
}

// nowhere is a page of members of whom no country is known.
var nowhere [columnPage]uint16

// page counts what the members of a page did, and forgets it.
func (l *lands) page(page *[columnPage]uint16, did []uint32) {
	for i, n := range did {
		land := page[i&(columnPage-1)]
		at := &l.of[land]
		if *at == 0 && n > 0 {
			l.met = append(l.met, land)
		}
		*at += uint64(n) + uint64(bit(n > 0))*landMember
	}
	clear(did)
}

// didKept counts by member the rows of a span that are not dropped.
func (x *Scratch) didKept(did, ords []uint32, sp *span) {
	var kept [256]uint32
	for k, t := range x.table(sp) {
		kept[k] = uint32(bit(t != x.targets))
	}
	kinds := sp.c.kind[sp.lo:sp.hi]
	kinds = kinds[:len(ords)]
	for i, o := range ords {
		did[o] += kept[kinds[i]&255]
	}
}

package scan

import (
	"cmp"
	"slices"

	"github.com/ovation-analytics/ovation/actors/brand/bitset"
	"github.com/ovation-analytics/ovation/actors/brand/rows"
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

// values counts by the value of a column, members in the upper bits; zero between
// questions, but for distinct.
type values struct {
	of       [1 << 16]uint64
	distinct []uint16
}

// A count of a shard's rows takes the lower bits, one of its members the others.
const (
	oneMember   = 1 << 36
	actionsOnly = oneMember - 1
)

// demographics counts by a value of the members.
type demographics struct {
	*selection
	all     []uint64 // members; zero between questions
	values  *values
	actions []uint32 // by ordinal: rows; zero between questions
}

// byValue counts actions and distinct members by the members' value in Ask.Column,
// and in all, over the question's range: the groups are its values, 0 is unknown. The
// error is ErrCold, or that of the Source.
func (x *demographics) byValue(v *rows.View, a *Ask) (*domain.Tally, error) {
	return x.answer(v, a, (*values).groups)
}

// byAge counts by the column's days of birth: the groups are bands of the age at the end
// of the range.
func (x *demographics) byAge(v *rows.View, a *Ask) (*domain.Tally, error) {
	ages := domain.AgesAt(a.Plan.span)
	return x.answer(v, a, func(l *values) []domain.GroupCount { return l.bands(&ages) })
}

// answer counts by value; groups makes groups of the values met, and forgets them. A
// member has one value, so the members of groups add up.
func (x *demographics) answer(v *rows.View, a *Ask, groups func(*values) []domain.GroupCount) (*domain.Tally, error) {
	defer x.end()
	if err := x.begin(v, a, false); err != nil {
		return nil, err
	}
	size, t := x.settle(), &domain.Tally{}
	if size == 0 {
		return t, nil
	}
	if x.values == nil {
		x.values = &values{}
	}
	if size < byMemberFrom*x.words {
		x.valuesByRow(a.Column)
	} else {
		x.valuesByMember(a.Column)
	}
	if len(x.values.distinct) == 0 {
		return t, nil
	}
	t.Groups = groups(x.values)
	for i := range t.Groups {
		t.Total.Add(t.Groups[i].Count)
	}
	return t, nil
}

// take is the count of a value, which is forgotten.
func (l *values) take(value uint16) domain.Count {
	n := l.of[value]
	l.of[value] = 0
	return domain.Count{Actions: n & actionsOnly, Members: n / oneMember}
}

// groups are the values met, ascending.
func (l *values) groups() []domain.GroupCount {
	out := make([]domain.GroupCount, len(l.distinct))
	for i, value := range l.distinct {
		out[i] = domain.GroupCount{Group: uint32(value), Count: l.take(value)}
	}
	l.distinct = l.distinct[:0]
	slices.SortFunc(out, func(a, b domain.GroupCount) int { return cmp.Compare(a.Group, b.Group) })
	return out
}

// bands are the bands of the birth days met, ascending.
func (l *values) bands(ages *domain.Ages) []domain.GroupCount {
	var by [domain.UnknownAge + 1]domain.Count
	for _, born := range l.distinct {
		by[ages.Band(born)].Add(l.take(born))
	}
	l.distinct = l.distinct[:0]
	out := make([]domain.GroupCount, 0, len(by))
	for band, n := range by {
		if n.Actions > 0 {
			out = append(out, domain.GroupCount{Group: uint32(band), Count: n})
		}
	}
	return out
}

// byMemberFrom is the number of rows for 64 members from which it pays to count
// rows by member before looking at their values.
const byMemberFrom = 32

// valuesByRow looks up the value of each row's member.
func (x *demographics) valuesByRow(c Column) {
	x.all = bitset.Grown(x.all, x.words)
	for i := range x.spans {
		if !x.running() {
			break
		}
		if sp := &x.spans[i]; sp.drops {
			x.gather(sp, sp.lo, sp.hi)
		} else {
			x.values.rows(x.all, c, sp.c.Ord[sp.lo:sp.hi])
		}
	}
	x.values.rows(x.all, c, x.ord)
	clear(x.all[:x.words])
}

// rows counts a row of each of the ordinals; all has the members met.
func (l *values) rows(all []uint64, c Column, ords []uint32) {
	for _, o := range ords {
		value := c.of(o)
		n, w := &l.of[value], &all[o>>6]
		if *n == 0 {
			l.distinct = append(l.distinct, value)
		}
		*n += 1 + (^*w>>(o&63)&1)*oneMember
		*w |= 1 << (o & 63)
	}
}

// valuesByMember counts rows by member first.
func (x *demographics) valuesByMember(c Column) {
	x.actions = bitset.Grown(x.actions, x.words*64)
	actions := x.actions[:x.words*64]
	for i := range x.spans {
		if !x.running() {
			break
		}
		sp := &x.spans[i]
		ords := sp.c.Ord[sp.lo:sp.hi]
		if sp.drops {
			x.countKept(actions, ords, sp)
			continue
		}
		for _, o := range ords {
			actions[o]++
		}
	}
	for lo := 0; lo < len(x.ord) && x.running(); lo += stretch {
		for _, o := range x.ord[lo:min(lo+stretch, len(x.ord))] {
			actions[o]++
		}
	}
	for at := 0; at < len(actions); at += columnPage {
		part, page := actions[at:min(at+columnPage, len(actions))], &nowhere
		if k := at / columnPage; k < len(c) && c[k] != nil {
			page = c[k]
		}
		x.values.page(page, part)
	}
}

// nowhere is a page of unknown values.
var nowhere [columnPage]uint16

// page counts what the members of a page actions, and forgets it.
func (l *values) page(page *[columnPage]uint16, actions []uint32) {
	for i, n := range actions {
		value := page[i&(columnPage-1)]
		at := &l.of[value]
		if *at == 0 && n > 0 {
			l.distinct = append(l.distinct, value)
		}
		*at += uint64(n) + uint64(bitset.Bit(n > 0))*oneMember
	}
	clear(actions)
}

// countKept counts by member the rows of a span that are not dropped.
func (x *demographics) countKept(actions, ords []uint32, sp *span) {
	var kept [256]uint32
	for k, t := range x.table(sp) {
		kept[k] = uint32(bitset.Bit(t != x.targets))
	}
	kinds := sp.c.Kind[sp.lo:sp.hi]
	kinds = kinds[:len(ords)]
	for i, o := range ords {
		actions[o] += kept[kinds[i]&255]
	}
}

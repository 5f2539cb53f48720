package lists

import (
	"cmp"
	"maps"
	"math/bits"
	"slices"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/actors/view"
)

// Audience is the members of an account.
type Audience interface {
	// OnList reports that a member is on a segment's list, where performed says that it did enough for that.
	OnList(ord domain.Ordinal, segment domain.SegmentID, performed bool) bool
	// Listed is OnList of all members, as a bitset; so is performed.
	Listed(dst []uint64, segment domain.SegmentID, performed []uint64) []uint64
	ID(ord domain.Ordinal) domain.MemberID
}

// Source calls f with the rows of a brand that count in a range of time, each with the ordinal of the member whose it counts as;
// brand 0: of every brand. The rows are f's until it returns.
type Source func(brand domain.BrandID, in domain.Range, f func(*domain.Row)) error

// Lists are the followed lists of an account.
type Lists struct {
	audience  Audience
	byID      map[domain.SegmentID]*list
	counting  map[domain.DefinitionID][]*list
	touched   map[entry]cause // what may have changed since the last Decide
	decided   []domain.Membership
	published view.Lists // nil: to be made again
}

// list is a list with what is counted for it.
type list struct {
	of     domain.FollowedList
	from   domain.Second // the first second that counts
	counts []uint32      // rows that count, by ordinal
	inside []uint64      // bitset: who is on the list, as memberships have told
	last   uint64        // sequence of the last membership
}

// entry is a member beside a list.
type entry struct {
	ord     domain.Ordinal
	segment domain.SegmentID
}

// cause is the action that changed an entry; zero: none did.
type cause struct {
	seq uint64
	at  int64 // when it was recorded, in ms; 0: with the record that is applied
}

// New is without lists.
func New(a Audience) *Lists {
	return &Lists{
		audience: a, byID: map[domain.SegmentID]*list{}, counting: map[domain.DefinitionID][]*list{}, touched: map[entry]cause{},
	}
}

// Find is a followed list; nil: the list is not followed.
func (s *Lists) Find(id domain.SegmentID) *domain.FollowedList {
	if l := s.byID[id]; l != nil {
		of := l.of
		return &of
	}
	return nil
}

// All are the followed lists, by segment.
func (s *Lists) All() []domain.FollowedList {
	all := make([]domain.FollowedList, 0, len(s.byID))
	for _, id := range slices.Sorted(maps.Keys(s.byID)) {
		all = append(all, s.byID[id].of)
	}
	return all
}

// Follow begins a list, or changes its rule, while the clock, in ms, stands so. Of a list that begins nothing is decided: who is
// on it then has no membership.
func (s *Lists) Follow(of domain.FollowedList, clock int64, rows Source) error {
	old := s.byID[of.Segment]
	l := &list{of: of, from: of.Rule.From(clock), last: of.First()}
	if of.Rule.Rule {
		err := rows(of.Rule.Brand, domain.Range{From: l.from, To: 1<<32 - 1}, func(r *domain.Row) {
			if l.of.Rule.Counts(r.Definition, r.Brand) {
				l.add(r.Ord, 1)
			}
		})
		if err != nil {
			return err
		}
	}
	s.Drop(of.Segment)
	s.byID[of.Segment] = l
	for _, d := range of.Rule.Definitions {
		s.counting[d] = append(s.counting[d], l)
	}
	l.inside = s.audience.Listed(nil, of.Segment, l.performed())
	if old == nil {
		return nil
	}
	now := l.inside
	l.inside, l.last = old.inside, old.last
	for w := range max(len(now), len(l.inside)) {
		for differ := word(now, w) ^ word(l.inside, w); differ != 0; differ &= differ - 1 {
			s.touch(domain.Ordinal(w*64+bits.TrailingZeros64(differ)), l, cause{})
		}
	}
	return nil
}

// performed is the bitset of the members who did enough.
func (l *list) performed() []uint64 {
	if !l.of.Rule.Rule {
		return nil
	}
	set := make([]uint64, (len(l.counts)+63)/64)
	for ord, n := range l.counts {
		if n >= l.of.Rule.Threshold {
			set[ord/64] |= 1 << (ord % 64)
		}
	}
	return set
}

// word is a word of a bitset, which may be shorter.
func word(set []uint64, w int) uint64 {
	if w < len(set) {
		return set[w]
	}
	return 0
}

// Told notes how far the memberships of a list are stored.
func (s *Lists) Told(id domain.SegmentID, seq uint64) {
	if l := s.byID[id]; l != nil {
		l.last, s.published = max(l.last, seq), nil
	}
}

// Trim notes up to where memberships of a list are no longer kept.
func (s *Lists) Trim(id domain.SegmentID, gone uint64) {
	l := s.byID[id]
	l.of.Gone, s.published = gone, nil
}

// Drop ends a list: nothing is decided of it any more.
func (s *Lists) Drop(id domain.SegmentID) {
	s.published = nil
	l := s.byID[id]
	if l == nil {
		return
	}
	delete(s.byID, id)
	for _, d := range l.of.Rule.Definitions {
		s.counting[d] = slices.DeleteFunc(s.counting[d], func(o *list) bool { return o == l })
		if len(s.counting[d]) == 0 {
			delete(s.counting, d)
		}
	}
	maps.DeleteFunc(s.touched, func(e entry, _ cause) bool { return e.segment == id })
}

// Added notes a row that counts from now on, and when the action was recorded, in ms; 0: with the record that is applied.
func (s *Lists) Added(r *domain.Row, recorded int64) { s.row(r, 1, cause{r.Seq, recorded}) }

// Returned notes a row that counts from now on, and is of before.
func (s *Lists) Returned(r *domain.Row) { s.row(r, 1, cause{}) }

// Taken notes a row that counts no more.
func (s *Lists) Taken(r *domain.Row) { s.row(r, -1, cause{}) }

func (s *Lists) row(r *domain.Row, n int, by cause) {
	for _, l := range s.counting[r.Definition] {
		if !l.of.Rule.Counts(r.Definition, r.Brand) {
			continue
		}
		before, pending := s.touched[entry{r.Ord, l.of.Segment}]
		if r.Time < l.from && !pending {
			continue
		}
		// What an earlier action made of the member is decided before this one changes it, wherever a micro-batch ends. An action
		// that only takes the place of a later one is the cause, too.
		if before.seq != 0 && before != by {
			s.decide(entry{r.Ord, l.of.Segment}, before)
		}
		if r.Time >= l.from {
			l.add(r.Ord, n)
		}
		s.touch(r.Ord, l, by)
	}
}

// Bit notes a bit of a member that was set or cleared.
func (s *Lists) Bit(b *domain.Bit) {
	switch b.Attribute {
	case domain.AttrMember:
		for _, l := range s.byID {
			s.touch(b.Ord, l, cause{})
		}
	case domain.AttrOptIn, domain.AttrOptOut, domain.AttrListed:
		if kind, id := domain.OptOf(b.Value); kind == domain.OptSegment && s.byID[domain.SegmentID(id)] != nil {
			s.touch(b.Ord, s.byID[domain.SegmentID(id)], cause{})
		}
	}
}

// NewHour moves the periods of the rules to the full hour of the clock, in ms.
func (s *Lists) NewHour(clock int64, rows Source) error {
	for _, id := range slices.Sorted(maps.Keys(s.byID)) {
		l := s.byID[id]
		from, n := l.of.Rule.From(clock), -1
		moved := domain.Range{From: l.from, To: from}
		if from < l.from { // a month before the 29th, 30th and 31st of March is the 28th of February
			moved, n = domain.Range{From: from, To: l.from}, 1
		}
		l.from = from
		if moved.From == moved.To || !l.of.Rule.Rule {
			continue
		}
		err := rows(l.of.Rule.Brand, moved, func(r *domain.Row) {
			if l.of.Rule.Counts(r.Definition, r.Brand) {
				l.add(r.Ord, n)
				s.touch(r.Ord, l, cause{})
			}
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// Decide gives the memberships that follow from what was noted, until it is called again. Those that no action made get their
// sequences from next, and the clock, in ms.
func (s *Lists) Decide(next func() uint64, clock int64) []domain.Membership {
	for _, e := range slices.SortedFunc(maps.Keys(s.touched), func(a, b entry) int {
		return cmp.Or(cmp.Compare(a.ord, b.ord), cmp.Compare(a.segment, b.segment))
	}) {
		s.decide(e, s.touched[e])
	}
	all := s.decided
	for i := range all {
		m := &all[i]
		if m.Seq == 0 {
			m.Seq = next()
		}
		if m.At == 0 {
			m.At = clock
		}
	}
	s.decided = s.decided[:0]
	return all
}

// decide decides of a member and a list, and forgets the entry.
func (s *Lists) decide(e entry, by cause) {
	delete(s.touched, e)
	l := s.byID[e.segment]
	on := s.on(e.ord, l)
	if on == l.isInside(e.ord) {
		return
	}
	l.set(e.ord, on)
	s.decided = append(s.decided, domain.Membership{
		Seq: by.seq, Account: l.of.Account, Segment: e.segment, Member: s.audience.ID(e.ord), Entered: on, At: by.at,
	})
}

// touch notes that a member may have come onto a list, or left it.
func (s *Lists) touch(ord domain.Ordinal, l *list, by cause) {
	e := entry{ord, l.of.Segment}
	if before, is := s.touched[e]; is && by.seq == 0 {
		by = before
	}
	s.touched[e] = by
}

// on reports that a member is on a list now.
func (s *Lists) on(ord domain.Ordinal, l *list) bool {
	rule := &l.of.Rule
	return s.audience.OnList(ord, l.of.Segment, rule.Rule && int(ord) < len(l.counts) && l.counts[ord] >= rule.Threshold)
}

// Published are the lists as readers need them.
func (s *Lists) Published() view.Lists {
	if s.published == nil {
		s.published = view.Lists{}
		for id, l := range s.byID {
			s.published[id] = view.List{Version: l.of.Version, First: l.of.First(), Last: l.last}
		}
	}
	return s.published
}

// add changes how many rows of a member count.
func (l *list) add(ord domain.Ordinal, n int) {
	if missing := int(ord) + 1 - len(l.counts); missing > 0 {
		l.counts = append(l.counts, make([]uint32, missing)...)
	}
	l.counts[ord] += uint32(n)
}

func (l *list) isInside(ord domain.Ordinal) bool { return word(l.inside, int(ord/64))>>(ord%64)&1 != 0 }

func (l *list) set(ord domain.Ordinal, on bool) {
	w := int(ord) / 64
	if missing := w + 1 - len(l.inside); missing > 0 {
		l.inside = append(l.inside, make([]uint64, missing)...)
	}
	if l.inside[w] |= 1 << (ord % 64); !on {
		l.inside[w] &^= 1 << (ord % 64)
	}
}

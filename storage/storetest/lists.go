package storetest

import (
	"cmp"
	"maps"
	"slices"

	"github.com/ovation-analytics/ovation/actors/domain"
)

// ListName is the list of a segment.
type ListName struct {
	Account domain.AccountID
	Segment domain.SegmentID
}

// follow takes a list that is followed, or that no longer is.
func (m *Model) follow(l *domain.FollowedList, drop bool) {
	of := ListName{l.Account, l.Segment}
	if drop {
		delete(m.Followed, of)
		delete(m.Memberships, of)
		return
	}
	m.Followed[of] = l
	m.Memberships[of] = slices.DeleteFunc(m.Memberships[of], func(s domain.Membership) bool { return s.Seq <= l.Gone })
}

// Lists are the lists that are followed, by account and segment.
func (m *Model) Lists() []*domain.FollowedList {
	return slices.SortedFunc(maps.Values(m.Followed), func(a, b *domain.FollowedList) int {
		return cmp.Or(cmp.Compare(a.Account, b.Account), cmp.Compare(a.Segment, b.Segment))
	})
}

// anyList is one of a few lists, some beside each other and some at the ends of what names can be.
func (w *Generator) anyList() ListName {
	return ListName{
		domain.AccountID(1 + w.Rand.IntN(2)), []domain.SegmentID{0, 1, 255, 256, 1<<32 - 1}[w.Rand.IntN(5)],
	}
}

// lists makes some changes of one list, which are in one commit.
func (w *Generator) lists() {
	of := w.anyList()
	for range 1 + w.Rand.IntN(6) {
		l := domain.FollowedList{Account: of.Account, Segment: of.Segment}
		old := w.Model.Followed[of]
		switch k := w.Rand.IntN(60); {
		case old == nil:
			l.Version, l.Since = uint64(1+w.Rand.IntN(3)), w.State.Sequence
			w.add(domain.FollowedPut, &l)
		case k < 44:
			w.State.Sequence += uint64(1 + w.Rand.IntN(2)) // others are between them
			w.add(domain.MembershipPut, &domain.Membership{
				Seq: w.State.Sequence, Account: of.Account, Segment: of.Segment,
				Member: w.Model.Members[w.anyMember()].ID, Entered: w.Rand.IntN(2) == 0, At: w.State.Clock,
			})
		case k < 48:
			l = *old
			l.Version++
			l.Rule = domain.ListRule{
				Rule: true, Definitions: []domain.DefinitionID{100, domain.DefinitionID(101 + w.Rand.IntN(300))},
				Threshold: uint32(1 + w.Rand.IntN(3)), Period: domain.Period{Amount: uint16(w.Rand.IntN(5))},
			}
			w.add(domain.FollowedPut, &l)
		case k < 58:
			l = *old
			l.Gone = w.gone(of, old.Gone)
			w.add(domain.FollowedPut, &l)
		default:
			w.add(domain.FollowedDrop, &l)
		}
	}
}

// gone is up to where memberships of a list are no longer kept: up to one, or right before or after one.
func (w *Generator) gone(of ListName, before uint64) uint64 {
	all := w.Model.Memberships[of]
	switch {
	case len(all) == 0:
		return before
	case w.Rand.IntN(30) == 0: // the greatest sequence that can be asked for
		return 1<<64 - 1
	}
	at := all[w.Rand.IntN(min(len(all), 8))].Seq
	return max(at+uint64(w.Rand.IntN(3))-1, 1)
}

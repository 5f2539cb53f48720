package domain

import (
	"slices"
	"testing"
)

// The members of a slot are those of it among a member and those who are merged into it, the member
// first; one whose merge is under way is not among them.
func TestMember_InSlot(t *testing.T) {
	id := func(n uint64, slot Slot) MemberID { return MemberIDOf(n, slot) }
	inner := &Member{ID: id(3, 7)}
	m := &Member{ID: id(1, 7), Absorbed: []Absorbed{
		{Done: true, Record: &Member{ID: id(2, 9), Absorbed: []Absorbed{{Done: true, Record: inner}}}},
		{Record: &Member{ID: id(4, 7)}},
	}}
	if got := m.InSlot(7); !slices.Equal(got, []MemberID{id(1, 7), id(3, 7)}) {
		t.Errorf("%v", got)
	}
	if got := m.InSlot(9); !slices.Equal(got, []MemberID{id(2, 9)}) {
		t.Errorf("%v", got)
	}
	if got := m.InSlot(8); got != nil {
		t.Errorf("%v", got)
	}
}

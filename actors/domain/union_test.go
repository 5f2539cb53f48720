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

// VerifiedEmail of united members is the address that was verified last, whichever of them it is of; else
// each field is the survivor's, if it has a value.
func TestUnite_VerifiedLast(t *testing.T) {
	of := func(id MemberID, address, at string) *Member {
		r := ServiceRecord{ID: uint64(id), Fields: Fields{}.With(Fields{
			{Field: RecordVerifiedEmail, Value: address}, {Field: RecordVerifiedAt, Value: at},
		})}
		profile := Fields{{Field: FirstName, Value: "n"}, {Field: VerifiedEmail, Value: address}}
		return &Member{ID: id, Profile: Fields{}.With(profile), Services: []ServiceRecord{{ID: 9}, r}}
	}
	for _, c := range []struct{ first, second, third, want string }{
		{"9", "10", "8", "2@e"},
		{"10", "9", "8", "1@e"},
		{"9", "10", "11", "3@e"},
		{"9", "9", "9", "1@e"},
		{"9", "", "8", "1@e"},
		{"", "", "", "1@e"},
	} {
		second, first := of(2, "2@e", c.second), of(1, "1@e", c.first)
		second.Absorbed = []Absorbed{{Member: 3, Done: true, Record: of(3, "3@e", c.third)}}
		first.Absorbed = []Absorbed{{Member: 2, Done: true, Record: second}}
		var whole func(a *Absorbed) *Member
		whole = func(a *Absorbed) *Member { return Unite(a.Record, whole) }
		if got := Unite(first, whole).Profile.Get(VerifiedEmail); got != c.want {
			t.Errorf("%+v: %s", c, got)
		}
	}
	none := of(1, "", "")
	none.Absorbed = []Absorbed{{Member: 2, Done: true, Record: of(2, "", "")}}
	if u := Unite(none, func(a *Absorbed) *Member { return a.Record }); u.Profile.Get(VerifiedEmail) != "" {
		t.Errorf("%+v", u.Profile)
	}
}

package personal

import (
	"fmt"
	"log/slog"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/actors/keys/keystest"
)

// Those who are merged into a member, and into them, are opened each under its own key; where several
// have a value the survivor's is shown, then that of the first. What is stored stays as it is.
func TestSealer_Unites(t *testing.T) {
	s := NewSealer(new(keystest.Keys), 1<<20, slog.New(slog.DiscardHandler))
	sealed := func(id domain.MemberID, profile ...domain.FieldValue) *domain.Member {
		p := ada()
		p.Profile, p.Services[0].UID = profile, fmt.Sprint(id)
		p.Services[0].Identity[1] = byte(id)
		put, err := s.Put(t.Context(), 1, nil, p)
		if err != nil {
			t.Fatal(err)
		}
		m := stored(put)
		m.ID, m.Profile, m.Services[0].ID, m.Services[0].Identity = id, nil, uint64(id), p.Services[0].Identity
		return m
	}
	name := func(v string) domain.FieldValue { return domain.FieldValue{Field: domain.FirstName, Value: v} }
	bio := func(v string) domain.FieldValue { return domain.FieldValue{Field: domain.Bio, Value: v} }
	third := sealed(3, name("c"), bio("c"))
	second, fourth, fifth := sealed(2, bio("b")), sealed(4, domain.FieldValue{Field: domain.Address, Value: "d"}), sealed(5, name("e"))
	second.Absorbed = []domain.Absorbed{{Member: 3, Done: true, Record: third}}
	first := sealed(1, name("a"))
	first.Absorbed = []domain.Absorbed{
		{Member: 2, Done: true, Record: second}, {Member: 4, Done: true, Record: fourth}, {Member: 5, Record: fifth},
	}
	keys := map[domain.KeyID]bool{}
	for _, m := range []*domain.Member{first, second, third, fourth} {
		keys[m.Personal.Key] = true
	}
	out, err := s.unite(t.Context(), []*domain.Member{nil, first, third}, s.shown, false)
	if again, fault := s.unite(t.Context(), []*domain.Member{nil, first, third}, s.shown, false); fault != nil || !cmp.Equal(out, again) {
		t.Errorf("of the cache: %+v, %v", again, fault)
	}
	if err != nil || len(keys) != 4 {
		t.Fatal(err, keys)
	}
	u := out[1]
	if out[0] != nil || u.ID != 1 || u.Profile.Get(domain.FirstName) != "a" || u.Profile.Get(domain.Bio) != "b" || u.Profile.Get(domain.Address) != "d" {
		t.Errorf("%+v", u)
	}
	for i, id := range []domain.MemberID{1, 2, 3, 4} {
		if r := u.Services[i]; len(u.Services) != 4 || r.UID != fmt.Sprint(id) || u.Holder(r.ID) != id {
			t.Errorf("record %d is %+v of %d", i, r, u.Holder(r.ID))
		}
	}
	if out[2].Profile.Get(domain.FirstName) != "c" || len(first.Services) != 1 || len(first.Profile) != 0 {
		t.Errorf("%+v, stored %+v", out[2], first)
	}
	if u.Holder(5) != 0 || first.Holder(3) != 3 {
		t.Error("a record is of one who is not merged yet")
	}
}

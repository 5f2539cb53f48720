package member

import (
	"math/rand/v2"
	"testing"

	"github.com/ovation-analytics/ovation/actors/domain"
)

// TestI7_ColumnsAreThoseOfTheCommit lets members say over and over where, when and what
// they were born, some of it nothing: an index keeps what held at its commit.
func TestI7_ColumnsAreThoseOfTheCommit(t *testing.T) {
	const fans = 3 << pageBits / 2
	seed := rand.Uint64()
	r := rand.New(rand.NewPCG(seed, 8))
	a := NewAudience()
	type self struct{ land, born, gender uint16 }
	states, now := make([]*State, fans), make([]self, fans)
	for o := range domain.Ordinal(fans) {
		states[o] = New(&domain.RegisterMember{}, 1, domain.MemberIDOf(uint64(o)+1, 1), o)
		a.Add(domain.MemberIDOf(uint64(o)+1, 1))
	}
	one := func(words ...string) string { return words[r.IntN(len(words))] }
	born := map[string]uint16{"1900-01-01": 1, "1970-01-01": 25568, "2012-02-29": 40967}
	type moment struct {
		index *Index
		want  []self
	}
	var moments []moment
	for range 5 {
		for range fans {
			o := r.IntN(fans)
			gender, country, day := one("", "M", "F", "Other"), one("", "DE", "FR"), one("", "1900-01-01", "1970-01-01", "2012-02-29")
			given := domain.Fields{{Field: domain.Gender, Value: gender}, {Field: domain.Country, Value: country}}
			put := domain.PersonalPut{Sealed: domain.Sealed{Key: domain.KeyID{1}}, Born: born[day]}
			for _, c := range states[o].Register(nil, &domain.RegisterMember{Service: domain.Spotify, Given: given, Personal: put}, 1) {
				switch v := c.Value.(type) {
				case *domain.Column:
					a.PutColumn(v)
				case *domain.Bit:
					a.Put(v)
				}
			}
			now[o] = self{
				domain.CountryCode(country), born[day],
				map[string]uint16{"M": 1, "F": 2, "Other": 3}[gender],
			}
		}
		moments = append(moments, moment{a.Commit(), append([]self(nil), now...)})
	}
	at := func(c *Index, s domain.Shape, o int) uint16 {
		if p := c.Column(nil, s); o>>pageBits < len(p) && p[o>>pageBits] != nil {
			return p[o>>pageBits][o&(1<<pageBits-1)]
		}
		return 0
	}
	for k, m := range moments {
		for o, want := range m.want {
			got := self{at(m.index, domain.ShapeLocation, o), at(m.index, domain.ShapeAge, o), at(m.index, domain.ShapeGender, o)}
			if got != want {
				t.Fatalf("seed %d: commit %d, member %d: %+v, want %+v", seed, k, o, got, want)
			}
		}
	}
	if c := moments[0].index.Column(make([]*[1 << pageBits]uint16, 3), domain.ShapeTally); len(c) != 0 {
		t.Error("a tally counts by a column")
	}
}

// A bit that is cleared after another one was set takes nothing from that.
func TestColumn_GenderIsTheOneSetLast(t *testing.T) {
	a := NewAudience()
	for _, b := range []domain.Bit{{Value: "M", On: true}, {Value: "F", On: true}, {Value: "M"}} {
		b.Attribute = domain.AttrGender
		a.Put(&b)
	}
	if got := a.Commit().Column(nil, domain.ShapeGender)[0][0]; got != domain.GenderCode("F") {
		t.Errorf("gender %d", got)
	}
}

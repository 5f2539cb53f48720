package records

import (
	"errors"
	"testing"

	"github.com/cockroachdb/pebble/v2"
	"github.com/cockroachdb/pebble/v2/vfs"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/storage/format"
)

// placesStore is a store in memory with places of visits of account 1, and one of account 2.
func placesStore(t *testing.T, numbers ...uint32) Set {
	t.Helper()
	db, err := pebble.Open("", &pebble.Options{FS: vfs.NewMem()})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { db.Close() })
	put := func(account domain.AccountID, number uint32) {
		at := domain.VisitPlace{Domain: "a.example", Page: string(rune('a' + number))}
		k := format.AppendVisitPlaceKey(nil, 3, account, number)
		if err := db.Set(k, format.AppendVisitPlace(nil, at), nil); err != nil {
			t.Fatal(err)
		}
	}
	for _, n := range numbers {
		put(1, n)
	}
	put(2, 0)
	return New(db, 3)
}

// Places of an account count from 0 by one; a store in which one is missing is damaged.
func TestVisitPlaces_CountByOne(t *testing.T) {
	n := 0
	if err := placesStore(t, 0, 1, 2).VisitPlaces(func(domain.NumberedPlace) { n++ }); err != nil || n != 4 {
		t.Errorf("%d places: %v", n, err)
	}
	for _, numbers := range [][]uint32{{1}, {0, 2}} {
		if err := placesStore(t, numbers...).VisitPlaces(func(domain.NumberedPlace) {}); !errors.Is(err, format.ErrDamaged) {
			t.Errorf("places %v: %v", numbers, err)
		}
	}
}

// The fact of a visit has the texts of its place, be that in the open batch, stored, or read again after
// another; a place that is not there is an error.
func TestPlaces_HashHasTheTexts(t *testing.T) {
	const many = 200 // more than are remembered
	numbers := make([]uint32, many)
	for i := range numbers {
		numbers[i] = uint32(i)
	}
	p := placesStore(t, numbers...).Places()
	id := domain.MemberIDOf(1, 2)
	hash := func(account domain.AccountID, number uint32, want domain.VisitPlace) {
		t.Helper()
		a := &format.Action{Account: account, Hash: 7, Definition: domain.VisitDefinition(domain.Login, number)}
		got, err := p.Hash(a, id)
		if err != nil || got != format.HashVisit(a, id, want) {
			t.Errorf("place %d of account %d: %v", number, account, err)
		}
	}
	stored := func(number uint32) domain.VisitPlace {
		return domain.VisitPlace{Domain: "a.example", Page: string(rune('a' + number))}
	}
	for range 2 {
		for number := range uint32(many) {
			hash(1, number, stored(number))
			hash(2, 0, stored(0))
		}
	}
	fresh := domain.VisitPlace{Page: "fresh"}
	p.Put(&domain.NumberedPlace{Account: 2, Number: 1, VisitPlace: fresh})
	hash(2, 1, fresh)
	hash(1, 1, stored(1))
	if p.Stored(); len(p.staged) != 0 {
		t.Errorf("%d places are kept as of an open batch", len(p.staged))
	}
	a := &format.Action{Account: 2, Definition: domain.VisitDefinition(domain.Login, 1)}
	if _, err := p.Hash(a, id); err == nil {
		t.Error("a place that is not stored has a fact")
	}
}

package accounts

import (
	"testing"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/actors/view"
)

func TestAccounts_WhatChangesHasTheVersionOfTheComingCommit(t *testing.T) {
	const version = 7
	m := &domain.Member{ID: domain.MemberIDOf(3, 4), Account: 1}
	name := domain.IdentityHash{9, 8, 14: 7, 15: 6}
	bit := func(ord domain.Ordinal) domain.Change {
		return domain.Change{Kind: domain.BitPut, Value: &domain.Bit{Account: 1, Ord: ord, Attribute: domain.AttrPaid, On: true}}
	}
	column := domain.Change{Kind: domain.ColumnPut, Value: &domain.Column{Account: 1, Ord: 2, Attribute: domain.AttrCountry, Value: 1}}
	for _, c := range []struct {
		what         string
		change       domain.Change
		record, name bool
		removed      bool
		known, any   domain.Attribute // 0: none
	}{
		{what: "a member's record", change: domain.Change{Kind: domain.MemberPut, Value: m}, record: true},
		{what: "an identity held", change: domain.Change{Kind: domain.IdentityPut, Value: &domain.Identity{Hash: name}}, name: true},
		{what: "an identity released", change: domain.Change{Kind: domain.IdentityDrop, Value: &domain.Identity{Hash: name}}, name: true},
		{what: "a pointer", change: domain.Change{Kind: domain.PointerPut, Value: &domain.Pointer{Hash: name}}, name: true},
		{what: "a pointer taken away", change: domain.Change{Kind: domain.PointerDrop, Value: &domain.Pointer{Hash: name}}, name: true},
		{what: "a fact of one who may have rows", change: bit(2), known: domain.AttrPaid, any: domain.AttrPaid},
		{what: "a fact of one who is new", change: bit(3), any: domain.AttrPaid},
		{what: "a notice", change: domain.Change{Kind: domain.NoticePut, Value: &domain.Notice{Account: 1}}, removed: true},
		{what: "a column", change: column, known: domain.AttrCountry, any: domain.AttrCountry},
	} {
		s := New(Config{View: &view.Holder{}, Version: version, Stats: &Stats{}})
		a := s.Of(1)
		for i := range uint64(4) {
			a.Audience.Add(domain.MemberIDOf(i+1, 1))
		}
		a.rowless = 3
		if err := s.Apply(&c.change); err != nil {
			t.Fatal(err)
		}
		one := func(what string, x uint64, set bool) {
			t.Helper()
			if set && x != version || !set && x != 0 {
				t.Errorf("%s: the version of %s is %d", c.what, what, x)
			}
		}
		if fact := c.any != 0; fact && !s.Changed() {
			t.Errorf("%s: the account is not published", c.what)
		}
		one("the record", s.views.Versions.Record(m.ID), c.record)
		if a.versions.NoticedSince(version-1) != c.removed || a.versions.NoticedSince(version) || c.removed && !s.Changed() {
			t.Errorf("%s: notices since are %t", c.what, a.versions.NoticedSince(version-1))
		}
		one("the name", s.views.Versions.Name(name), c.name)
		for attribute := domain.AttrMember; attribute < 96; attribute++ {
			if attribute < 32 || attribute >= 64 {
				known, all := a.versions.Attribute(attribute)
				one("what is known", known, attribute == c.known)
				one("anything", all, attribute == c.any)
			}
		}
	}
}

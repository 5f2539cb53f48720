package actors

import (
	"fmt"
	"maps"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/ovation-analytics/ovation/actors/catalog"
	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/actors/replay"
)

// journalKinds are the kinds of records that a partition of the journal may have.
func journalKinds() (kinds []domain.Kind) {
	for k := domain.KindActivity; k <= domain.KindLend; k++ {
		kinds = append(kinds, k)
	}
	return kinds
}

// busyJournal has records of every kind in both partitions, as a node and its clients append them.
func busyJournal(t *testing.T) *harness {
	r := furnished(t, 2, 2, Options{})
	key := func(n byte) domain.PersonalPut {
		return domain.PersonalPut{Sealed: domain.Sealed{Key: domain.KeyID{7, n}, Data: "sealed"}}
	}
	var ids []domain.MemberID
	for n := range 16 {
		s := registration(identityOf(2*n), identityOf(2*n+1), fmt.Sprint(n))
		s.Command.(*domain.RegisterMember).Personal = key(byte(n))
		s.Command.(*domain.RegisterMember).Email = identityOf(100 + n)
		ids = append(ids, r.submit(s).Member)
	}
	request := byte(0)
	ask := func(account domain.AccountID, id domain.MemberID, c domain.Command) {
		request++
		_, err := r.repeated(domain.Submission{
			Account: account, Slot: id.Slot(), Command: c, Request: domain.RequestID{8, request}, BodyHash: 1,
		})
		r.must(err)
	}
	for n, id := range ids {
		r.publish(r.actOf(id, uint64(100+n)), r.onceOf(id, uint64(200+n)),
			domain.Activity{Identity: identityOf(2*n + 1), Definition: 100, Brand: 1, Time: 1_600_000_000, Hash: uint64(300 + n)},
			domain.Activity{Refusal: domain.BadJSON, Hash: uint64(400 + n)})
		opt := domain.Opt{Kind: domain.OptBrand, ID: 1}
		ask(1, id, &domain.OptIn{Member: id, Opt: opt, At: 1})
		ask(1, id, &domain.OptOut{Member: id, Opt: opt, At: 2})
		ask(1, id, &domain.LogIn{Member: id, Application: 1, Identity: identityOf(2 * n), Service: domain.LastFM, At: 3, Personal: key(byte(n))})
		ask(1, id, &domain.UpdateMember{Member: id, Personal: key(byte(n))})
		ask(1, id, &domain.RemoveService{Member: id, Record: 1, Personal: key(byte(n))})
		ask(1, id, &domain.ResetPassword{Member: id, Personal: key(byte(n))})
		ask(1, id, &domain.AttachService{Member: id, Register: domain.RegisterMember{
			Application: 1, Identity: identityOf(200 + n), Service: domain.Twitter, Personal: key(byte(100 + n)),
		}})
		ask(1, id, &domain.DeleteAction{Member: id, Action: domain.ActionIDOf(5, id.Slot())})
		r.node.Hit(1, domain.ApplicationID(n+1), r.node.o.Now(), true)
	}
	for n := 0; n+3 < len(ids); n += 4 {
		r.submit(domain.Submission{Account: 1, Slot: ids[n].Slot(), Command: &domain.MergeMembers{Member: ids[n], From: ids[n+1]}})
		r.submit(domain.Submission{Account: 1, Slot: ids[n+2].Slot(), Command: &domain.MergeMembers{Member: ids[n+2], From: ids[n+3]}})
		r.submit(domain.Submission{Account: 1, Slot: ids[n+2].Slot(), Command: &domain.UnmergeMember{Member: ids[n+2], From: ids[n+3]}})
	}
	for _, id := range []domain.MemberID{ids[3], ids[6], ids[7], ids[10], ids[11]} {
		r.submit(domain.Submission{Account: 1, Slot: id.Slot(), Command: &domain.EraseMember{Member: id, At: 4}})
	}
	r.node.usage.append(t.Context())
	for p := range 2 {
		r.append(p, domain.Record{Kind: domain.KindTick, Command: &domain.Tick{Hour: 1, Partition: uint32(p)}},
			domain.Record{Kind: domain.KindRules, Command: &domain.Rules{Version: domain.RulesVersion, Partition: uint32(p)}})
	}
	r.rested()
	return r
}

// rested waits until nothing more is appended.
func (r *harness) rested() {
	r.t.Helper()
	r.eventually("rest", func() bool {
		r.settled()
		for _, s := range r.node.running {
			st := r.stateOf(s.ID)
			if st.Published+st.DeadUpTo+st.KeysUpTo == 0 || max(st.Published, st.DeadUpTo, st.KeysUpTo) < st.Outbox {
				return false
			}
		}
		return true
	})
}

// A copy of a record in another partition of the journal is a foreign value there, of whatever kind it is:
// each replay passes over it alike. It changes nothing but the number of dead letters, and no data key is
// deleted by it.
func TestI6_RecordForAnotherPartitionIsForeign(t *testing.T) {
	r := busyJournal(t)
	copies, kinds := [2][]domain.Record{}, [2]map[domain.Kind]bool{{}, {}}
	r.journal.mu.Lock()
	for p, part := range r.journal.parts {
		for _, c := range part {
			copies[1-p] = append(copies[1-p], c)
			kinds[p][c.Kind] = true
		}
	}
	r.journal.mu.Unlock()
	for p := range copies {
		expire := domain.Record{Kind: domain.KindExpire, Command: &domain.Expire{Month: 1, Partition: uint32(1 - p)}}
		brand := domain.Record{Kind: domain.KindPutBrand, Account: 1, Command: &domain.PutBrand{Given: domain.BrandFields{"Name": "x", "Slug": "x"}}}
		copies[p] = append(copies[p], expire, brand)
		kinds[1-p][domain.KindExpire] = true
		if missing := slices.DeleteFunc(journalKinds(), func(k domain.Kind) bool { return kinds[1-p][k] }); len(missing) > 0 {
			t.Fatalf("partition %d has no records of the kinds %v: the test shows less than it says", 1-p, missing)
		}
	}
	before, usage := [2]domain.ShardState{r.stateOf(0), r.stateOf(1)}, r.usageOf(16)
	r.deleted.mu.Lock()
	deleted := maps.Clone(r.deleted.ids)
	r.deleted.mu.Unlock()
	check := func(when string, more uint64) {
		t.Helper()
		for p := range before {
			after := r.stateOf(p)
			if got := after.Dead[domain.Foreign]; got != more*uint64(len(copies[p])) {
				t.Errorf("%s: shard %d has %d dead letters of %d copies", when, p, got, len(copies[p]))
			}
			after.Dead[domain.Foreign] = 0
			if diff := cmp.Diff(before[p], after, cmpopts.IgnoreFields(domain.ShardState{},
				"Next", "Epoch", "Clock", "Outbox", "Published", "DeadUpTo", "KeysUpTo")); diff != "" {
				t.Errorf("%s: shard %d (-before +after)\n%s", when, p, diff)
			}
		}
		if diff := cmp.Diff(usage, r.usageOf(16)); diff != "" {
			t.Errorf("%s: usage (-before +after)\n%s", when, diff)
		}
		r.deleted.mu.Lock()
		defer r.deleted.mu.Unlock()
		for id := range r.deleted.ids {
			if _, was := deleted[id]; !was {
				t.Errorf("%s: the data key %v is deleted", when, id)
			}
		}
	}
	for p := range copies {
		r.append(p, copies[p]...)
	}
	r.settled()
	check("copied", 1)
	r.replaysEqual(t)
	for p := range copies {
		r.append(p, copies[p]...)
	}
	r.rebuild()
	r.settled()
	check("built anew", 2)
	r.replaysEqual(t)
}

// The clock of a shard is that of its own records: one that is not of its partition does not move it.
func TestI6_ForeignRecordMovesNoClock(t *testing.T) {
	const day = 24 * 3600 * 1000
	r := furnished(t, 2, 1, Options{})
	id := r.memberOf(0)
	r.settled()
	later := r.journal.now() + 30*day
	opt := &domain.OptIn{Member: id, Opt: domain.Opt{Kind: domain.OptBrand, ID: 1}, At: 1}
	end := r.journal.put(1, []domain.Record{
		{Kind: domain.KindOptIn, Account: 1, Time: later, Command: opt},
		{Kind: domain.KindTick, Time: later, Command: &domain.Tick{Hour: 1}},
	})
	r.eventually("end", func() bool { next, _ := r.node.Applied(1); return next >= end })
	a := r.replayTo(t, 1, replay.Options{}, end)
	if got := a.State(); got.Clock >= later || got.Dead[domain.Foreign] != 2 {
		t.Errorf("the clock is %d, %d foreign records", got.Clock-later, got.Dead[domain.Foreign])
	}
}

// A record that is set aside deletes no data key, whatever kind it is of: the key may be that of a living
// member. A dead letter names its place.
func TestSetAside_DeletesNoDataKey(t *testing.T) {
	r := furnished(t, 1, 1, Options{})
	home := identityOf(1)
	s := registration(home, identityOf(2), "u")
	put := domain.PersonalPut{Sealed: domain.Sealed{Key: domain.KeyID{5}, Data: "sealed"}}
	s.Command.(*domain.RegisterMember).Personal = put
	id := r.submit(s).Member
	again := *s.Command.(*domain.RegisterMember)
	of := func(base uint32) domain.PersonalPut { p := put; p.Base = base; return p }
	places := map[domain.Origin]bool{}
	for base := range uint32(2) {
		for _, c := range []domain.Command{
			&again,
			&domain.AttachService{Member: id, Register: again},
			&domain.LogIn{Member: id, Identity: home, Service: domain.LastFM, Personal: of(base)},
			&domain.UpdateMember{Member: id, Personal: of(base)},
			&domain.RemoveService{Member: id, Personal: of(base)},
			&domain.ResetPassword{Member: id, Personal: of(base)},
			&domain.EraseMember{Member: id, At: 1},
		} {
			r.settled()
			at := r.end(0) + 1
			place := catalog.RecordPlace{Topic: r.journal.id, Offset: at, Epoch: r.journal.epochOf(at)}
			r.must(r.node.setAside(place))
			r.eventually("record of the catalog", func() bool { return r.node.Catalog().SetsAside(place) })
			tick := domain.Record{Kind: domain.KindTick, Command: &domain.Tick{Hour: 1}}
			r.append(0, tick, domain.Record{Kind: c.Kind(), Account: 1, Request: domain.RequestID{3, byte(at)}, Command: c})
			places[domain.Origin{Topic: r.journal.id, Epoch: place.Epoch, Offset: at}] = true
		}
	}
	r.settled()
	r.deleted.mu.Lock()
	if len(r.deleted.ids) > 0 {
		t.Errorf("deleted keys %v", r.deleted.ids)
	}
	r.deleted.mu.Unlock()
	k, _, err := r.node.Member(t.Context(), 1, id, domain.Position{})
	if err != nil || k.State != domain.MemberActive || k.Personal.Key != (domain.KeyID{5}) {
		t.Errorf("the member is %+v", k)
	}
	r.letters.mu.Lock()
	for i := range r.letters.all {
		if l := &r.letters.all[i]; l.Reason == domain.Poison && l.Raw == "" {
			delete(places, l.Origin)
		}
	}
	r.letters.mu.Unlock()
	if len(places) > 0 {
		t.Errorf("no dead letters of %v", places)
	}
	r.replaysEqual(t)
}

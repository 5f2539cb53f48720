package catalog

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/ovation-analytics/ovation/actors/domain"
)

// clock is the time of the first record of a book.
const clock = 1_700_000_000_000

func (b *book) link(hash byte, l domain.CreateLink) domain.Outcome {
	l.Hash = domain.LinkHash{hash}
	if l.Expires == 0 {
		l.Expires = clock + domain.LinkLife
	}
	return b.do(0, 0, &l)
}

func (b *book) take(link, session byte, at int64) domain.Outcome {
	return b.do(0, 0, &domain.BeginSession{ID: domain.SessionID{session}, Link: domain.LinkHash{link}, At: at})
}

// A link is of an account that is there, and has the application given or that of the highest plan. An operator's needs none.
func TestSessions_LinkOfAnApplication(t *testing.T) {
	b, account := withAccount(t)
	b.do(0, 0, &domain.CreateApplication{AccountName: "label", Name: "shop", Plan: domain.Enterprise})
	b.do(0, 0, &domain.CreateApplication{AccountName: "label", Name: "late", Plan: domain.Enterprise})
	b.do(0, 0, &domain.CreateApplication{AccountName: "other", Name: "site"})
	for i, c := range []struct {
		link domain.CreateLink
		want domain.Outcome
	}{
		{domain.CreateLink{Role: domain.RoleAnalyst, Account: account}, domain.Outcome{ID: 2, Second: 1, New: true}},
		{domain.CreateLink{Role: domain.RoleEditor, Account: account, Application: 1}, domain.Outcome{ID: 1, Second: 1, New: true}},
		{domain.CreateLink{Role: domain.RoleOperator}, domain.Outcome{New: true}},
		{domain.CreateLink{Role: domain.RoleAnalyst}, domain.Outcome{Code: domain.NotFound, Parameter: "account", Message: "no such account"}},
		{domain.CreateLink{Role: domain.RoleAnalyst, Account: 9}, domain.Outcome{Code: domain.NotFound, Parameter: "account", Message: "no such account"}},
		{domain.CreateLink{Role: domain.RoleAnalyst, Account: account, Application: 4}, domain.Outcome{Code: domain.NotFound, Parameter: "application", Message: "no such application"}},
	} {
		if diff := cmp.Diff(c.want, b.link(byte(i+1), c.link)); diff != "" {
			t.Errorf("%d: %s", i, diff)
		}
	}
	if out := b.link(1, domain.CreateLink{Role: domain.RoleAnalyst, Account: account}); out.Code != domain.Conflict {
		t.Errorf("the same link again: %+v", out)
	}
}

// A link gives one session, within its time. A view that was published before does not change.
func TestSessions_LinkIsTakenOnce(t *testing.T) {
	b, account := withAccount(t)
	b.link(1, domain.CreateLink{Role: domain.RoleEditor, Account: account, Name: "Ada", At: clock})
	before := b.l.publish()
	if out := b.take(1, 7, clock+5); out.Code != domain.OK || !out.New || out.Second != uint32(account) {
		t.Fatalf("%+v", out)
	}
	for name, out := range map[string]domain.Outcome{
		"taken":   b.take(1, 8, clock+6),
		"unknown": b.take(2, 9, clock+6),
	} {
		if out.Code != domain.NotFound || out.Parameter != "token" {
			t.Errorf("%s: %+v", name, out)
		}
	}
	b.link(3, domain.CreateLink{Role: domain.RoleAnalyst, Account: account, Expires: clock + 10})
	if out := b.take(3, 10, clock+10); out.Code != domain.NotFound {
		t.Errorf("expired: %+v", out)
	}
	if out := b.take(3, 7, clock+9); out.Code != domain.Conflict {
		t.Errorf("a session that is there: %+v", out)
	}
	if out := b.take(3, 11, clock+9); out.Code != domain.OK {
		t.Errorf("in its last moment: %+v", out)
	}
	v := b.l.publish()
	got, _ := v.Session(domain.SessionID{7})
	want := &domain.Session{ID: domain.SessionID{7}, Role: domain.RoleEditor, Account: account, Application: 1, Name: "Ada", Begun: clock + 5, Renewed: clock + 5}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	if l, _ := before.Link(domain.LinkHash{1}); l.Taken != 0 || len(before.Sessions()) != 0 || len(v.Sessions()) != 2 {
		t.Error("a view that was published changed")
	}
	// A repeat of the request has the first outcome and takes nothing more.
	b.link(4, domain.CreateLink{Role: domain.RoleAnalyst, Account: account})
	c := &domain.BeginSession{ID: domain.SessionID{12}, Link: domain.LinkHash{4}, At: clock}
	if first, again := b.do(0, 4, c), b.do(0, 4, c); !cmp.Equal(first, again) || first.Code != domain.OK {
		t.Errorf("%+v, again %+v", first, again)
	}
}

// A session with a key has the account and application of the key. One with a key that is revoked does not begin.
func TestSessions_BeginWithAKey(t *testing.T) {
	b, account := withAccount(t)
	b.do(account, 0, &domain.CreateKey{Application: 1, Hash: domain.KeyHash{1}, Scope: domain.ScopeApplication})
	begin := func(id byte, key uint32) domain.Outcome {
		return b.do(0, 0, &domain.BeginSession{ID: domain.SessionID{id}, Key: key, At: 5})
	}
	if out := begin(1, 1); out.Code != domain.OK {
		t.Fatalf("%+v", out)
	}
	want := &domain.Session{ID: domain.SessionID{1}, Role: domain.RoleDeveloper, Account: account, Application: 1, Key: 1, Begun: 5, Renewed: 5}
	if got, _ := b.l.view.Session(domain.SessionID{1}); !cmp.Equal(got, want) {
		t.Error(cmp.Diff(want, got))
	}
	b.do(0, 0, &domain.RevokeKey{ID: 1, At: 6})
	for _, key := range []uint32{1, 2, 1 << 31} {
		if out := begin(2, key); out.Code != domain.InvalidKey {
			t.Errorf("key %d: %+v", key, out)
		}
	}
}

// A session that is renewed goes on; one that is ended, or idle for too long, is not renewed. All may be ended at once.
func TestSessions_RenewAndEnd(t *testing.T) {
	b, account := withAccount(t)
	for i := range byte(3) {
		b.link(i, domain.CreateLink{Role: domain.RoleAnalyst, Account: account})
		b.take(i, i+1, clock)
	}
	renew := func(id byte, at int64) domain.Code {
		return b.do(0, 0, &domain.RenewSession{ID: domain.SessionID{id}, At: at}).Code
	}
	end := func(id byte) domain.Outcome {
		return b.do(0, 0, &domain.EndSession{ID: domain.SessionID{id}, At: clock + 9})
	}
	if renew(1, clock+7) != domain.OK || renew(1, clock+3) != domain.OK {
		t.Error("not renewed")
	}
	if s, _ := b.l.view.Session(domain.SessionID{1}); s.Renewed != clock+7 || !s.Over(clock+7+domain.SessionIdle) || s.Over(clock+6+domain.SessionIdle) {
		t.Errorf("%+v", s)
	}
	if renew(2, clock+domain.SessionIdle) != domain.NotFound || renew(9, clock) != domain.NotFound {
		t.Error("an idle or unknown session is renewed")
	}
	if out := end(1); out.ID != 1 || end(1).ID != 0 || renew(1, clock+10) != domain.NotFound || end(9).Code != domain.NotFound {
		t.Errorf("%+v", out)
	}
	if out := end(0); out.ID != 2 {
		t.Errorf("all: %+v", out)
	}
	for _, s := range b.l.publish().Sessions() {
		if s.Ended != clock+9 {
			t.Errorf("%+v", s)
		}
	}
}

// An account has so many links that wait and so many sessions at most; what is taken or over makes room.
func TestSessions_Bounded(t *testing.T) {
	b, account := withAccount(t)
	number := func(n int) (id [16]byte) { return [16]byte{byte(n), byte(n >> 8), 1} }
	link := func(n int) domain.Code {
		h := domain.LinkHash{}
		id := number(n)
		copy(h[:], id[:])
		return b.do(0, 0, &domain.CreateLink{Hash: h, Role: domain.RoleAnalyst, Account: account, Expires: clock + 9, At: clock}).Code
	}
	take := func(n int, at int64) domain.Code {
		c := &domain.BeginSession{ID: number(n), At: at}
		id := number(n)
		copy(c.Link[:], id[:])
		return b.do(0, 0, c).Code
	}
	for i := range domain.MaxLinks {
		if code := link(i); code != domain.OK {
			t.Fatalf("link %d: %d", i, code)
		}
	}
	if link(domain.MaxLinks) != domain.PlanLimit {
		t.Error("one link more")
	}
	for i := range domain.MaxSessions {
		if code := take(i, clock); code != domain.OK {
			t.Fatalf("session %d: %d", i, code)
		}
	}
	last := domain.MaxLinks
	if link(last) != domain.OK || take(last, clock) != domain.PlanLimit {
		t.Error("one session more")
	}
	b.do(0, 0, &domain.EndSession{ID: number(3), At: clock})
	if take(last, clock) != domain.OK {
		t.Error("the link was lost with the refusal, or a session that ended makes no room")
	}
}

// Once a day what can no longer be used is forgotten, in the view and in the store. What is loaded is as before.
func TestSessions_ForgottenAndLoaded(t *testing.T) {
	seed := rand.Uint64()
	t.Log("seed", seed)
	rnd := rand.New(rand.NewPCG(seed, 2))
	b, account := withAccount(t)
	const day = 24 * 3600 * 1000
	for range 400 {
		at := clock + b.next
		n := byte(rnd.IntN(40))
		switch rnd.IntN(5) {
		case 0:
			b.do(0, 0, &domain.CreateLink{Hash: domain.LinkHash{n}, Role: domain.RoleAnalyst, Account: account, Expires: at + rnd.Int64N(9*day), At: at})
		case 1:
			b.do(0, 0, &domain.BeginSession{ID: domain.SessionID{n}, Link: domain.LinkHash{byte(rnd.IntN(40))}, At: at})
		case 2:
			b.do(0, 0, &domain.RenewSession{ID: domain.SessionID{n}, At: at})
		case 3:
			b.do(0, 0, &domain.EndSession{ID: domain.SessionID{n + 1}, At: at})
		default:
			b.next += rnd.Int64N(2 * day)
		}
		if rnd.IntN(3) == 0 {
			b.l.publish()
		}
	}
	v := b.l.publish()
	kept := map[string]any{} // as a store has them
	for _, e := range b.l.changed {
		switch e := e.(type) {
		case *domain.Link:
			kept[fmt.Sprint("l", e.Hash)] = e
		case *domain.Session:
			kept[fmt.Sprint("s", e.ID)] = e
		case domain.Forgotten:
			switch e := e.Entity.(type) {
			case *domain.Link:
				delete(kept, fmt.Sprint("l", e.Hash))
			case *domain.Session:
				delete(kept, fmt.Sprint("s", e.ID))
			}
		}
	}
	again := newLedger()
	for _, e := range kept {
		if err := again.load(e); err != nil {
			t.Fatal(err)
		}
	}
	loaded := again.publish()
	if diff := cmp.Diff(v.console.links, loaded.console.links); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff(v.Sessions(), loaded.Sessions()); diff != "" {
		t.Error(diff)
	}
	b.next += 50 * day
	b.do(0, 0, &domain.SetAside{})
	if v := b.l.publish(); len(v.console.links)+len(v.console.sessions) != 0 {
		t.Errorf("%d links, %d sessions are kept for ever", len(v.console.links), len(v.console.sessions))
	}
}

package catalog

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/ovation-analytics/ovation/actors/domain"
)

func (b *book) note(session byte, did string) domain.Outcome {
	return b.do(0, 0, &domain.NoteDeed{Session: domain.SessionID{session}, Did: did})
}

// A deed has who did it, though the session is forgotten later. Nobody who is not signed in has one.
func TestDeeds_AreOfWhoIsSignedIn(t *testing.T) {
	b, account := withAccount(t)
	b.link(1, domain.CreateLink{Role: domain.RoleEditor, Account: account, Name: "Ada", At: clock})
	b.take(1, 7, clock)
	b.link(2, domain.CreateLink{Role: domain.RoleOperator, Name: "Bo", At: clock})
	b.take(2, 8, clock)
	for _, did := range []string{"", strings.Repeat("x", domain.MaxDeedText+1)} {
		if out := b.note(7, did); out.Code != domain.InvalidParameter {
			t.Errorf("%d bytes: %+v", len(did), out)
		}
	}
	if out := b.note(9, "POST /x"); out.Code != domain.NotFound {
		t.Errorf("an unknown session: %+v", out)
	}
	before := b.l.publish()
	if out := b.note(7, "POST /v1.1/member/5/delete"); out.Code != domain.OK {
		t.Fatalf("%+v", out)
	}
	b.note(8, "POST /keys")
	b.do(0, 0, &domain.EndSession{ID: domain.SessionID{7}, At: clock + 1})
	if out := b.note(7, "POST /x"); out.Code != domain.NotFound {
		t.Errorf("a session that was ended: %+v", out)
	}
	v := b.l.publish()
	if n := len(before.Deeds()); n != 0 {
		t.Errorf("the view before has %d deeds", n)
	}
	all := v.Deeds()
	if len(all) != 2 || all[0].Offset <= all[1].Offset {
		t.Fatalf("%+v", all)
	}
	want := &domain.Deed{
		Offset: all[1].Offset, At: all[1].At, Session: domain.SessionID{7}, Role: domain.RoleEditor, Account: account, Application: 1, Name: "Ada",
		Did: "POST /v1.1/member/5/delete",
	}
	if diff := cmp.Diff([]*domain.Deed{want}, v.Deeds(account)); diff != "" {
		t.Error(diff)
	}
	if of := v.Deeds(0); len(of) != 1 || of[0].Name != "Bo" {
		t.Errorf("of operators without an account: %+v", of)
	}
}

// Of each account the last ones are kept, for their time; what is forgotten is deleted from the store, and a catalog that was
// loaded from there has the same.
func TestDeeds_AreBounded(t *testing.T) {
	seed := rand.Uint64()
	r := rand.New(rand.NewPCG(seed, 0))
	b, account := withAccount(t)
	b.link(1, domain.CreateLink{Role: domain.RoleEditor, Account: account, At: clock})
	b.take(1, 7, clock)
	b.link(2, domain.CreateLink{Role: domain.RoleOperator, At: clock})
	b.take(2, 8, clock)
	b.note(8, "POST /keys")
	stored := map[int64]*domain.Deed{}
	sync := func() {
		for _, e := range b.l.changed {
			switch e := e.(type) {
			case *domain.Deed:
				stored[e.Offset] = e
			case domain.Forgotten:
				if d, is := e.Entity.(*domain.Deed); is {
					delete(stored, d.Offset)
				}
			}
		}
		b.l.changed = nil
	}
	more := 1 + r.IntN(200)
	for i := range domain.MaxDeeds + more {
		b.note(7, fmt.Sprint("POST /", i))
		if r.IntN(50) == 0 {
			sync()
			b.l.publish()
		}
	}
	sync()
	list := b.l.publish().Deeds(account)
	if len(list) != domain.MaxDeeds || list[len(list)-1].Did != fmt.Sprint("POST /", more) {
		t.Fatalf("seed %d: %d deeds, the oldest %+v", seed, len(list), list[len(list)-1])
	}
	if len(stored) != domain.MaxDeeds+1 {
		t.Errorf("seed %d: %d are stored", seed, len(stored))
	}
	for _, d := range list {
		if stored[d.Offset] != d {
			t.Fatalf("seed %d: %+v is not stored", seed, d)
		}
	}
	b.next += domain.DeedLife // time goes with it
	b.do(0, 0, &domain.CreateApplication{AccountName: "late", Name: "site"})
	sync()
	if list := b.l.publish().Deeds(); len(list) != 0 || len(stored) != 0 {
		t.Errorf("seed %d: %d deeds and %d stored after their time", seed, len(list), len(stored))
	}
}

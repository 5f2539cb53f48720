package catalog

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/ovation-analytics/ovation/actors/domain"
)

// An allowlist has each domain once, ascending; a view that was published does not change, and a
// domain is listed as long as any application has it. Another account's application is not found.
func TestAllowlist_OfEachApplication(t *testing.T) {
	t.Parallel()
	b, account := withAccount(t)
	b.do(0, 0, &domain.CreateApplication{AccountName: "other", Name: "x"})
	allow := func(account domain.AccountID, app domain.ApplicationID, host string) domain.Outcome {
		return b.do(account, 0, &domain.AllowDomain{Application: app, Domain: host, At: 5})
	}
	unallow := func(app domain.ApplicationID, host string) domain.Outcome {
		return b.do(account, 0, &domain.UnallowDomain{Application: app, Domain: host, At: 6})
	}
	for _, host := range []string{"b.example", "a.example", "c.example", "a.example"} {
		if out := allow(account, 1, host); out.Code != domain.OK || out.ID != 1 {
			t.Fatalf("%+v", out)
		}
	}
	allow(2, 2, "a.example")
	before := b.l.publish()
	if a, _ := before.Application(1); !slices.Equal(a.Domains, []string{"a.example", "b.example", "c.example"}) {
		t.Errorf("%q", a.Domains)
	}
	if out := unallow(1, "a.example"); out.Code != domain.OK {
		t.Errorf("%+v", out)
	}
	unallow(1, "c.example")
	unallow(1, "nobody.example")
	after := b.l.publish()
	if a, _ := after.Application(1); !slices.Equal(a.Domains, []string{"b.example"}) {
		t.Errorf("%q", a.Domains)
	}
	if a, _ := before.Application(1); len(a.Domains) != 3 || !before.Listed("c.example") {
		t.Error("a view was changed after it was published")
	}
	for host, want := range map[string]bool{"a.example": true, "b.example": true, "c.example": false, "": false} {
		if after.Listed(host) != want {
			t.Errorf("%q is listed: %v", host, !want)
		}
	}
	for _, out := range []domain.Outcome{
		allow(account, 2, "d.example"), allow(account, 9, "d.example"),
		b.do(2, 0, &domain.UnallowDomain{Application: 1, Domain: "b.example"}),
	} {
		if out.Code != domain.NotFound || out.Parameter != "application" {
			t.Errorf("another account's application: %+v", out)
		}
	}
	if after.Changed(account) == before.Changed(account) {
		t.Error("a poll does not learn of the change")
	}
}

// An allowlist has a most.
func TestAllowlist_IsBounded(t *testing.T) {
	t.Parallel()
	b, account := withAccount(t)
	for i := range domain.MaxDomains {
		if out := b.do(account, 0, &domain.AllowDomain{Application: 1, Domain: fmt.Sprint("d", i)}); out.Code != domain.OK {
			t.Fatal(out)
		}
	}
	if out := b.do(account, 0, &domain.AllowDomain{Application: 1, Domain: "more"}); out.Code != domain.PlanLimit {
		t.Errorf("%+v", out)
	}
	if out := b.do(account, 0, &domain.AllowDomain{Application: 1, Domain: "d7"}); out.Code != domain.OK {
		t.Errorf("one that is there: %+v", out)
	}
}

// Addresses given overwrite, empty ones clear; others stay.
func TestApplication_Addresses(t *testing.T) {
	t.Parallel()
	b, account := withAccount(t)
	b.do(account, 0, &domain.AllowDomain{Application: 1, Domain: "a.example"})
	edit := func(given domain.Addresses) domain.Outcome {
		return b.do(0, 0, &domain.EditApplication{ID: 1, Given: given})
	}
	edit(domain.Addresses{"logout": "x", "widget": "y"})
	before := b.l.publish()
	if out := edit(domain.Addresses{"logout": "", "login:spotify": "z", "nothing": ""}); out.Code != domain.OK {
		t.Fatal(out)
	}
	a, _ := b.l.publish().Application(1)
	if d := cmp.Diff(domain.Addresses{"widget": "y", "login:spotify": "z"}, a.Addresses); d != "" || len(a.Domains) != 1 || a.Name != "site" {
		t.Errorf("%+v %s", a, d)
	}
	if old, _ := before.Application(1); len(old.Addresses) != 2 || old.Addresses["logout"] != "x" {
		t.Error("a view was changed after it was published")
	}
	if out := b.do(0, 0, &domain.EditApplication{ID: 9}); out.Code != domain.NotFound {
		t.Errorf("%+v", out)
	}
}

// Signing keys are in the order in which they begin to sign; a kid is of one key, and a repeat
// changes nothing. With End all that are there end.
func TestSigningKeys_InTheirOrder(t *testing.T) {
	t.Parallel()
	b := newBook()
	add := func(kid string, public byte, from, at int64, end bool) domain.Code {
		return b.do(0, 0, &domain.AddSigningKey{KID: kid, Public: [32]byte{public}, From: from, At: at, End: end}).Code
	}
	order := func() (kids string) {
		for _, k := range b.l.publish().SigningKeys() {
			if kids += k.KID; k.Ended != 0 {
				kids += "!"
			}
		}
		return kids
	}
	for i, c := range []struct {
		kid    string
		public byte
		from   int64
		end    bool
		code   domain.Code
		want   string
	}{
		{"b", 2, 20, false, domain.OK, "b"},
		{"a", 1, 10, false, domain.OK, "ab"},
		{"c", 3, 15, false, domain.OK, "acb"},
		{"a", 1, 99, false, domain.OK, "acb"},
		{"a", 9, 99, false, domain.Conflict, "acb"},
		{"a", 1, 99, true, domain.OK, "acb"},
		{"d", 4, 12, true, domain.OK, "a!dc!b!"},
		{"e", 5, 12, false, domain.OK, "a!dec!b!"},
		{"f", 6, 30, true, domain.OK, "a!d!e!c!b!f"},
	} {
		if code := add(c.kid, c.public, c.from, int64(100+i), c.end); code != c.code || order() != c.want {
			t.Errorf("%d: code %d, %s; want %d, %s", i, code, order(), c.code, c.want)
		}
	}
	k := b.l.publish().SigningKeys()[0]
	if d := cmp.Diff(&domain.SigningKey{KID: "a", Public: [32]byte{1}, From: 10, Created: 101, Ended: 106}, k); d != "" {
		t.Error(d)
	}
}

// Entities that were stored make the view that they were stored from, in whatever order they are
// read.
func TestApplications_LoadedAsStored(t *testing.T) {
	t.Parallel()
	seed := rand.Uint64()
	t.Log("seed", seed)
	rng := rand.New(rand.NewPCG(seed, 0))
	b, account := withAccount(t)
	b.do(0, 0, &domain.CreateApplication{AccountName: "label", Name: "shop"})
	for i := range 300 {
		app, host := domain.ApplicationID(1+rng.IntN(2)), fmt.Sprint("h", rng.IntN(9))
		switch rng.IntN(5) {
		case 0, 1:
			b.do(account, 0, &domain.AllowDomain{Application: app, Domain: host})
		case 2:
			b.do(account, 0, &domain.UnallowDomain{Application: app, Domain: host})
		case 3:
			b.do(0, 0, &domain.EditApplication{ID: app, Given: domain.Addresses{host: []string{"", "x"}[rng.IntN(2)]}})
		default:
			kid := fmt.Sprint("k", rng.IntN(30))
			b.do(0, 0, &domain.AddSigningKey{KID: kid, From: rng.Int64N(99), At: int64(i + 1), End: rng.IntN(9) == 0})
		}
	}
	want, again := b.l.publish(), newLedger()
	entities := map[string]any{} // as a store has them: the last of each key
	for _, e := range b.l.changed {
		switch e := e.(type) {
		case *domain.Application:
			entities[fmt.Sprint("a", e.ID)] = e
		case *domain.SigningKey:
			entities["k"+e.KID] = e
		}
	}
	for _, e := range entities { // in any order
		if err := again.load(e); err != nil {
			t.Fatal(err)
		}
	}
	got := again.publish()
	if d := cmp.Diff(want.SigningKeys(), got.SigningKeys()); d != "" {
		t.Error(d)
	}
	if d := cmp.Diff(want.Applications(), got.Applications()); d != "" {
		t.Error(d)
	}
	for i := range 9 {
		if host := fmt.Sprint("h", i); want.Listed(host) != got.Listed(host) {
			t.Errorf("%s is listed: %v, loaded: %v", host, want.Listed(host), got.Listed(host))
		}
	}
}

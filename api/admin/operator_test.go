package admin_test

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/api/admin"
	"github.com/ovation-analytics/ovation/api/admin/admintest"
)

// testTime is the time of every command, in ms since 1970.
const testTime = 1700000000123

// Only the hash and the beginning of a key leave the operator.
func TestOperator_HidesKeys(t *testing.T) {
	engine := &admintest.Catalog{}
	o := admin.OperatorAt(engine, testTime)
	_, app, err := o.CreateApplication(t.Context(), "a", "b", domain.Enterprise)
	if err != nil {
		t.Fatal(err)
	}
	seen := map[string]bool{}
	for range 100 {
		key, id, err := o.CreateKey(t.Context(), app, domain.ScopeGlobal)
		if err != nil {
			t.Fatal(err)
		}
		if !regexp.MustCompile(`^ov_[a-z2-7]{32}$`).MatchString(key) || seen[key] {
			t.Fatalf("key %q", key)
		}
		seen[key] = true
		k := engine.Keys()[id-1]
		if k.Hash != sha256.Sum256([]byte(key)) || k.Hint != key[:8] || k.Scope != domain.ScopeGlobal || k.Created != testTime {
			t.Fatalf("stored %+v", k)
		}
		if s := engine.Submitted()[len(engine.Submitted())-1]; strings.Contains(fmt.Sprintf("%+v %s", s, s.Command), key) {
			t.Fatal("the key is in the command")
		}
	}
}

// Every request has an id of its own.
func TestOperator_RequestIDs(t *testing.T) {
	engine := &admintest.Catalog{}
	o := admin.OperatorAt(engine, testTime)
	for _, name := range []string{"b", "c", "d"} {
		if _, _, err := o.CreateApplication(t.Context(), "a", name, domain.Standard); err != nil {
			t.Fatal(err)
		}
	}
	seen := map[domain.RequestID]bool{{}: true}
	for _, s := range engine.Submitted() {
		if seen[s.Request] {
			t.Errorf("request id %v again", s.Request)
		}
		seen[s.Request] = true
	}
	if len(engine.Accounts()) != 1 || len(engine.Applications()) != 3 {
		t.Errorf("%d accounts, %d applications", len(engine.Accounts()), len(engine.Applications()))
	}
}

// A chosen key is checked, and its hint is at most a quarter of it.
func TestOperator_ChosenKey(t *testing.T) {
	engine := &admintest.Catalog{}
	o := admin.OperatorAt(engine, testTime)
	if _, _, err := o.CreateApplication(t.Context(), "a", "b", domain.Standard); err != nil {
		t.Fatal(err)
	}
	for key, want := range map[string]string{"demo": "d", "k": "", "a-key-of-some-length": "a-key", strings.Repeat("x", 256): "xxxxxxxx"} {
		id, err := o.AddKey(t.Context(), 1, domain.ScopeApplication, key)
		if err != nil {
			t.Fatal(err)
		}
		if k := engine.Keys()[id-1]; k.Hint != want || k.Hash != sha256.Sum256([]byte(key)) {
			t.Errorf("%q: hint %q, want %q", key, k.Hint, want)
		}
	}
	for _, key := range []string{"", "a b", "a\n", "é", "\x7f", strings.Repeat("x", 257)} {
		if _, err := o.AddKey(t.Context(), 1, domain.ScopeApplication, key); domain.CodeOf(err) != domain.InvalidParameter {
			t.Errorf("%q: %v", key, err)
		}
	}
}

// A revoked key has its time; an unknown one is not found.
func TestOperator_RevokeKey(t *testing.T) {
	engine := &admintest.Catalog{}
	o := admin.OperatorAt(engine, testTime)
	if _, _, err := o.CreateApplication(t.Context(), "a", "b", domain.Standard); err != nil {
		t.Fatal(err)
	}
	_, id, err := o.CreateKey(t.Context(), 1, domain.ScopeApplication)
	if err != nil {
		t.Fatal(err)
	}
	if err := o.RevokeKey(t.Context(), id); err != nil || engine.Keys()[0].Revoked != testTime {
		t.Errorf("%v, revoked %d", err, engine.Keys()[0].Revoked)
	}
	if err := o.RevokeKey(t.Context(), 7); domain.CodeOf(err) != domain.NotFound {
		t.Errorf("unknown key: %v", err)
	}
}

// A key whose outcome is not known is not shown.
func TestOperator_UnknownOutcome(t *testing.T) {
	key, id, err := admin.NewOperator(&admintest.Catalog{Down: errDisk}, time.Now).CreateKey(t.Context(), 1, domain.ScopeApplication)
	if key != "" || id != 0 || !errors.Is(err, errDisk) {
		t.Errorf("%q, %d, %v", key, id, err)
	}
}

// A name that an application of the account has is refused.
func TestOperator_NameThatIsTaken(t *testing.T) {
	o := admin.NewOperator(&admintest.Catalog{}, time.Now)
	for i, name := range []string{"site", "shop", "site"} {
		_, _, err := o.CreateApplication(t.Context(), "label", name, domain.Standard)
		if (domain.CodeOf(err) == domain.Conflict) != (i == 2) {
			t.Errorf("%d: %v", i, err)
		}
	}
	if _, _, err := o.CreateApplication(t.Context(), "another", "site", domain.Standard); err != nil {
		t.Errorf("of another account: %v", err)
	}
}

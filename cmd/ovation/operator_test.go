package main

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/ovation-analytics/ovation/actors/domain"
)

func operatorOf(engine submitter) operator {
	return operator{engine: engine, now: func() time.Time { return time.UnixMilli(1700000000123) }}
}

func TestOnlyTheHashAndTheBeginningOfAKeyLeave(t *testing.T) {
	engine := &catalog{}
	o := operatorOf(engine)
	_, app, err := o.createApplication(t.Context(), "a", "b", domain.Enterprise)
	if err != nil {
		t.Fatal(err)
	}
	seen := map[string]bool{}
	for range 100 {
		key, id, err := o.createKey(t.Context(), app, domain.ScopeGlobal)
		if err != nil {
			t.Fatal(err)
		}
		if !regexp.MustCompile(`^ov_[a-z2-7]{32}$`).MatchString(key) || seen[key] {
			t.Fatalf("key %q", key)
		}
		seen[key] = true
		k := engine.keys[id-1]
		if k.Hash != sha256.Sum256([]byte(key)) || k.Hint != key[:8] || k.Scope != domain.ScopeGlobal || k.Created != 1700000000123 {
			t.Fatalf("stored %+v", k)
		}
		if s := engine.submitted[len(engine.submitted)-1]; strings.Contains(fmt.Sprintf("%+v %s", s, s.Command), key) {
			t.Fatal("the key is in the command")
		}
	}
}

func TestEveryRequestHasAnIdOfItsOwn(t *testing.T) {
	engine := &catalog{}
	o := operatorOf(engine)
	for _, name := range []string{"b", "c", "d"} {
		if _, _, err := o.createApplication(t.Context(), "a", name, domain.Standard); err != nil {
			t.Fatal(err)
		}
	}
	seen := map[domain.RequestID]bool{{}: true}
	for _, s := range engine.submitted {
		if seen[s.Request] {
			t.Errorf("request id %v again", s.Request)
		}
		seen[s.Request] = true
	}
	if len(engine.accounts) != 1 || len(engine.applications) != 3 {
		t.Errorf("%d accounts, %d applications", len(engine.accounts), len(engine.applications))
	}
}

func TestAChosenKeyIsCheckedAndNotGivenAwayByItsBeginning(t *testing.T) {
	engine := &catalog{}
	o := operatorOf(engine)
	if _, _, err := o.createApplication(t.Context(), "a", "b", domain.Standard); err != nil {
		t.Fatal(err)
	}
	for key, want := range map[string]string{"demo": "d", "k": "", "a-key-of-some-length": "a-key", strings.Repeat("x", 256): "xxxxxxxx"} {
		id, err := o.addKey(t.Context(), 1, domain.ScopeApplication, key)
		if err != nil {
			t.Fatal(err)
		}
		if k := engine.keys[id-1]; k.Hint != want || k.Hash != sha256.Sum256([]byte(key)) {
			t.Errorf("%q: hint %q, want %q", key, k.Hint, want)
		}
	}
	for _, key := range []string{"", "a b", "a\n", "é", "\x7f", strings.Repeat("x", 257)} {
		if _, err := o.addKey(t.Context(), 1, domain.ScopeApplication, key); domain.CodeOf(err) != domain.InvalidParameter {
			t.Errorf("%q: %v", key, err)
		}
	}
}

func TestARevokedKeyHasItsTime(t *testing.T) {
	engine := &catalog{}
	o := operatorOf(engine)
	if _, _, err := o.createApplication(t.Context(), "a", "b", domain.Standard); err != nil {
		t.Fatal(err)
	}
	_, id, err := o.createKey(t.Context(), 1, domain.ScopeApplication)
	if err != nil {
		t.Fatal(err)
	}
	if err := o.revokeKey(t.Context(), id); err != nil || engine.keys[0].Revoked != 1700000000123 {
		t.Errorf("%v, revoked %d", err, engine.keys[0].Revoked)
	}
	if err := o.revokeKey(t.Context(), 7); domain.CodeOf(err) != domain.NotFound {
		t.Errorf("unknown key: %v", err)
	}
}

func TestAKeyWhoseOutcomeIsNotKnownIsNotShown(t *testing.T) {
	key, id, err := operatorOf(&catalog{down: errDisk}).createKey(t.Context(), 1, domain.ScopeApplication)
	if key != "" || id != 0 || !errors.Is(err, errDisk) {
		t.Errorf("%q, %d, %v", key, id, err)
	}
}

// A name that an application of the account has is refused: nobody tells two of one name
// apart.
func TestCreateApplication_NameThatIsTaken(t *testing.T) {
	o := operatorOf(&catalog{})
	for i, name := range []string{"site", "shop", "site"} {
		_, _, err := o.createApplication(t.Context(), "label", name, domain.Standard)
		if (domain.CodeOf(err) == domain.Conflict) != (i == 2) {
			t.Errorf("%d: %v", i, err)
		}
	}
	if _, _, err := o.createApplication(t.Context(), "another", "site", domain.Standard); err != nil {
		t.Errorf("of another account: %v", err)
	}
}

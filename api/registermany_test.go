package api

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/crypto/bcrypt"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/api/personal"
	"github.com/ovation-analytics/ovation/api/wire"
)

// register sends registrations as lines with the advanced key.
func (h *fixture) register(lines []string, headers ...string) *httptest.ResponseRecorder {
	h.t.Helper()
	return h.post("/v1.1/members/register", strings.Join(lines, "\n"), append([]string{"Content-Type", "application/x-ndjson"}, headers...)...)
}

// spotify is a registration of a user.
func spotify(uid string) string {
	return fmt.Sprintf(`{"service":"spotify","uid":%q,"authtoken":"t"}`, uid)
}

// imported is a registration by email with a hash that was made elsewhere.
func imported(email, hash string) string {
	return fmt.Sprintf(`{"service":"email","email":%q,"password_hash":%q}`, email, hash)
}

func bcryptOf(t *testing.T, password string) string {
	t.Helper()
	b, err := bcrypt.GenerateFromPassword([]byte(password), bcrypt.MinCost)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// faults are codes and parameters that the items' messages name; 0: a member.
func faults(t *testing.T, out wire.RegisteredMany, want ...any) {
	t.Helper()
	for i := range out.Items {
		item, code, about := out.Items[i], want[2*i].(domain.Code), want[2*i+1].(string)
		got := domain.Code(0)
		message := ""
		if item.Error != nil {
			got, message = domain.Code(item.Error.Code), item.Error.Message
		}
		if got != code || !strings.Contains(message, about) || (item.ID != "") != (code == 0) || item.Index != i {
			t.Errorf("item %d: %+v %q, want code %d about %q", i, item, message, code, about)
		}
	}
	if len(out.Items) != len(want)/2 {
		t.Errorf("%d items, want %d", len(out.Items), len(want)/2)
	}
}

// A record that is wrong is an error of its own, and the others are registered. A hash stands in the
// place of a password, by email alone; no error quotes it.
func TestRegisterMany_EachByItself(t *testing.T) {
	t.Parallel()
	h := newFixture(t)
	hash := bcryptOf(t, "correct horse")
	w := h.register([]string{
		spotify("a"),
		imported("bob@example.com", hash),
		`{"service":"email","email":"eve@example.com"}`,
		`{"service":"email","email":"eve@example.com","password":"correct horse","password_hash":"` + hash + `"}`,
		`{"service":"spotify","uid":"b","authtoken":"t","password_hash":"` + hash + `"}`,
		imported("eve@example.com", "$2b$31$"+hash[7:]),
		imported("eve@example.com", "5f4dcc3b5aa765d61d8327deb882cf99"),
		`{"service":"spotify","uid":"c"}`,
		`{"service":"spotify","uid":"d","authtoken":"t","gender":"x"}`,
		`no JSON`,
	})
	out := answered[wire.RegisteredMany](h, w)
	faults(t, out,
		domain.Code(0), "", domain.Code(0), "", domain.MissingParameter, "password", domain.InvalidParameter, "password_hash",
		domain.InvalidParameter, "password_hash", domain.InvalidParameter, "password_hash", domain.InvalidParameter, "password_hash",
		domain.MissingParameter, "authtoken", domain.InvalidParameter, "gender", domain.InvalidParameter, "JSON object")
	if out.Accepted != 2 || out.Existing != 0 || out.Rejected != 8 || len(h.registrations()) != 2 {
		t.Errorf("%+v, %d commands", out, len(h.registrations()))
	}
	for _, text := range []string{w.Body.String(), h.log.String()} {
		if strings.Contains(text, hash[10:]) || strings.Contains(text, "5f4dcc3b5aa765d") {
			t.Error("a hash is in the answer or in the log")
		}
	}
}

// An imported hash is stored under the key of this installation; of bcrypt the hash itself is sealed
// with the service record. The same hash again is the same member's, another one is a conflict.
func TestRegisterMany_ImportedHashes(t *testing.T) {
	t.Parallel()
	h := newFixture(t)
	first, other := bcryptOf(t, "correct horse"), bcryptOf(t, "other horse")
	faults(t, answered[wire.RegisteredMany](h, h.register([]string{imported("Ada@Example.com", first)})), domain.Code(0), "")
	c := h.registrations()[0]
	sealed := h.personalOf(&c.Personal).Service(2, c.Identity).Fields.Get(domain.RecordImportedHash)
	if sealed != first || !strings.HasPrefix(c.Password, "$bcrypt$") || strings.Contains(c.Password, first[7:]) {
		t.Errorf("sealed is %q, stored %q", sealed, c.Password)
	}
	m := *h.engine.members[4097]
	m.Services = append([]domain.ServiceRecord{{
		ID: 6, Application: 2, Service: domain.Email, Identity: c.Identity, UID: "ada@example.com",
		Fields: domain.Fields{{Field: domain.RecordImportedHash, Value: first}},
	}}, m.Services...)
	m.Passwords = []domain.Password{{Address: c.Identity, Hash: c.Password}}
	h.engine.members[4097], h.engine.names[c.Identity] = &m, 4097
	faults(t, answered[wire.RegisteredMany](h, h.register([]string{
		imported("ada@example.com", first), imported("ada@example.com", other),
	})), domain.Code(0), "", domain.Conflict, "another password")
	again := h.registrations()[1:]
	if len(again) != 1 || again[0].Password != c.Password {
		t.Errorf("%d commands, or another password than the one that is stored", len(again))
	}
}

// Records are registered one after the other where they name one identity or member, and each until
// its member has not changed in between; one that never comes to rest is unavailable, by itself.
func TestRegisterMany_Rounds(t *testing.T) {
	t.Parallel()
	h := newFixture(t)
	tries := map[domain.IdentityHash]int{}
	identity := func(uid string) domain.IdentityHash {
		return testHasher{}.Identity(1, domain.ByService, "spotify", uid)
	}
	at := domain.Position{Journal: journalID, Shards: []domain.ShardOffset{{Shard: 3, Next: 99}}}
	h.engine.outcome = func(s domain.Submission) (domain.Outcome, error) {
		c := s.Command.(*domain.RegisterMember)
		tries[c.Identity]++
		if c.Identity == identity("never") || c.Identity == identity("second") && tries[c.Identity] == 1 {
			return domain.Outcome{Again: true, Position: at}, nil
		}
		return domain.Outcome{Member: 4097, New: tries[c.Identity] == 1, Position: at}, nil
	}
	out := answered[wire.RegisteredMany](h, h.register([]string{spotify("never"), spotify("a"), spotify("second"), spotify("a")}))
	faults(t, out, domain.Unavailable, "", domain.Code(0), "", domain.Code(0), "", domain.Code(0), "")
	want := map[domain.IdentityHash]int{identity("never"): personal.Attempts, identity("a"): 2, identity("second"): 2}
	if d := cmp.Diff(want, tries); d != "" {
		t.Error(d)
	}
	if out.Accepted != 1 || out.Existing != 2 || out.Rejected != 1 {
		t.Errorf("%+v", out)
	}
}

// Where nothing is known of any record the request is unavailable; where something is known of one,
// the others are unavailable by themselves.
func TestRegisterMany_Unavailable(t *testing.T) {
	t.Parallel()
	h := newFixture(t)
	lines := []string{spotify("a"), spotify("b")}
	fail := func(domain.Submission) error { return context.DeadlineExceeded }
	h.engine.outcome = func(s domain.Submission) (domain.Outcome, error) { return domain.Outcome{Member: 4097}, fail(s) }
	h.refused(h.register(lines), domain.Unavailable, "")
	fail = func(s domain.Submission) error {
		if s.Command.(*domain.RegisterMember).Identity == (testHasher{}).Identity(1, domain.ByService, "spotify", "a") {
			return context.DeadlineExceeded
		}
		return nil
	}
	faults(t, answered[wire.RegisteredMany](h, h.register(lines)), domain.Unavailable, "", domain.Code(0), "")
	h.engine.await = func(context.Context, domain.Position) error { return context.DeadlineExceeded }
	h.refused(h.register(lines), domain.Unavailable, "")
}

// Under an Idempotency-Key the first record is submitted alone: where the key is another request's
// nothing is registered. Outcomes that are all known are a replay.
func TestRegisterMany_IdempotencyKey(t *testing.T) {
	t.Parallel()
	h := newFixture(t)
	lines, key := []string{spotify("a"), spotify("b"), spotify("c")}, []string{"Idempotency-Key", "k"}
	h.engine.outcome = func(domain.Submission) (domain.Outcome, error) {
		return domain.Outcome{Code: domain.Conflict, Parameter: domain.KeyMisused.Parameter, Message: domain.KeyMisused.Message}, nil
	}
	h.refused(h.register(lines, key...), domain.Conflict, domain.KeyMisused.Parameter)
	if n := len(h.engine.submitted); n != 1 {
		t.Errorf("%d were submitted under another request's key", n)
	}
	h.engine.submitted = nil
	replayed := 2
	h.engine.outcome = func(domain.Submission) (domain.Outcome, error) {
		replayed--
		return domain.Outcome{Member: 4097, Replayed: replayed >= 0}, nil
	}
	for _, all := range []bool{false, true} {
		w := h.register(lines, key...)
		h.status(w, http.StatusOK)
		if got := w.Header().Get("Idempotent-Replayed"); got == "true" != all {
			t.Errorf("all replayed: %t, the answer is marked %q", all, got)
		}
		replayed = len(lines)
	}
	requests, bodies := map[domain.RequestID]int{}, map[uint64]bool{}
	for _, s := range h.engine.submitted {
		requests[s.Request]++
		bodies[s.BodyHash] = true
	}
	if len(requests) != len(lines) || len(bodies) != 1 {
		t.Errorf("%d requests of %d lines sent twice, %d hashes of one body", len(requests), len(lines), len(bodies))
	}
}

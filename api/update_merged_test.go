package api

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/api/wire"
)

const updateOfAda = "/v1.1/member/4097/update"

// united is a fixture whose member 8195, with an email record, a profile and a verified address, is merged
// into 4097.
func united(t *testing.T) *fixture {
	t.Helper()
	h := newFixture(t)
	h.change("email=bob@example.com&bio=plays&city=Rome&birthdate=24-12-1990&extended={\"tier\":\"gold\"}")
	h.status(h.do(http.MethodPost, keyed("/v1.1/member/8195/verify", keyEnterprise), "service=email&verified_email=v@example.com"), http.StatusOK)
	h.status(h.post(mergePath, bobs), http.StatusOK)
	h.remembering()
	h.engine.submitted = nil
	return h
}

// emails are the address of an envelope, the one verified, and those of its email records.
func emails(e *wire.Envelope) (out []string) {
	for _, s := range []*string{e.Data.Email, e.Data.VerifiedEmail} {
		if s == nil {
			s = new("-")
		}
		out = append(out, *s)
	}
	for i := range e.Services {
		if e.Services[i].Service == "email" {
			out = append(out, e.Services[i].UserID)
		}
	}
	return out
}

// Where a merged member alone has an email record, a new address of the survivor is the one that this
// record logs in with: it is claimed by its owner first. The merged member's own address was the one
// shown, and changes too; the verified one stays.
func TestUpdate_EmailOfAMergedMember(t *testing.T) {
	h := united(t)
	e := answered[wire.Envelope](h, h.post(updateOfAda, "email=New@Example.com"))
	equal(t, []string{"New@Example.com", "v@example.com", "new@example.com"}, emails(&e))
	first, second := h.updates()[0], h.updates()[1]
	equal(t, []domain.RecordUpdate{{ID: 8194, Login: addressOf("new@example.com")}}, first.Records)
	pointer := testHasher{}.Identity(1, domain.ByEmail, "New@Example.com")
	if first.Member != 8195 || second.Member != 4097 || len(second.Records) != 0 || first.Email != pointer || second.Email != pointer {
		t.Errorf("%+v %+v", first, second)
	}
	equal(t, domain.MemberID(8195), h.engine.names[addressOf("new@example.com")])
	h.refused(h.post(updateOfAda, "email="), domain.InvalidParameter, "email")
	h.status(h.post(unmergePath, "from=8195"), http.StatusOK)
	e = answered[wire.Envelope](h, h.get("/v1.1/member/8195"))
	equal(t, []string{"New@Example.com", "v@example.com", "new@example.com"}, emails(&e))
}

// Where both have an email record the survivor's own has the new address. The other one's stays, and so
// does that member's own address, which is not shown.
func TestUpdate_EmailOfBoth(t *testing.T) {
	h := united(t)
	m := *h.engine.members[4097]
	m.Services = append(slices.Clone(m.Services), domain.ServiceRecord{
		ID: 6, Application: 2, Service: domain.Email, UID: "ada@example.com", Identity: addressOf("ada@example.com"), Created: 1e12,
	})
	m.Profile = fields(domain.EmailAddress, "ada@example.com")
	h.engine.put(&m)
	e := answered[wire.Envelope](h, h.post(updateOfAda, "email=new@example.com"))
	equal(t, []string{"new@example.com", "v@example.com", "new@example.com", "bob@example.com"}, emails(&e))
	equal(t, 1, len(h.engine.submitted))
}

// An address that another member logs in with is error 7, and nothing has changed, neither of the survivor
// nor of those merged into it.
func TestUpdate_EmailTaken(t *testing.T) {
	for _, own := range []bool{false, true} {
		h := united(t)
		if own {
			m := *h.engine.members[4097]
			m.Services = append(slices.Clone(m.Services), domain.ServiceRecord{
				ID: 6, Application: 2, Service: domain.Email, UID: "ada@example.com", Identity: addressOf("ada@example.com"), Created: 1e12,
			})
			h.engine.put(&m)
		}
		h.engine.names[addressOf("new@example.com")] = 4101
		before := h.get("/v1.1/member/4097?extended=1").Body.String()
		h.refused(h.post(updateOfAda, `email=new@example.com&bio=&city=Bern&activity_sharing_enabled=0&extended={"x":1}`), domain.Conflict, "email")
		equal(t, before, h.get("/v1.1/member/4097?extended=1").Body.String())
	}
}

// What cannot be is refused before anything has changed.
func TestUpdate_RefusedOfMerged(t *testing.T) {
	h := united(t)
	long := strings.Repeat("x", 40<<10)
	h.status(h.post(updateOfAda, `extended={"one":"`+long+`"}`), http.StatusOK)
	n := len(h.engine.submitted)
	h.refused(h.post(updateOfAda, `bio=&activity_sharing_enabled=0&extended={"two":"`+long+`"}`), domain.InvalidParameter, "extended")
	h.refused(h.post(updateOfAda, "bio=&service=tumblr&activity_sharing_enabled=0"), domain.NotFound, "service")
	h.refused(h.post(updateOfAda, "bio=&email="), domain.InvalidParameter, "email")
	equal(t, n, len(h.engine.submitted))
}

// A field that a merged member alone has is overwritten by a value of the survivor, and is null once it is
// cleared, whoever had it.
func TestUpdate_ClearsOfMerged(t *testing.T) {
	h := united(t)
	e := answered[wire.Envelope](h, h.post(updateOfAda, "city=Bern"))
	if *e.Data.City != "Bern" || *e.Data.Bio != "plays" {
		t.Errorf("%+v", e.Data)
	}
	equal(t, 1, len(h.commands()))
	e = answered[wire.Envelope](h, h.post(updateOfAda, "city=&bio=&birthdate=&surname=&firstname=Eda"))
	if e.Data.City != nil || e.Data.Bio != nil || e.Data.Surname != nil || *e.Data.FirstName != "Eda" {
		t.Errorf("%+v", e.Data)
	}
	equal(t, 2, len(h.commands()))
	if p := h.engine.members[8195].Personal; p.Born != 0 {
		t.Errorf("%+v", p)
	}
	h.status(h.post(unmergePath, "from=8195"), http.StatusOK)
	if e = answered[wire.Envelope](h, h.get("/v1.1/member/8195")); *e.Data.Email != "bob@example.com" || e.Data.City != nil {
		t.Errorf("%+v", e.Data)
	}
}

// A merge patch is of the Extended node that is shown, also where it is a merged member's; a node of which
// nothing is left is not shown again.
func TestUpdate_ExtendedOfMerged(t *testing.T) {
	h := united(t)
	const path = "/v1.1/member/4097?extended=1"
	show := func() string {
		t.Helper()
		body := h.get(path).Body.String()
		return fmt.Sprint(strings.Contains(body, `"tier":"gold"`), strings.Contains(body, `"x":1`))
	}
	equal(t, "true false", show())
	h.status(h.post(updateOfAda, `extended={"x":1}`), http.StatusOK)
	equal(t, "true true", show())
	h.status(h.post(updateOfAda, `extended={"tier":null}`), http.StatusOK)
	equal(t, "false true", show())
	h.status(h.post(updateOfAda, `extended={"x":null}`), http.StatusOK)
	equal(t, "false false", show())
	h = united(t)
	h.status(h.post(updateOfAda, "extended="), http.StatusOK)
	equal(t, "false false", show())
}

// Wherever an update of both is interrupted, a repeat with the same Idempotency-Key does the rest, and
// changes each of them once.
func TestUpdate_InterruptedOfMerged(t *testing.T) {
	for at := range 6 {
		h := united(t)
		versions := func() [2]uint32 {
			return [2]uint32{h.engine.members[4097].Personal.Version, h.engine.members[8195].Personal.Version}
		}
		before := versions()
		const params = "email=new@example.com&bio=&firstname=Eda&activity_sharing_enabled=0"
		restore := h.interrupted(1+at/2, at%2 == 1)
		w := h.post(updateOfAda, params, "Idempotency-Key", "u")
		if whole := at >= 4; (w.Code == http.StatusOK) != whole {
			t.Errorf("interrupted at %d: %d", at, w.Code)
		}
		restore()
		for range 2 {
			e := answered[wire.Envelope](h, h.post(updateOfAda, params, "Idempotency-Key", "u"))
			equal(t, []string{"new@example.com", "v@example.com", "new@example.com"}, emails(&e))
			if e.Data.Bio != nil || *e.Data.FirstName != "Eda" || e.Services[2].ActivitySharing != "0" {
				t.Errorf("%+v", e)
			}
		}
		equal(t, [2]uint32{before[0] + 1, before[1] + 1}, versions())
	}
}

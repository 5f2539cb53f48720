package api

import (
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/api/wire"
)

const updateOfBob = "/v1.1/member/8195/update"

// change sends an update with the enterprise key, which is taken, and gives its command.
func (h *fixture) change(body string) *domain.UpdateMember {
	h.t.Helper()
	h.status(h.do("POST", keyed(updateOfBob, keyEnterprise), body), http.StatusOK, body)
	return h.updates()[len(h.updates())-1]
}

// cannot sends an update with the enterprise key, which is refused and submits nothing.
func (h *fixture) cannot(body string, code domain.Code, parameter string) {
	h.t.Helper()
	before := len(h.engine.submitted)
	h.refused(h.do("POST", keyed(updateOfBob, keyEnterprise), body), code, parameter)
	equal(h.t, before, len(h.engine.submitted), "submitted", body)
}

// A new address of a member is the one that its email record logs in with from then on, in any case
// of its letters. It cannot be cleared while a record needs it; where none does it can.
func TestUpdate_Email(t *testing.T) {
	h := newFixture(t)
	u := h.change("email=+New@Example.com")
	equal(t, testHasher{}.Identity(1, domain.ByEmail, "New@Example.com"), u.Email)
	equal(t, []domain.RecordUpdate{{ID: 8194, Login: addressOf("new@example.com")}}, u.Records)
	p := h.personalOf(&u.Personal)
	equal(t, "New@Example.com", p.Profile.Get(domain.EmailAddress))
	if s := p.Service(3, addressOf("new@example.com")); s == nil || s.UID != "new@example.com" || p.Service(3, addressOf("bob@example.com")) != nil {
		t.Errorf("%+v", p.Services)
	}
	h.cannot("email=", domain.InvalidParameter, "email")
	h.cannot("email=nobody", domain.InvalidParameter, "email")
	u = h.change("bio=x")
	equal(t, 0, len(u.Records), "records of an update without an address")
	h.status(h.post("/v1.1/member/4097/update", "email="), http.StatusOK)
	if u = h.updates()[len(h.updates())-1]; !u.Email.IsZero() || len(u.Records) != 0 {
		t.Errorf("%+v", u)
	}
}

// Of several email records the one with the member's address changes, with what else the update says
// of it, and an address that it has already changes nothing.
func TestUpdate_EmailOfSeveral(t *testing.T) {
	h := newFixture(t)
	m := *h.engine.members[8195]
	eve := domain.ServiceRecord{
		ID: 8196, Application: 3, Service: domain.Email, UID: "eve@example.com", Identity: addressOf("eve@example.com"), Created: 1e12,
	}
	m.Services = append(slices.Clone(m.Services), eve)
	m.Profile = m.Profile.With(domain.Fields{{Field: domain.EmailAddress, Value: "Eve@example.com"}})
	h.engine.members[8195] = &m
	off := domain.Fields{{Field: domain.RecordSharing, Value: "0"}}
	u := h.change("email=new@example.com&service=email&activity_sharing_enabled=0")
	equal(t, []domain.RecordUpdate{{ID: 8194, Given: off}, {ID: 8196, Given: off, Login: addressOf("new@example.com")}}, u.Records)
	h.engine.members[8195] = &m
	equal(t, 0, len(h.change("email=EVE@example.com").Records), "the address that it has")
}

// Sharing is turned off for the records of the service, or for all; a service without one, and two
// regions, are refused.
func TestUpdate_SharingAndRefusals(t *testing.T) {
	h := newFixture(t)
	off, on := domain.Fields{{Field: domain.RecordSharing, Value: "0"}}, domain.Fields{{Field: domain.RecordSharing, Value: "1"}}
	equal(t, []domain.RecordUpdate{{ID: 8193, Given: off}}, h.change("service=spotify&activity_sharing_enabled=0").Records)
	equal(t, []domain.RecordUpdate{{ID: 8193, Given: on}, {ID: 8194, Given: on}}, h.change("activity_sharing_enabled=1").Records)
	h.cannot("service=deezer&activity_sharing_enabled=0", domain.NotFound, "service")
	h.cannot("region=Berlin&state=Bayern", domain.InvalidParameter, "state")
	equal(t, fields(domain.Region, "Berlin"), h.change("region=Berlin&state=Berlin").Given)
	equal(t, fields(domain.Region, "Bayern"), h.change("state=Bayern").Given)
	h.cannot("birthdate=16-03-2026", domain.InvalidParameter, "birthdate")
}

// A merge patch changes the node, null removes from it, and nothing left clears it; what would be a
// derived field, no object or too long is refused, and the node stays.
func TestUpdate_Extended(t *testing.T) {
	h := newFixture(t)
	node := func(u *domain.UpdateMember) string { return h.personalOf(&u.Personal).Profile.Get(domain.Extended) }
	patch := func(s string) string { return "extended=" + s }
	equal(t, `{"a":{"x":1,"y":"<b>"},"tier":"gold"}`, node(h.change(patch(`{"tier":"gold","a":{"y":"<b>","x":1}}`))))
	equal(t, `{"a":{"x":2,"y":"<b>"},"n":9007199254740993}`, node(h.change(patch(`{"tier":null,"a":{"x":2},"n":9007199254740993}`))))
	long := strings.Repeat("x", 40<<10)
	for _, bad := range []string{`[]`, `null`, `"x"`, `{`, `{"AEID":1}`, `{"a":"` + strings.Repeat("x", 64<<10) + `"}`} {
		h.cannot(patch(bad), domain.InvalidParameter, "extended")
	}
	equal(t, true, len(node(h.change(patch(`{"one":"`+long+`"}`)))) > len(long))
	h.cannot(patch(`{"two":"`+long+`"}`), domain.InvalidParameter, "extended")
	equal(t, `{"tier":1}`, node(h.change(patch(`{"one":null,"a":null,"n":null,"tier":1}`))))
	equal(t, "", node(h.change(patch(`{"tier":null}`))))
	e := answered[wire.Envelope](h, h.do("POST", keyed(updateOfBob, keyEnterprise), patch(`{"tier":"gold"}`)))
	if e.Data.ID != 8195 {
		t.Errorf("%+v", e.Data)
	}
	equal(t, "", node(h.change("extended=")))
}

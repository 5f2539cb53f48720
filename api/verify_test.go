package api

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/api/wire"
)

const (
	verifyPath = "/v1.1/member/4097/verify"
	verifyX    = "service=spotify&verified_email=x@example.com"
)

var verifiedX = testHasher{}.Identity(1, domain.ByVerifiedEmail, "x@example.com")

// verifying is a fixture in which a member has an address verified, which remembers requests.
func verifying(t *testing.T, holder domain.MemberID) *fixture {
	t.Helper()
	h := newFixture(t)
	h.engine.names[verifiedX] = holder
	h.remembering()
	return h
}

// marked is what an envelope shows of verified addresses: the member's, and by record.
func marked(e *wire.Envelope) string {
	text := func(s *string) string {
		if s == nil {
			return "-"
		}
		return *s
	}
	var out strings.Builder
	out.WriteString(text(e.Data.VerifiedEmail))
	for i := range e.Services {
		fmt.Fprintf(&out, " %s:%s", e.Services[i].ID, text(e.Services[i].VerifiedEmail))
	}
	return out.String()
}

// markedNow is what a member shows of verified addresses.
func (h *fixture) markedNow(id domain.MemberID) string {
	h.t.Helper()
	e := answered[wire.Envelope](h, h.get(fmt.Sprintf("/v1.1/member/%d", id)))
	return marked(&e)
}

// An address that no other member has verified is marked on the record and of the member, with the claim.
func TestVerify_Marks(t *testing.T) {
	h := newFixture(t)
	e := answered[wire.Envelope](h, h.post(verifyPath, verifyX))
	equal(t, "x@example.com 5:x@example.com", marked(&e))
	equal(t, "x@example.com 5:x@example.com", h.markedNow(4097))
	equal(t, []domain.RecordUpdate{{ID: 5, Verified: verifiedX}}, h.updates()[0].Records)
	equal(t, 1, len(h.engine.submitted))
}

// Where another member has the address verified, the record is marked without the claim, and the two are
// merged: the one who registered first survives, whichever of the two is named. The mark is in the answer
// and afterwards; it stays with its record when the merge is taken back.
func TestVerify_MergesWithTheHolder(t *testing.T) {
	for _, c := range []struct{ earlier, survivor, other domain.MemberID }{
		{8195, 8195, 4097}, {4097, 4097, 8195}, {0, 4097, 8195},
	} {
		h := verifying(t, 8195)
		if m := h.engine.members[c.earlier]; m != nil {
			m.Created--
		}
		e := answered[wire.Envelope](h, h.post(verifyPath, verifyX))
		const want = "x@example.com 5:x@example.com 8193:- 8194:-"
		if e.Data.ID != uint64(c.survivor) || marked(&e) != want || h.markedNow(c.survivor) != want {
			t.Errorf("%+v: %s: %+v", c, marked(&e), e)
		}
		updates, n := h.updates(), len(h.engine.submitted)
		equal(t, []domain.RecordUpdate{{ID: 5, NoClaim: true}}, updates[len(updates)-1].Records)
		merge, ok := h.engine.submitted[n-1].Command.(*domain.MergeMembers)
		if !ok || n != 3 || merge.Member != c.survivor || merge.From != c.other {
			t.Errorf("%+v", h.engine.submitted)
		}
		h.status(h.post(fmt.Sprintf("/v1.1/member/%d/unmerge", c.survivor), fmt.Sprint("from=", c.other)), http.StatusOK)
		equal(t, "x@example.com 5:x@example.com", h.markedNow(4097))
		equal(t, "- 8193:- 8194:-", h.markedNow(8195))
	}
}

// Where the holder is merged into the member already, or is the member, the record of another of them is
// marked without the claim, and nothing is merged.
func TestVerify_HolderWithin(t *testing.T) {
	for _, c := range []struct {
		holder domain.MemberID
		params string
		want   string
	}{
		{8195, "serviceid=5&" + verifyX, "x@example.com 5:x@example.com 8193:- 8194:-"},
		{4097, "serviceid=8193&" + verifyX, "x@example.com 5:- 8193:x@example.com 8194:-"},
		{8195, "serviceid=8193&" + verifyX, "x@example.com 5:- 8193:x@example.com 8194:-"},
	} {
		h := absorbed(t)
		h.engine.names[verifiedX] = c.holder
		e := answered[wire.Envelope](h, h.post(verifyPath, c.params))
		equal(t, c.want, marked(&e))
		equal(t, c.want, h.markedNow(4097))
		equal(t, c.holder, h.engine.names[verifiedX])
		for _, s := range h.engine.submitted {
			if _, merges := s.Command.(*domain.MergeMembers); merges {
				t.Errorf("%+v: %+v", c, s)
			}
		}
	}
}

// Where the record that has the claim on an address is removed, or another address is verified on it, a
// record of the same member on which it is verified, too, has the claim: the member is found by it.
func TestVerify_ClaimsWhatIsFreed(t *testing.T) {
	for _, c := range []struct{ path, params string }{
		{"/v1.1/member/4097/service/8193/delete", ""},
		{verifyPath, "service=spotify&serviceid=8193&verified_email=y@example.com"},
	} {
		h := absorbed(t)
		for _, record := range []string{"8193", "5"} {
			h.status(h.post(verifyPath, "serviceid="+record+"&"+verifyX), http.StatusOK)
		}
		equal(t, domain.MemberID(8195), h.engine.names[verifiedX])
		lastly := h.engine.members[4097].Personal.Version
		h.remembering()
		for range 2 {
			h.status(h.post(c.path, c.params, "Idempotency-Key", "k"), http.StatusOK)
			equal(t, domain.MemberID(4097), h.engine.names[verifiedX])
			equal(t, verifiedX, h.engine.members[4097].Services[0].Verified)
		}
		equal(t, lastly, h.engine.members[4097].Personal.Version)
		if e := answered[wire.Envelope](h, h.get("/v1.1/member?verified_email=x@example.com")); e.Data.ID != 4097 {
			t.Errorf("%+v", e)
		}
	}
}

// The member shows the address that was verified last of all that are merged, whichever of them it is
// of; once the record is gone, the last of the others.
func TestVerify_LastOfAll(t *testing.T) {
	at := now
	verify := func(h *fixture, id domain.MemberID, record int, email string) {
		t.Helper()
		at = at.Add(time.Minute)
		key := keyAdvanced
		if id == 8195 {
			key = keyEnterprise
		}
		path := fmt.Sprintf("/v1.1/member/%d/verify", id)
		h.status(h.do(http.MethodPost, keyed(path, key), fmt.Sprintf("service=spotify&serviceid=%d&verified_email=%s", record, email)), http.StatusOK)
	}
	for _, first := range []domain.MemberID{4097, 8195} {
		h := newFixture(t)
		h.renew(func(c *Config) { c.Now = func() time.Time { return at } })
		for _, id := range []domain.MemberID{first, 4097 + 8195 - first} {
			verify(h, id, map[domain.MemberID]int{4097: 5, 8195: 8193}[id], fmt.Sprintf("%d@example.com", id))
		}
		h.status(h.post(mergePath, bobs), http.StatusOK)
		last := fmt.Sprintf("%d@example.com", 4097+8195-first)
		equal(t, last+" 5:4097@example.com 8193:8195@example.com 8194:-", h.markedNow(4097))
		verify(h, 4097, 5, "third@example.com")
		equal(t, "third@example.com 5:third@example.com 8193:8195@example.com 8194:-", h.markedNow(4097))
		verify(h, 4097, 8193, "fourth@example.com")
		equal(t, "fourth@example.com 5:third@example.com 8193:fourth@example.com 8194:-", h.markedNow(4097))
		h.status(h.post("/v1.1/member/4097/service/8193/delete", ""), http.StatusOK)
		equal(t, "third@example.com 5:third@example.com 8194:-", h.markedNow(4097))
		h.status(h.post(unmergePath, "from=8195"), http.StatusOK)
		equal(t, "third@example.com 5:third@example.com", h.markedNow(4097))
		equal(t, "- 8194:-", h.markedNow(8195))
	}
}

// A repeat with the same Idempotency-Key gets the answer of the first, also where the member named was
// merged by it; another request finds that member gone, however often it is sent.
func TestVerify_RepeatOfAMerge(t *testing.T) {
	for _, earlier := range []domain.MemberID{4097, 8195} {
		h := verifying(t, 8195)
		h.engine.members[earlier].Created--
		h.engine.members[8195].Services[0].Created++ // the latest of spotify, once they are one
		first := answered[wire.Envelope](h, h.post(verifyPath, verifyX, "Idempotency-Key", "v"))
		w := h.post(verifyPath, verifyX, "Idempotency-Key", "v")
		again := answered[wire.Envelope](h, w)
		again.JWT = first.JWT
		equal(t, first, again)
		equal(t, "true", w.Header().Get("Idempotent-Replayed"))
		if earlier == 4097 {
			continue
		}
		for range 2 {
			h.isMerged("without the key", h.post(verifyPath, verifyX), "/v1.1/member/8195/verify")
			h.isMerged("with another key", h.post(verifyPath, verifyX, "Idempotency-Key", "w"), "/v1.1/member/8195/verify")
		}
	}
}

// interrupted has each command from the n-th on not be answered: applied it is the n-th at most.
func (h *fixture) interrupted(n int, applied bool) (restore func()) {
	submit := h.engine.outcome
	h.engine.outcome = func(s domain.Submission) (domain.Outcome, error) {
		if n--; n > 0 {
			return submit(s)
		}
		if n == 0 && applied {
			_, _ = submit(s)
		}
		return domain.Outcome{}, domain.ErrUnavailable
	}
	return func() { h.engine.outcome = submit }
}

// Wherever a verification that merges is interrupted, before a command or before its answer, a repeat with
// the same Idempotency-Key does the rest: the record is marked once, no other is, and the answer is that
// of one that is not interrupted.
func TestVerify_Interrupted(t *testing.T) {
	for _, earlier := range []domain.MemberID{4097, 8195} {
		for at := range 8 {
			h := verifying(t, 8195)
			h.engine.members[earlier].Created--
			h.engine.members[8195].Services[0].Created++
			send := func() *httptest.ResponseRecorder {
				return h.post(verifyPath, verifyX, "Idempotency-Key", "v")
			}
			restore := h.interrupted(1+at/2, at%2 == 1)
			w := send()
			if whole := at >= 6; (w.Code == http.StatusOK) != whole {
				t.Errorf("interrupted at %d: %d", at, w.Code)
			}
			restore()
			for range 2 {
				e := answered[wire.Envelope](h, send())
				if e.Data.ID != uint64(earlier) || marked(&e) != "x@example.com 5:x@example.com 8193:- 8194:-" {
					t.Errorf("interrupted at %d: %d %s", at, e.Data.ID, marked(&e))
				}
			}
			equal(t, uint32(1), h.engine.members[4097].Personal.Version, "personal parts of the member named")
			equal(t, uint32(0), h.engine.members[8195].Personal.Version, "personal parts of the holder")
		}
	}
}

// A repeat marks no other record, though a later one of the service is there by then, which another of
// those merged has.
func TestVerify_RepeatWithALaterRecord(t *testing.T) {
	h := absorbed(t)
	h.remembering()
	h.status(h.post(verifyPath, verifyX, "Idempotency-Key", "v"), http.StatusOK)
	was := h.markedNow(4097)
	m := *h.engine.members[4097]
	m.Services = append(slices.Clone(m.Services), domain.ServiceRecord{
		ID: 8200, Application: 3, Service: domain.Spotify, UID: "u-9", Identity: domain.IdentityHash{9}, Created: 2e12,
	})
	h.engine.put(&m)
	w := h.post(verifyPath, verifyX, "Idempotency-Key", "v")
	e := answered[wire.Envelope](h, w)
	equal(t, was+" 8200:-", marked(&e))
	equal(t, "true", w.Header().Get("Idempotent-Replayed"))
}

// Of two verifications at once the second finds the address taken: it looks again, and merges. Where it
// finds no holder it is a conflict, after a few attempts, and where another merge is under way.
func TestVerify_Crossing(t *testing.T) {
	h := newFixture(t)
	h.engine.outcome = func(s domain.Submission) (domain.Outcome, error) {
		h.engine.names[verifiedX] = 8195 // by another request
		return h.engine.apply(s), nil
	}
	if e := answered[wire.Envelope](h, h.post(verifyPath, verifyX)); e.Data.ID != 4097 || len(e.Services) != 3 {
		t.Errorf("%+v", e)
	}
	h = newFixture(t)
	h.engine.outcome = func(domain.Submission) (domain.Outcome, error) {
		return domain.Outcome{Code: domain.Conflict, Parameter: "verified_email", Message: "taken"}, nil
	}
	h.refused(h.post(verifyPath, verifyX), domain.Conflict, "verified_email")
	h = newFixture(t)
	h.engine.names[verifiedX] = 8195
	h.engine.outcome = func(s domain.Submission) (domain.Outcome, error) {
		if _, merges := s.Command.(*domain.MergeMembers); merges {
			return domain.Outcome{Code: domain.Conflict, Message: "one of the members is being merged"}, nil
		}
		return h.engine.apply(s), nil
	}
	h.refused(h.post(verifyPath, verifyX), domain.Conflict, "")
}

// A member that another request merges meanwhile is no error: the answer is the survivor.
func TestVerify_MergedMeanwhile(t *testing.T) {
	h := newFixture(t)
	h.engine.names[verifiedX] = 8195
	h.engine.outcome = func(s domain.Submission) (domain.Outcome, error) {
		if _, merges := s.Command.(*domain.MergeMembers); merges {
			h.engine.mergeMembers(1, &domain.MergeMembers{Member: 8195, From: 4097})
			return domain.Failed(domain.Merged(8195)), nil
		}
		return h.engine.apply(s), nil
	}
	e := answered[wire.Envelope](h, h.post(verifyPath, verifyX))
	if e.Data.ID != 8195 || marked(&e) != "x@example.com 5:x@example.com 8193:- 8194:-" {
		t.Errorf("%d %s", e.Data.ID, marked(&e))
	}
}

// A key that is known of another request is a conflict at the first attempt: no other one marks or merges.
func TestVerify_KeyOfAnotherRequest(t *testing.T) {
	h := verifying(t, 8195)
	h.engine.outcome = func(domain.Submission) (domain.Outcome, error) { return domain.Failed(domain.KeyMisused), nil }
	h.refused(h.post(verifyPath, verifyX, "Idempotency-Key", "v"), domain.Conflict, domain.KeyMisused.Parameter)
	if n := len(h.engine.submitted); n != 1 {
		t.Errorf("%d submissions", n)
	}
}

// Where a chain of merges would get too long the two are not merged: error 12, at the first attempt.
func TestVerify_ChainTooLong(t *testing.T) {
	h := newFixture(t)
	h.engine.names[verifiedX] = 8195
	merges := 0
	h.engine.outcome = func(s domain.Submission) (domain.Outcome, error) {
		if _, is := s.Command.(*domain.MergeMembers); is {
			merges++
			return domain.Failed(domain.Bad(domain.PlanLimit, "from", "too many merges")), nil
		}
		return h.engine.apply(s), nil
	}
	h.refused(h.post(verifyPath, verifyX), domain.PlanLimit, "")
	equal(t, 1, merges, "merges asked for")
	if m := h.engine.members[4097]; len(m.Absorbed) > 0 || m.Lent != nil {
		t.Errorf("%+v", m)
	}
}

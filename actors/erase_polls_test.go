package actors

import (
	"net/http"
	"strconv"
	"testing"
	"time"

	"github.com/ovation-analytics/ovation/actors/domain"
)

// After an erasure each poll has a newly rendered answer: no earlier tag matches an answer in
// which the member was, and its own are gone, by its id and by its names. That holds when another
// member has its names, too.
func TestErase_PollsAreNeverStale(t *testing.T) {
	r := newPollHarness(t, 3, 3)
	var fans []domain.MemberID
	for i := range 6 {
		n := strconv.Itoa(i)
		fans = append(fans, r.enroll("u"+n, "country=DE", "gender=F", "birthdate=13-11-2005", "domain=a.de", "email=u"+n+"@x.de", "paidaccount=1"))
	}
	for i, id := range fans {
		for k := range 12 {
			r.act(id, 1+k%3, 100+k%4/3, r.now().Add(-time.Duration(i*k)*10*time.Minute), "content=blue")
		}
		r.write("/v1.1/brand/1/optin", "id="+strconv.FormatUint(uint64(id), 10))
	}
	r.settled()
	gone, stays := fans[0], fans[1]
	targets := append(polled(1, gone), polled(2, stays)...)
	names := []string{"/v1.1/member?email=u0@x.de", "/v1.1/member?service=spotify&username=u0", "/v1.1/members/active?emails=u0@x.de"}
	targets = append(targets, names...)
	pollAll := func() (statuses map[int]int) {
		statuses = map[int]int{}
		for i, target := range targets {
			if i%100 == 0 {
				r.advance(time.Second) // the account's rate
			}
			statuses[r.poll(target)]++
		}
		return statuses
	}
	pollAll()
	if again := pollAll(); len(again) != 1 || again[http.StatusNotModified] == 0 {
		t.Fatalf("with all tags: %v", again)
	}
	own := "/v1.1/member/" + strconv.FormatUint(uint64(gone), 10)
	if body, _ := r.write(own+"/delete", ""); body["deleted"] != true {
		t.Fatal(body)
	}
	r.settled()
	after := pollAll()
	t.Logf("after the erasure: %v", after)
	if after[http.StatusGone] < 6 || after[http.StatusOK] < 20 || after[http.StatusNotFound] < 2 {
		t.Errorf("too little changed: %v", after)
	}
	for _, target := range []string{own, own + "/activity/100", own + "/domains/top", "/v1.1/brand/1/stats/activity?id=" + own[len("/v1.1/member/"):]} {
		if status := r.poll(target); status != http.StatusGone {
			t.Errorf("%s: %d", target, status)
		}
	}
	for kind, parts := range map[domain.IdentityKind][]string{domain.ByEmail: {"u0@x.de"}, domain.ByUsername: {"spotify", "u0"}} {
		hash := pollHasher{}.Identity(1, kind, parts...)
		if id, _, err := r.node.Resolve(t.Context(), 1, kind, hash, domain.Position{}); id != 0 || err != nil {
			t.Errorf("%q still points to member %d: %v", parts, id, err)
		}
	}
	if id := r.enroll("u0", "email=u0@x.de"); id == gone {
		t.Errorf("member %d is back", id)
	}
	r.settled()
	for _, target := range names[:2] {
		if status := r.poll(target); status != http.StatusOK {
			t.Errorf("%s: %d", target, status)
		}
	}
	pollAll()
}

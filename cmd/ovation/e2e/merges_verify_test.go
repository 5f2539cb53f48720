package e2e

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"sync"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/api/client"
	"github.com/ovation-analytics/ovation/api/wire"
)

// verifyAtOnce has two members verify one address at the same time: each is answered, or refused as a
// conflict, and after a repeat both are one, with the address verified on the records of both.
func (m *merging) verifyAtOnce(ids []string) {
	m.t.Helper()
	for i := range 6 {
		two := ids[len(ids)-2*i-2:][:2]
		p := client.Params{"service": "spotify", "verified_email": fmt.Sprint("at-once-", i, "@fans.example")}
		var wg sync.WaitGroup
		var errs [2]error
		for k, id := range two {
			wg.Go(func() {
				_, _, errs[k] = client.Do(ctx(m.t), m.api(), client.VerifyMember{MemberID: memberID(m.t, id), More: p})
			})
		}
		wg.Wait()
		for k, err := range errs {
			refused, is := errors.AsType[*client.Error](err)
			if err != nil && (!is || refused.Code != domain.Conflict && refused.Code != domain.Gone) {
				m.t.Fatalf("%s of %v: %v", two[k], two, err)
			}
		}
		answered := 0
		for _, id := range two {
			_, meta, err := client.Do(ctx(m.t), m.api(), client.VerifyMember{MemberID: memberID(m.t, id), More: p})
			if refused, is := errors.AsType[*client.Error](err); err != nil && (!is || refused.Code != domain.Gone) {
				m.t.Fatalf("%s of %v again: %v", id, two, err)
			}
			if err == nil {
				answered++
				m.at = meta.Position
			}
		}
		e, _, err := client.Do(ctx(m.t), m.api(), client.FindMember{VerifiedEmail: p["verified_email"]})
		if err != nil || answered == 0 {
			m.t.Fatalf("%s of %v is verified by %+v: %v", p["verified_email"], two, e, err)
		}
		survivor := m.checkVerified(&e, two, p["verified_email"])
		m.checkGone(two[1-slices.Index(two, survivor)], survivor)
	}
}

// checkVerified requires that an answer is one of two members, and shows the address on the records of
// both.
func (m *merging) checkVerified(e *wire.Envelope, two []string, address string) (survivor string) {
	m.t.Helper()
	survivor = strconv.FormatUint(e.Data.ID, 10)
	if !slices.Contains(two, survivor) || len(e.Services) != 2 || !isVerified(e, address) {
		m.t.Fatalf("%s of %v is verified by %+v", address, two, e)
	}
	return survivor
}

// isVerified reports that an answer shows an address as verified on each record, and of the member.
func isVerified(e *wire.Envelope, address string) bool {
	is := e.Data.VerifiedEmail != nil && *e.Data.VerifiedEmail == address
	for i := range e.Services {
		email := e.Services[i].VerifiedEmail
		is = is && email != nil && *email == address
	}
	return is
}

// verifyOverKills has a member verify the address of another one while the node is killed: a repeat with
// the same Idempotency-Key has done it, and the one after that has the same answer. Each keeps what was
// verified on its record when the merge is taken back.
func (m *merging) verifyOverKills(ids []string) {
	m.t.Helper()
	for i := range 4 {
		two := ids[len(ids)-2*i-2:][:2]
		p := client.Params{"service": "spotify", "verified_email": fmt.Sprint("over-kills-", i, "@fans.example")}
		_, meta, err := client.Do(ctx(m.t), m.api(), client.VerifyMember{MemberID: memberID(m.t, two[i%2]), More: p})
		if err != nil {
			m.t.Fatal(err)
		}
		m.at = meta.Position
		named := memberID(m.t, two[1-i%2])
		var wg sync.WaitGroup
		wg.Go(func() { _, _, _ = client.Do(ctx(m.t), m.keyed(two[0]), client.VerifyMember{MemberID: named, More: p}) }) // answered, or not
		for range 2 * i {
			_, _, _ = client.Do(ctx(m.t), m.api(), client.FindMember{VerifiedEmail: p["verified_email"]})
		}
		m.n.Kill()
		wg.Wait()
		m.n.start()
		first, meta, err := client.Do(ctx(m.t), m.keyed(two[0]), client.VerifyMember{MemberID: named, More: p})
		if err != nil {
			m.t.Fatal(err)
		}
		m.at = meta.Position
		survivor := m.checkVerified(&first, two, p["verified_email"])
		again, meta, err := client.Do(ctx(m.t), m.keyed(two[0]), client.VerifyMember{MemberID: named, More: p})
		if err != nil || !meta.Replayed || m.checkVerified(&again, two, p["verified_email"]) != survivor {
			m.t.Fatalf("%+v %+v: %v", again, meta, err)
		}
		from := two[1-slices.Index(two, survivor)]
		both, meta, err := client.Do(ctx(m.t), m.api(), client.UnmergeMembers{MemberID: memberID(m.t, survivor), From: memberID(m.t, from)})
		if err != nil || !isVerified(&both[0], p["verified_email"]) || !isVerified(&both[1], p["verified_email"]) {
			m.t.Fatalf("%+v: %v", both, err)
		}
		m.at = meta.Position
	}
}

// keyed is a client whose requests are repeats of each other.
func (m *merging) keyed(key string) *client.Client {
	return m.n.api(m.key).With("Idempotency-Key", "verify-"+key)
}

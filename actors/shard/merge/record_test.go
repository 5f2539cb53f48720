package merge

import (
	"strings"
	"testing"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/actors/member"
)

// optIn opts a member in to a segment.
func (h *harness) optIn(name string, segment uint32) {
	h.t.Helper()
	h.of(name, &domain.OptIn{Member: h.ids[name], Opt: domain.Opt{Kind: domain.OptSegment, ID: segment}, At: h.clock})
}

// What changes of a record below is sent on by each above, alone, and known at the top as it is. One that is as
// before is not sent.
func TestMerge_RecordsOfAChain(t *testing.T) {
	withShards(t, func(h *harness) {
		h.member("A", 0)
		h.member("B", 1)
		h.member("C", 2)
		h.merged("B", "C")
		h.merged("A", "B")
		same := func() {
			t.Helper()
			h.sameRecord("A", "B")
			h.sameRecord("B", "C")
			below := member.AbsorbedOf(member.AbsorbedOf(h.state("A"), h.ids["B"]).Record, h.ids["C"]).Record
			if string(stepOfRecord(below)) != string(stepOfRecord(lentRecord(h.state("C")))) {
				t.Errorf("A knows of C\n%+v\nwhich is\n%+v", below, h.state("C"))
			}
		}
		same()
		h.optIn("C", 1)
		h.expect("C", h.next("C"), "rows C>B record:C")
		h.expect("B of C", h.next("B"), "rows B>A record:C")
		h.expect("A", h.next("A"))
		same()
		h.restart()
		h.optIn("B", 2)
		h.expect("B of itself", h.next("B"), "rows B>A record:B")
		same()
		h.act("C", plain, 1, 0)
		h.expect("a row is no change of the record", h.next("C"), "rows C>B 1")
		h.expect("in B too", h.next("B"), "rows B>A 1")
		h.clock -= 7 // the time of the last one
		again := &domain.OptIn{Member: h.ids["C"], Opt: domain.Opt{Kind: domain.OptSegment, ID: 3}, At: h.clock}
		h.of("C", again)
		h.deliverAll()
		h.of("C", again)
		h.expect("as before", h.next("C"))
		same()
	})
}

// A record that has grown too large for a step is not sent, and counted; others are, and the borrower keeps what it
// knows.
func TestMerge_RecordWithheld(t *testing.T) {
	withShards(t, func(h *harness) {
		h.member("A", 0)
		h.member("B", 1)
		h.merged("A", "B")
		before := member.AbsorbedOf(h.state("A"), h.ids["B"]).Record
		h.shards[1].stage("B", func(m *domain.Member) {
			m.Profile = domain.Fields{{Field: domain.Country, Value: strings.Repeat("x", stepRecord)}}
		})
		h.optIn("B", 1)
		h.expect("too large", h.next("B"))
		if n := h.shards[1].stats.Withheld.Load(); n != 1 {
			t.Errorf("%d withheld", n)
		}
		if now := member.AbsorbedOf(h.state("A"), h.ids["B"]).Record; now != before {
			t.Errorf("A knows of B %+v", now)
		}
		h.shards[1].stage("B", func(m *domain.Member) { m.Profile = nil })
		h.optIn("B", 2)
		h.expect("it fits again", h.next("B"), "rows B>A record:B")
		h.sameRecord("A", "B")
	})
}

// stage changes the state of a member beside the log.
func (s *testShard) stage(name string, edit func(*domain.Member)) { edit(s.h.state(name)) }

// Who opts out is opted out with the members merged into it that are known to be opted in, and no others.
func TestMerge_OptOut(t *testing.T) {
	withShards(t, func(h *harness) {
		for i, name := range []string{"A", "B", "C", "D"} {
			h.member(name, i%testShards)
		}
		h.optIn("B", 1)
		h.optIn("C", 2)
		h.optIn("D", 1)
		h.merged("A", "B")
		h.merged("A", "C")
		h.merged("A", "D")
		h.of("A", &domain.OptOut{Member: h.ids["A"], Opt: domain.Opt{Kind: domain.OptSegment, ID: 1}, At: h.clock})
		sent := h.next("A")
		h.expect("opted in to it are", sent, "opt out D", "opt out B")
		h.deliverAll()
		for name, out := range map[string]bool{"B": true, "C": false, "D": true} {
			if is := h.state(name).Opts[0].Out; is != out {
				t.Errorf("%s is out: %v", name, is)
			}
			h.sameRecord("A", name)
		}
	})
}

// What a lender sends of itself has nothing that is of its own shard alone.
func TestMerge_RecordAsLent(t *testing.T) {
	of := &domain.Member{
		ID: 1, Lent: &domain.Loan{To: 2}, Passwords: make([]domain.Password, 1), Pending: make([]domain.PendingRegistration, 1),
		Absorbed: []domain.Absorbed{{
			Member: 3, Ticket: 4, Asked: domain.RequestID{5}, Done: true, Record: &domain.Member{ID: 3}, Signups: make([]domain.LentSignup, 1),
		}},
	}
	lent := lentRecord(of)
	a := lent.Absorbed[0]
	if lent.Lent != nil || lent.Passwords != nil || lent.Pending != nil || !a.Asked.IsZero() || a.Signups != nil {
		t.Errorf("lent is %+v", lent)
	}
	if a.Member != 3 || a.Ticket != 4 || !a.Done || a.Record != of.Absorbed[0].Record {
		t.Errorf("of the one below it is lent %+v", a)
	}
	if of.Lent == nil || of.Absorbed[0].Signups == nil || of.Absorbed[0].Asked.IsZero() {
		t.Error("the member itself is changed")
	}
}

package merge

import (
	"testing"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/actors/member"
	"github.com/ovation-analytics/ovation/actors/shard/tx/txtest"
)

// What a borrower says to the command, before anything is asked of the lender.
func TestMerge_Commands(t *testing.T) {
	for _, c := range []struct {
		name      string
		prepare   func(h *harness)
		denied    bool
		from      string
		code      domain.Code
		parameter string
		message   string
		sent      []string
	}{
		{name: "asks", from: "B", sent: []string{"ask B>A"}},
		{
			name: "itself", from: "A", code: domain.InvalidParameter, parameter: "from",
			message: "the member cannot be merged into itself",
		},
		{name: "denied", from: "B", denied: true, code: domain.WrongPassword, parameter: "accesstoken", message: domain.ErrMergeDenied.Message},
		{
			name: "the borrower is merged into another", prepare: func(h *harness) { h.merged("C", "A") }, from: "B",
			code: domain.Gone, message: "the member was merged into another",
		},
		{
			name: "the borrower is being copied", from: "B", code: domain.Conflict, message: busy,
			prepare: func(h *harness) {
				h.step(&domain.Lend{Step: domain.LendAsk, Member: h.ids["A"], Other: h.ids["C"], Ticket: 9})
				h.copying("A")
			},
		},
		{
			name: "asked before", from: "B", code: domain.Conflict, message: busy,
			prepare: func(h *harness) { h.merge("A", "B"); h.next("A") },
		},
		{name: "merged before", prepare: func(h *harness) { h.merged("A", "B") }, from: "B", parameter: "A"},
		{
			name: "merged too often", from: "B", code: domain.PlanLimit, parameter: "from", message: "the member was merged too often",
			prepare: func(h *harness) { h.lastShadow("A", "B") },
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			withShards(t, func(h *harness) {
				h.member("A", 0)
				h.member("B", 1)
				h.member("C", 2)
				if c.prepare != nil {
					c.prepare(h)
					h.next("A")
				}
				id := h.of("A", &domain.MergeMembers{Member: h.ids["A"], From: h.ids[c.from], Denied: c.denied})
				h.expectOutcome("merge", id, c.code, c.parameter, c.message)
				h.expect("sent", h.next("A"), c.sent...)
			})
		})
	}
}

// A step of a merge that has ended changes nothing. Rows that it has are given back, so that the lender's count
// at home.
func TestMerge_LateSteps(t *testing.T) {
	for _, c := range []struct {
		name     string
		step     func(h *harness) *domain.Lend
		sent     []string
		received uint64 // handovers of the borrower's shard, more than before
	}{
		{
			name: "handover", sent: []string{"return B>A"}, received: 1,
			step: func(h *harness) *domain.Lend {
				return &domain.Lend{Step: domain.LendRows, Last: true, Record: lentRecord(h.state("B"))}
			},
		},
		{
			name: "rows", sent: []string{"return B>A"},
			step: func(h *harness) *domain.Lend { return &domain.Lend{Step: domain.LendRows, Rows: lentRowsOf(h, "B")} },
		},
		{
			name: "a record",
			step: func(h *harness) *domain.Lend {
				return &domain.Lend{Step: domain.LendRows, Record: lentRecord(h.state("B"))}
			},
		},
		{name: "a refusal", step: func(*harness) *domain.Lend { return &domain.Lend{Step: domain.LendRefused, Code: domain.Conflict} }},
		{
			name: "a refusal since a step was set aside", sent: []string{"return B>A"},
			step: func(*harness) *domain.Lend { return &domain.Lend{Step: domain.LendRefused, Code: domain.Internal} },
		},
		{name: "an erasure", step: func(*harness) *domain.Lend { return &domain.Lend{Step: domain.LendErased} }},
	} {
		for _, when := range []string{"never asked", "another ticket"} {
			t.Run(c.name+", "+when, func(t *testing.T) {
				withShards(t, func(h *harness) {
					h.member("A", 0)
					h.member("B", 1)
					h.act("B", plain, 1, 0)
					counts := map[string]string{"A": "1000", "B": "1 1001"}
					if when == "another ticket" {
						h.merged("A", "B")
						counts = map[string]string{"A": "1 1000 1001", "B": ""}
					}
					received := h.received(0, 1)
					l := c.step(h)
					l.Member, l.Other, l.Ticket = h.ids["A"], h.ids["B"], 1<<40
					h.step(l)
					if got := h.received(0, 1) - received; got != c.received {
						t.Errorf("%d handovers received, want %d", got, c.received)
					}
					h.expect("sent", h.next("A"), c.sent...)
					h.expect("answered", h.next("B"))
					h.expectCounts("after it", counts)
				})
			})
		}
	}
}

// received is how many handovers a shard has received from another.
func (h *harness) received(shard, from int) uint64 {
	for _, d := range h.shards[shard].State.Shard.Handovers {
		if d.Shard == from {
			return d.Received
		}
	}
	return 0
}

// A refusal that comes after the handover leaves the merge as it is: a later step of it was set aside.
func TestMerge_RefusedAfterTheHandover(t *testing.T) {
	withShards(t, func(h *harness) {
		h.member("A", 0)
		h.member("B", 1)
		h.act("B", plain, 1, 0)
		h.merged("A", "B")
		h.step(&domain.Lend{
			Step: domain.LendRefused, Member: h.ids["A"], Other: h.ids["B"], Ticket: h.ticket("A", "B"), Code: domain.Internal,
		})
		h.expect("sent", h.next("A"))
		h.expectCounts("after it", map[string]string{"A": "1 1000 1001", "B": ""})
	})
}

// A copied visit is at its place, under the borrower's number; its signup is known by the lender's service record.
// Content, points and time of a row are those that the lender has.
func TestMerge_CopiesAreAsTheRows(t *testing.T) {
	withShards(t, func(h *harness) {
		h.member("A", 0)
		h.member("B", 1)
		first := h.activity("B", &domain.Activity{
			Definition: plain, Hash: 5, Time: txtest.Clock/1000 - 9, Brand: 3, Points: 7, Service: domain.Twitter,
			Content: domain.Content{Content: "{}", Link: "https://b.example", Geo: domain.Geo{Country: "DE"}},
		})
		h.merged("A", "B")
		h.act("B", plain, 6, 0)
		h.deliverAll()
		s := h.shards[0]
		at := s.merger.borrowers.shadows[lender{account, h.ids["B"]}]
		past, err := s.State.Loaded.Past(at)
		if err != nil || len(past) != 3 {
			t.Fatalf("%d copies, %v", len(past), err)
		}
		contents, err := s.Store.Contents(past)
		if err != nil {
			t.Fatal(err)
		}
		row, content := past[0], contents[0]
		if row.Time != domain.Second(txtest.Clock/1000-9) || row.Brand != 3 || row.Points != 7 || row.Service != domain.Twitter ||
			row.Hash != 5 || row.Slot != slot(1) {
			t.Errorf("the copy is %+v", row)
		}
		if content.Action != first || content.Content != "{}" || content.Link != "https://b.example" || content.Geo.Country != "DE" ||
			content.Marker != "m5" || content.Recorded < txtest.Clock {
			t.Errorf("its content is %+v", content)
		}
		for i := range past {
			if !past[i].IsVisit() {
				continue
			}
			of, number, placed := past[i].Definition.Visit()
			place := s.State.Accounts.Of(account).Places.At(number)
			if of != domain.Registration || !placed || place != (domain.VisitPlace{Domain: "B.example", Page: "B.example/page"}) {
				t.Errorf("the visit is %d at %+v", of, place)
			}
			signups := member.AbsorbedOf(h.state("A"), h.ids["B"]).Signups
			if len(signups) != 1 || signups[0].Seq != past[i].Seq || signups[0].Record != uint64(contents[i].Action) {
				t.Errorf("signups %+v, the copy is %d of %d", signups, past[i].Seq, contents[i].Action)
			}
		}
	})
}

const busy = "one of the members is being merged, or is merged into another"

// Taking back is refused where there is nothing to take back, and where the borrower has part in another merge.
func TestMerge_UnmergeRefused(t *testing.T) {
	for _, c := range []struct {
		name      string
		prepare   func(h *harness)
		code      domain.Code
		parameter string
		message   string
	}{
		{"not merged", func(*harness) {}, domain.NotFound, "from", "the member is not merged into this one"},
		{"merged the other way", func(h *harness) { h.merged("B", "A") }, domain.Gone, "", "the member was merged into another"},
		{
			"the borrower is merged into another", func(h *harness) { h.merged("A", "B"); h.merged("C", "A") },
			domain.Gone, "", "the member was merged into another",
		},
		{
			"the borrower is being copied", func(h *harness) { h.merged("A", "B"); h.merged("C", "A"); h.copying("A") },
			domain.Conflict, "", busy,
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			withShards(t, func(h *harness) {
				h.member("A", 0)
				h.member("B", 1)
				h.member("C", 2)
				c.prepare(h)
				h.expectOutcome("unmerge", h.unmerge("A", "B"), c.code, c.parameter, c.message)
				h.expect("sent", h.next("A"))
			})
		})
	}
}

// What becomes of a merge that is taken back, of each member that is erased, and of their requests, wherever the
// exchange is.
func TestMerge_EndedHalfway(t *testing.T) {
	end := map[string]func(h *harness) domain.RequestID{
		"unmerge": func(h *harness) domain.RequestID { return h.unmerge("A", "B") },
		"erase A": func(h *harness) domain.RequestID { return h.erase("A") },
		"erase B": func(h *harness) domain.RequestID { return h.erase("B") },
	}
	for _, c := range []struct {
		after   string // steps delivered
		end     string
		sent    []string // by the shard of the member that it is of
		code    domain.Code
		message string
		counts  map[string]string
	}{
		{"nothing", "unmerge", []string{"ask B>A", "return B>A"}, domain.Conflict, busy, map[string]string{"A": "1000", "B": "1 1001"}},
		{"ask", "unmerge", []string{"return B>A"}, domain.Conflict, busy, map[string]string{"A": "1000", "B": "1 1001"}},
		{"handover", "unmerge", []string{"return B>A"}, domain.OK, "", map[string]string{"A": "1000", "B": "1 1001"}},
		{"nothing", "erase A", []string{"ask B>A"}, domain.Gone, domain.ErrErased.Message, map[string]string{"A": "", "B": "1 1001"}},
		{"ask", "erase A", nil, domain.Gone, domain.ErrErased.Message, map[string]string{"A": "", "B": "1 1001"}},
		{"handover", "erase A", []string{"erase B"}, domain.OK, "", map[string]string{"A": "", "B": ""}},
		{"nothing", "erase B", nil, domain.Gone, domain.ErrErased.Message, map[string]string{"A": "1000", "B": ""}},
		{
			"ask", "erase B",
			[]string{"rows B>A 1001 1 last record:B", "erased B>A"},
			domain.OK, "",
			map[string]string{"A": "1000", "B": ""},
		},
		{"handover", "erase B", []string{"erased B>A"}, domain.OK, "", map[string]string{"A": "1000", "B": ""}},
	} {
		t.Run(c.end+" after "+c.after, func(t *testing.T) {
			withShards(t, func(h *harness) {
				h.member("A", 0)
				h.member("B", 1)
				h.act("B", plain, 1, -1)
				merge := h.merge("A", "B")
				if c.after != "nothing" {
					h.next("A")
				}
				if c.after == "handover" {
					h.next("B")
				}
				id := end[c.end](h)
				h.expect("sent", h.next(map[bool]string{true: "B", false: "A"}[c.end == "erase B"]), c.sent...)
				h.deliverAll()
				out := h.outcome(merge)
				if out.Code != c.code || out.Message != c.message || c.code == domain.OK && out.Member != h.ids["A"] {
					t.Errorf("the merge has outcome %+v", out)
				}
				if out := h.outcome(id); out.Err() != nil || out.Member == 0 {
					t.Errorf("its end has outcome %+v", out)
				}
				h.expectCounts("in the end", c.counts)
				h.handovers()
				if a, b := h.state("A"), h.state("B"); len(a.Absorbed) > 0 || b.Lent != nil {
					t.Errorf("in the end: %+v, %+v", a, b)
				}
				for id, s := range h.shards {
					if !s.merger.idle() || s.merger.Depth() != 0 {
						t.Errorf("shard %d has part in a merge still", id)
					}
				}
			})
		})
	}
}

// copying has a loan be one whose rows are copied, not handed over.
func (h *harness) copying(name string) {
	loan := *h.state(name).Lent
	loan.Done, loan.Copied = false, 0
	k := h.actor(name)
	k.State().Member.Lent = &loan
	h.shardOf(name).merger.loans.byMember[k.Place()] = loan
}

// lastShadow has the shadow of a lender be the last for which there is an id.
func (h *harness) lastShadow(into, from string) {
	s := h.shardOf(into)
	id := h.ids[from].Shadow(domain.MaxShadows - 1)
	at := member.Place{Account: account, Ord: s.State.Accounts.Add(account, id)}
	s.merger.Shadow(s.State, at, id)
}

// Two members of the shard are asked to merge the same one: the one whose request comes first has it, the other
// keeps nothing of it, whichever is taken back first.
func TestMerge_OfOneIntoTwo(t *testing.T) {
	withShards(t, func(h *harness) {
		h.member("A", 0)
		h.member("C", 0)
		h.member("B", 1)
		h.act("B", plain, 1, 0)
		first, second := h.merge("A", "B"), h.merge("C", "B")
		h.expect("both ask", h.next("A"), "ask B>A", "ask B>C")
		h.expect("one is lent", h.next("B"), "rows B>A 1002 1 last record:B", "refused B>C code:7")
		h.expectOutcome("the first", first, domain.OK, "A", "")
		h.expectOutcome("the second", second, domain.Conflict, "", busy)
		h.expectCounts("merged", map[string]string{"A": "1 1000 1002", "B": "", "C": "1001"})
		third := h.merge("C", "B")
		h.unmerge("C", "B")
		h.expectOutcome("taken back", third, domain.Conflict, "", busy)
		h.deliverAll()
		h.expectCounts("still merged", map[string]string{"A": "1 1000 1002", "B": "", "C": "1001"})
		h.unmerge("A", "B")
		h.deliverAll()
		h.merged("C", "B")
		h.expectCounts("merged into the second", map[string]string{"A": "1000", "B": "", "C": "1 1001 1002"})
		h.handovers()
	})
}

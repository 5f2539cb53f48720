package merge

import (
	"strings"
	"testing"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/actors/member"
)

// A merge is asked for, its rows are copied and hidden until the handover, and count from then on as the
// borrower's and no more as the lender's. Taking it back is identity, and leaves nothing of the shadow.
func TestMerge_StepByStep(t *testing.T) {
	withShards(t, func(h *harness) {
		h.member("A", 0)
		h.member("B", 1)
		h.member("A2", 0)
		h.member("B2", 1)
		h.act("A", plain, 1, 0)
		h.act("B", plain, 2, 0)
		b3 := h.act("B", plain, 3, 0)
		asked := h.merge("A", "B")
		h.expectOutcome("asked", asked, domain.OK, "", "")
		h.expect("A asks", h.next("A"), "ask B>A")
		h.expectCounts("handed over", map[string]string{"A": "1 1000", "B": ""})
		h.expect("B hands over", h.next("B"), "rows B>A 1001 2 3 last record:B")
		h.expectOutcome("merged", asked, domain.OK, "A", "")
		h.expectCounts("merged", map[string]string{"A": "1 2 3 1000 1001", "B": ""})
		h.act("B", plain, 4, 0)
		h.remove("B", b3)
		h.expect("B follows", h.next("B"), "rows B>A 4", "rows B>A -3")
		h.expectCounts("followed", map[string]string{"A": "1 2 4 1000 1001", "B": ""})
		h.sameRecord("A", "B")
		shadow := h.shards[0].merger.borrowers.shadows[lender{account, h.ids["B"]}]
		for shard, name := range []string{"A", "B"} {
			if !h.shards[shard].merger.Involved(h.actor(name).Place()) || h.shards[shard].merger.Involved(h.actor(name+"2").Place()) {
				t.Errorf("of %s and of another member of its shard is said otherwise whether they have part in a merge", name)
			}
		}
		parted := h.unmerge("A", "B")
		h.expectOutcome("unmerge asked", parted, domain.OK, "", "")
		h.expectCounts("shadow erased", map[string]string{"A": "1 1000", "B": ""})
		of := h.shards[0].State.Accounts.Of(account)
		if c := of.Counting().Of(shadow.Ord); c != nil {
			t.Errorf("an ordinal without rows counts as %+v", c)
		}
		h.expect("A gives back", h.next("A"), "return B>A")
		h.expectOutcome("unmerged", parted, domain.OK, "A", "")
		h.expectCounts("unmerged", map[string]string{"A": "1 1000", "B": "2 4 1001"})
		h.act("B", plain, 5, 0)
		h.expect("B is alone", h.next("B"))
		h.expect("A is alone", h.next("A"))
		h.handovers()
		if a, b := h.state("A"), h.state("B"); len(a.Absorbed) > 0 || b.Lent != nil || a.HandedOver == 0 || b.HandedOver == 0 {
			t.Errorf("after it was taken back: %+v, %+v", a, b)
		}
		if s := h.shards[0].stats; s.Merged.Load() != 1 || s.Unmerged.Load() != 1 {
			t.Errorf("%d merged, %d unmerged", s.Merged.Load(), s.Unmerged.Load())
		}
		if s := h.shards[0]; s.merger.Involved(h.actor("A").Place()) || !s.merger.idle() || !h.shards[1].merger.idle() {
			t.Error("a shard without merges is not idle")
		}
	})
}

const busy = "one of the members is being merged, or is merged into another"

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

// What a lender answers, what then becomes of the request, and that a refusal leaves both as they were.
func TestMerge_Asked(t *testing.T) {
	large := strings.Repeat("x", stepRecord)
	for _, c := range []struct {
		name      string
		prepare   func(h *harness)
		sent      []string
		code      domain.Code
		parameter string
		message   string
	}{
		{name: "lends", sent: []string{"rows B>A 1001 1 last record:B"}, parameter: "A"},
		{
			name: "not known", prepare: func(h *harness) { h.ids["B"] = domain.MemberIDOf(77, slot(1)); h.names[h.ids["B"]] = "B" },
			sent: []string{"refused B>A code:5"}, code: domain.NotFound, parameter: "from", message: "no such member",
		},
		{
			name: "not active", prepare: func(h *harness) { h.state("B").State = domain.MemberPending },
			sent: []string{"refused B>A code:5"}, code: domain.NotFound, parameter: "from", message: "no such member",
		},
		{
			name: "erased", prepare: func(h *harness) { h.erase("B") },
			sent: []string{"refused B>A code:16"}, code: domain.Gone, message: domain.ErrErased.Message,
		},
		{
			name: "merged into another", prepare: func(h *harness) { h.merged("C", "B") },
			sent: []string{"refused B>A code:7"}, code: domain.Conflict, message: busy,
		},
		{
			name: "merges another", prepare: func(h *harness) { h.merge("B", "C"); h.shards[1].commit(); h.shards[1].delivered[2] = 1 },
			sent: []string{"refused B>A code:7"}, code: domain.Conflict, message: busy,
		},
		{
			name: "has merged another", prepare: func(h *harness) { h.merged("B", "C") },
			sent: []string{"rows B>A 1001 1 1002 last record:B"}, parameter: "A",
		},
		{
			name: "too large", prepare: func(h *harness) { h.state("B").Profile = domain.Fields{{Field: domain.Country, Value: large}} },
			sent: []string{"refused B>A code:12"}, code: domain.PlanLimit, parameter: "from",
			message: "the member is too large, with those merged into it",
		},
		{
			name: "too deep", prepare: func(h *harness) { h.deep("B", domain.DeepestMerge) },
			sent: []string{"refused B>A code:12 deep"}, code: domain.PlanLimit, parameter: "from",
			message: "members would be merged one into the other more than 8 times",
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			withShards(t, func(h *harness) {
				h.member("A", 0)
				h.member("B", 1)
				h.member("C", 2)
				h.act("B", plain, 1, -1)
				if c.prepare != nil {
					c.prepare(h)
				}
				before := *h.state("A")
				id := h.merge("A", "B")
				h.expect("asks", h.next("A"), "ask B>A")
				h.expect("answers", h.next("B"), c.sent...)
				h.expectOutcome("merge", id, c.code, c.parameter, c.message)
				if c.code == domain.OK {
					return
				}
				h.counted()
				if a := h.state("A"); len(a.Absorbed) > 0 || a.HandedOver != before.HandedOver {
					t.Errorf("after a refusal: %+v", a)
				}
				h.expect("sent", h.next("A"))
			})
		})
	}
}

// deep has a member be as one with a chain of so many merges below it.
func (h *harness) deep(name string, merges int) {
	of := h.state(name)
	for i := range merges {
		below := &domain.Member{ID: domain.MemberIDOf(uint64(100+i), slot(2)), State: domain.MemberActive}
		of.Absorbed = []domain.Absorbed{{Member: below.ID, Ticket: 1, Done: true, Record: below}}
		of = below
	}
}

// A borrower that does not know of its loan any more asks again: the old loan ends, and the rows count once.
func TestMerge_AskedAgainByTheSame(t *testing.T) {
	withShards(t, func(h *harness) {
		h.member("A", 0)
		h.member("B", 1)
		h.act("B", plain, 1, 0)
		h.merged("A", "B")
		h.unmerge("A", "B")
		h.shards[0].commit()
		h.shards[0].delivered[1] = h.shards[0].committed // the return is lost
		h.act("B", plain, 2, 0)
		h.shards[1].commit()
		h.shards[1].delivered[0] = h.shards[1].committed // and so is what B sends
		id := h.merge("A", "B")
		h.expect("A asks again", h.next("A"), "ask B>A")
		h.expect("B lends again", h.next("B"), "rows B>A 1001 1 2 last record:B")
		h.expectOutcome("merged", id, domain.OK, "A", "")
		h.expectCounts("merged again", map[string]string{"A": "1 2 1000 1001", "B": ""})
	})
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

// lentRowsOf are the rows of a member as they are lent.
func lentRowsOf(h *harness, name string) (lent []domain.LentRow) {
	past, err := h.shardOf(name).State.Loaded.Past(h.actor(name).Place())
	if err != nil {
		h.t.Fatal(err)
	}
	for i := range past {
		if !past[i].IsVisit() {
			lent = append(lent, domain.LentRow{Row: past[i], Content: domain.Content{Action: past[i].ID()}})
		}
	}
	return lent
}

// A return, or a request for more rows, that is not of the member's loan ends nothing and sends nothing. The
// request that waits for the return is completed all the same.
func TestMerge_LateStepsOfALender(t *testing.T) {
	for _, c := range []struct {
		name   string
		member string
		other  string
		ticket func(h *harness) uint64
	}{
		{"another ticket", "B", "A", func(h *harness) uint64 { return h.ticket("A", "B") + 1 }},
		{"another borrower", "B", "C", func(h *harness) uint64 { return h.ticket("A", "B") }},
		{"no loan", "D", "A", func(h *harness) uint64 { return h.ticket("A", "B") }},
		{"no member", "E", "A", func(h *harness) uint64 { return h.ticket("A", "B") }},
	} {
		for _, step := range []domain.LendStep{domain.LendReturn, domain.LendNext} {
			t.Run(c.name, func(t *testing.T) {
				withShards(t, func(h *harness) {
					h.member("A", 0)
					h.member("B", 1)
					h.member("C", 2)
					h.member("D", 1)
					h.ids["E"] = domain.MemberIDOf(77, slot(1))
					h.act("B", plain, 1, 0)
					h.merged("A", "B")
					asked := domain.RequestID{9}
					h.step(&domain.Lend{Step: step, Member: h.ids[c.member], Other: h.ids[c.other], Ticket: c.ticket(h), Asked: asked})
					h.expect("sent", h.next("B"))
					h.expectCounts("after it", map[string]string{"A": "1 1000 1001", "B": "", "D": "1003"})
					if step == domain.LendReturn {
						h.expectOutcome("its request", asked, domain.OK, c.other, "")
					}
				})
			})
		}
	}
	t.Run("another account", func(t *testing.T) {
		withShards(t, func(h *harness) {
			h.member("A", 0)
			h.member("B", 1)
			h.actLarge("B", plain, 1, 0)
			h.actLarge("B", plain, 2, 0)
			h.actLarge("B", plain, 3, 0)
			h.merge("A", "B")
			h.next("A")
			h.next("B")
			for _, step := range []domain.LendStep{domain.LendNext, domain.LendReturn} {
				l := &domain.Lend{Step: step, Member: h.ids["B"], Other: h.ids["A"], Ticket: h.ticket("A", "B")}
				h.shards[1].take(&domain.Record{Kind: l.Kind(), Account: account + 1, Command: l})
			}
			h.expect("sent", h.next("B"))
			h.deliverAll()
			h.expectCounts("after it", map[string]string{"A": "1 2 3 1000 1001", "B": ""})
		})
	})
	t.Run("handed over", func(t *testing.T) { // and more is asked for
		withShards(t, func(h *harness) {
			h.member("A", 0)
			h.member("B", 1)
			h.merged("A", "B")
			h.step(&domain.Lend{Step: domain.LendNext, Member: h.ids["B"], Other: h.ids["A"], Ticket: h.ticket("A", "B")})
			h.expect("sent", h.next("B"))
		})
	})
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

// A request that comes again changes nothing, sends nothing, and has the outcome of the first.
func TestMerge_RequestsRepeated(t *testing.T) {
	withShards(t, func(h *harness) {
		h.member("A", 0)
		h.member("B", 1)
		h.act("B", plain, 1, 0)
		again := func(c domain.Command, from string, sent ...string) {
			t.Helper()
			r := h.record(c)
			for range 3 {
				h.shards[0].take(r)
			}
			h.expect("asked thrice", h.next("A"), sent...)
			h.deliverAll()
			first := h.outcome(r.Request)
			h.shards[0].take(r)
			h.expect("asked again", h.next("A"))
			if got := h.outcome(r.Request); got.Err() != nil || got.Member != h.ids["A"] || first.Member != got.Member {
				t.Errorf("outcomes %+v, then %+v, of %s", first, got, from)
			}
		}
		again(&domain.MergeMembers{Member: h.ids["A"], From: h.ids["B"]}, "B", "ask B>A")
		h.expectCounts("merged", map[string]string{"A": "1 1000 1001", "B": ""})
		again(&domain.UnmergeMember{Member: h.ids["A"], From: h.ids["B"]}, "B", "return B>A")
		h.expectCounts("unmerged", map[string]string{"A": "1000", "B": "1 1001"})
		h.handovers()
	})
}

// Two members that are merged into each other at once: each is refused, and no request waits.
func TestMerge_IntoEachOther(t *testing.T) {
	withShards(t, func(h *harness) {
		h.member("A", 0)
		h.member("B", 1)
		ab, ba := h.merge("A", "B"), h.merge("B", "A")
		h.deliverAll()
		h.expectOutcome("B into A", ab, domain.Conflict, "", busy)
		h.expectOutcome("A into B", ba, domain.Conflict, "", busy)
		h.merged("A", "B")
		h.expectCounts("merged later", map[string]string{"A": "1000 1001", "B": ""})
	})
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

// Members of one shard merge by the same steps.
func TestMerge_InOneShard(t *testing.T) {
	withShards(t, func(h *harness) {
		h.member("A", 0)
		h.member("B", 0)
		h.act("B", once, 1, 5)
		h.act("A", once, 2, 6)
		h.merged("A", "B")
		h.expectCounts("merged", map[string]string{"A": "1 1000 1001", "B": ""})
		h.unmerge("A", "B")
		h.deliverAll()
		h.expectCounts("unmerged", map[string]string{"A": "2 1000", "B": "1 1001"})
		h.handovers()
	})
}

// A step that no merge has is an error.
func TestMerge_NoSuchStep(t *testing.T) {
	withShards(t, func(h *harness) {
		if err := h.shards[0].merger.Lend(nil, nil, &domain.Lend{Step: domain.LendErased + 1}); err == nil {
			t.Error("an unknown step is applied")
		}
	})
}

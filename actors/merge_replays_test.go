package actors

import (
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/cockroachdb/pebble/v2/vfs"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/actors/shard"
)

// whole is the page size with which a journal is read in one page.
func whole() int64 { return 1 << 20 }

// singly is the page size with which a journal is read record by record.
func singly() int64 { return 1 }

// sameInAnyPages requires that a shard's journal gives and sends the same when each record is committed
// before the next is read as in the pages given, with commits at the offsets.
func (r *harness) sameInAnyPages(t *testing.T, id int, page func() int64, offsets ...int64) {
	t.Helper()
	var each []int64
	for at := range offsets[len(offsets)-1] {
		each = append(each, at+1)
	}
	r.inPages(t, id, singly, each...).same(t, r.inPages(t, id, page, offsets...))
}

// onceAt is a one-time action of a member at a time.
func (x *merges) onceAt(id domain.MemberID, brand domain.BrandID, hash uint64, at int64) domain.Activity {
	a := x.onceOf(id, hash)
	a.Brand, a.Time, a.Content.Content = brand, at, fmt.Sprint("once ", hash)
	return a
}

// What counts after a merge must not depend on whether the node was restarted since a one-time action of a
// merged member, which another one covered, was deleted.
func TestMerge_DeletedWhileCovered(t *testing.T) {
	for _, restart := range []bool{false, true} {
		t.Run(fmt.Sprint("restart ", restart), func(t *testing.T) {
			x := newMerges(t, seeded(t), 3, 1000)
			a, b, c := x.fans[0], x.fans[1], x.fans[2]
			x.publish(
				x.onceAt(b, 1, 101, 1_600_000_001), x.onceAt(c, 1, 102, 1_600_000_005), x.onceAt(a, 1, 103, 1_600_000_003),
			)
			x.settled()
			var of domain.ActionID
			for _, item := range x.feed().Items {
				if item.Member == c {
					of = item.Row.ID()
				}
			}
			x.wantBrands("apart", 3)
			x.expect(domain.OK, b, &domain.MergeMembers{Member: b, From: c})
			x.wantBrands("the third in the second", 2)
			x.expect(domain.OK, c, &domain.DeleteAction{Member: c, Action: of})
			x.wantBrands("the third's is deleted", 2)
			if restart {
				x.restart()
			}
			x.expect(domain.OK, a, &domain.MergeMembers{Member: a, From: b})
			x.wantBrands("the second in the first", 1)
			x.replaysEqual(t)
		})
	}
}

// How many rows a step of a merge has must not depend on commits (I6): what a deleted one-time action said
// is in memory until its row is sealed, and never on disk. A shard that is rebuilt has the same answers.
func TestMerge_StepsOfDeletedActions(t *testing.T) {
	x := &powers{harness: furnished(t, 2, 1, Options{})}
	a, b := x.memberOf(0), x.memberOf(1)
	large, small := strings.Repeat("x", 60<<10), "small"
	act := func(content string, of func(domain.MemberID, uint64) domain.Activity, hash uint64) {
		c := of(b, hash)
		c.Content.Content = content
		x.publish(c)
		x.settled()
	}
	for n := range uint64(12) {
		act(large, x.actOf, n+1)
	}
	act(large, x.onceOf, 100)
	q := allOf(domain.ShapeFeed, 0)
	q.Listing = domain.Listing{Every: true, Limit: 100}
	for _, item := range x.ask(q).Feed.Items {
		if item.Row.Definition == 101 {
			x.must(x.do(b, &domain.DeleteAction{Member: b, Action: item.Row.ID()}))
		}
	}
	act(small, x.actOf, 101)
	x.restart()
	x.must(x.do(a, &domain.MergeMembers{Member: a, From: b}))
	x.settled()
	x.counts(13)
	for id := range 2 {
		x.sameInAnyPages(t, id, whole, x.end(id))
	}
	x.close()
	x.fs = vfs.NewCrashableMem()
	x.journal.cut = nil
	x.open()
	x.settled()
	x.counts(13)
}

// The order of what a shard sends when a merged member is erased must not depend on which of its one-time
// pairs are committed (I6).
func TestMerge_OrderOfPairs(t *testing.T) {
	x := newMerges(t, seeded(t), 4, 1000)
	last, second, third := x.fans[0], x.fans[1], x.fans[2]
	const late, early = 1_600_000_001, 1_600_000_000
	x.publish(x.onceAt(second, 1, 101, late), x.onceAt(second, 2, 102, late), x.onceAt(third, 2, 103, early))
	x.settled()
	x.expect(domain.OK, second, &domain.MergeMembers{Member: second, From: third})
	x.expect(domain.OK, last, &domain.MergeMembers{Member: last, From: second})
	x.rested()
	at := second.Slot().Shard(3)
	x.journal.hold(at) // the pair of brand 1 and the erasure come in one page
	rows, first := x.lends(at, domain.LendRows), x.end(at)
	x.publish(x.onceAt(third, 1, 104, early))
	x.eventually("row", func() bool { return x.lends(at, domain.LendRows) > rows })
	x.expect(domain.OK, third, &domain.EraseMember{Member: third})
	x.eventually("erasure", func() bool { return x.lends(at, domain.LendErased) > 0 })
	x.journal.hold(-1)
	x.rested()
	end, n := x.end(at), 0
	pages := func() int64 {
		if n++; n == 1 {
			return first
		}
		return whole()
	}
	x.sameInAnyPages(t, at, pages, first, end)
}

// That one action takes the place of another is one step to the borrower: no answer has neither.
func TestMerge_ErasedBelowUncoversInOneStep(t *testing.T) {
	x := newMerges(t, seeded(t), 4, 1000)
	last, second, third := x.fans[0], x.fans[1], x.fans[2]
	x.publish(x.onceAt(third, 1, 101, 1_600_000_000), x.onceAt(second, 1, 102, 1_600_000_001))
	x.settled()
	x.expect(domain.OK, second, &domain.MergeMembers{Member: second, From: third})
	x.expect(domain.OK, last, &domain.MergeMembers{Member: last, From: second})
	x.wantBrands("merged", 1)
	steps := func() (n int) {
		x.eachRecord(last.Slot().Shard(3), func(r *domain.Record) {
			if l, is := r.Command.(*domain.Lend); is && l.Step == domain.LendRows && l.Member == last && len(l.Rows) > 0 {
				n++
			}
		})
		return n
	}
	before := steps()
	x.expect(domain.OK, third, &domain.EraseMember{Member: third})
	x.wantBrands("the third erased", 1)
	if n := steps() - before; n != 1 {
		t.Errorf("%d steps: an answer between them has neither action", n)
	}
	x.restart()
	x.wantBrands("after a restart", 1)
	x.expect(domain.OK, last, &domain.UnmergeMember{Member: last, From: second})
	x.wantBrands("taken back", 1)
	x.replaysEqual(t)
}

// standing has shard 0 halt before a commit with more entries of the outbox than allowed.
type standing struct {
	mu      sync.Mutex
	armed   bool
	upTo    uint64
	release chan struct{}
}

// wrap is a store whose shard halts.
func (h *standing) wrap(s shard.Store) shard.Store {
	return hookedStore{Store: s, commit: func(state domain.ShardState) {
		for {
			h.mu.Lock()
			halts, release := h.armed && state.Outbox > h.upTo, h.release
			h.mu.Unlock()
			if !halts {
				return
			}
			<-release
		}
	}}
}

// allow lets the shard go on up to so many entries; 0: for ever.
func (h *standing) allow(upTo uint64) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.armed, h.upTo = upTo > 0, upTo
	close(h.release)
	h.release = make(chan struct{})
}

// A borrower sends a late return for rows that arrive after a merge was taken back. It names a ticket of the
// borrower's shard; another shard may have given the same number to the loan that the lender has now.
func TestUnmerge_LateReturnEndsNoOtherLoan(t *testing.T) {
	x := &powers{harness: newHarness(t, 3, Options{})}
	x.close()
	h := &standing{release: make(chan struct{})}
	x.wrapShard(0, h.wrap)
	x.open()
	x.furnish(1)
	a, c, b := x.memberOf(0), x.memberOf(1), x.memberOf(2)
	hash, total := uint64(0), uint64(0)
	act := func(id domain.MemberID, n uint64) {
		for range n {
			hash++
			total++
			x.publish(x.actOf(id, hash))
		}
	}
	ticketOf := func(borrower domain.MemberID) (ticket uint64) {
		x.eachRecord(2, func(r *domain.Record) {
			if l, is := r.Command.(*domain.Lend); is && l.Step == domain.LendAsk && l.Other == borrower {
				ticket = l.Ticket
			}
		})
		return ticket
	}
	act(a, 100) // shard 0 is ahead of shard 1
	act(b, 8)
	x.settled()
	x.must(x.do(a, &domain.MergeMembers{Member: a, From: b}))
	x.settled()
	ticket := ticketOf(a)
	act(c, ticket-1-x.stateOf(1).Sequence)
	x.settled()
	x.counts(total)

	sent := x.stateOf(0).Outbox
	h.allow(sent) // not the return
	done := make(chan error, 1)
	go func() { done <- x.do(a, &domain.UnmergeMember{Member: a, From: b}) }()
	x.eventually("unmerge", func() (there bool) {
		x.eachRecord(0, func(r *domain.Record) {
			_, is := r.Command.(*domain.UnmergeMember)
			there = there || is
		})
		return there
	})
	lends := x.lends(0, domain.LendRows)
	act(b, 1)
	x.eventually("row", func() bool { return x.lends(0, domain.LendRows) > lends })
	h.allow(sent + 1) // the return, and not that of the row
	x.must(<-done)
	x.must(x.do(c, &domain.MergeMembers{Member: c, From: b}))
	if other := ticketOf(c); other != ticket {
		t.Fatalf("the tickets are %d and %d: a late return shows nothing", ticket, other)
	}
	h.allow(0)
	x.settled()
	x.settled()
	x.counts(total)
	x.restart()
	x.settled()
	x.counts(total)
	x.must(x.do(c, &domain.UnmergeMember{Member: c, From: b}))
	x.settled()
	x.counts(total)
}

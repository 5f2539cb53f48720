package actors

import (
	"context"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/cockroachdb/pebble/v2/vfs"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/actors/shard"
)

// halts is where shards halt, each before a commit of its own, until the power is cut.
type halts struct {
	mu    sync.Mutex
	left  []int // by shard: commits until it halts
	power chan struct{}
}

// arm has each shard halt somewhere.
func (h *halts) arm(rnd *rand.Rand) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.power = make(chan struct{})
	for i := range h.left {
		h.left[i] = 1 + rnd.IntN(5)
	}
}

// wrap is a store whose shard halts.
func (h *halts) wrap(i int, s shard.Store) shard.Store {
	return hookedStore{Store: s, commit: func(domain.ShardState) {
		h.mu.Lock()
		h.left[i]--
		halts, power := h.left[i] == 0, h.power
		h.mu.Unlock()
		if halts {
			<-power
		}
	}}
}

// apart submits a command while each shard halts at a place of its own, cuts the power, and submits it
// again until its outcome is there.
func (x *merges) apart(h *halts, log *faultyLog, want domain.Code, id domain.MemberID, c domain.Command) {
	x.t.Helper()
	x.next++
	s := domain.Submission{
		Account: 1, Slot: id.Slot(), Command: c,
		Request: domain.RequestID{5, byte(x.next), byte(x.next >> 8), byte(x.next >> 16)},
	}
	h.arm(x.rnd)
	ctx, cancel := context.WithCancel(context.Background())
	var client sync.WaitGroup
	n := x.node
	client.Go(func() { _, _ = n.Submit(ctx, s) })
	x.act(8)
	time.Sleep(time.Duration(x.rnd.IntN(300)) * time.Millisecond)
	rest := x.fs.(*vfs.MemFS).CrashClone(vfs.CrashCloneCfg{UnsyncedDataPercent: 100 * x.rnd.IntN(2), RNG: x.rnd})
	log.off.Store(true) // what runs on until it is closed is heard by no other machine
	close(h.power)
	cancel()
	x.close()
	client.Wait()
	log.off.Store(false)
	x.fs = rest
	x.open()
	for {
		out, err := x.node.Submit(context.Background(), s)
		if err != nil {
			continue // not yet
		}
		if out.Code != want {
			x.t.Fatalf("%+v: %+v, want code %d", c, out, want)
		}
		break
	}
	x.rested()
}

// erase erases a member, and those who are merged into it.
func (x *merges) erase() {
	x.t.Helper()
	id := x.fans[x.rnd.IntN(len(x.fans))]
	if x.into[id] != 0 {
		return
	}
	x.expect(domain.OK, id, &domain.EraseMember{Member: id})
	x.erased(id)
}

// erased notes that a member is, with those who are merged into it.
func (x *merges) erased(id domain.MemberID) {
	erased := func(m domain.MemberID) bool { return x.root(m) == id }
	x.acts = slices.DeleteFunc(x.acts, func(a domain.Activity) bool { return erased(a.Member) })
	x.fans = slices.DeleteFunc(x.fans, erased)
}

// step merges two members, takes a merge back, or erases a member.
func (x *merges) step(h *halts, log *faultyLog) {
	x.t.Helper()
	a, b := x.fans[x.rnd.IntN(len(x.fans))], x.fans[x.rnd.IntN(len(x.fans))]
	for a == b || x.into[a] != 0 {
		a, b = x.fans[x.rnd.IntN(len(x.fans))], x.fans[x.rnd.IntN(len(x.fans))]
	}
	switch {
	case x.rnd.IntN(6) == 0 && len(x.fans) > 8:
		x.apart(h, log, domain.OK, a, &domain.EraseMember{Member: a})
		x.erased(a)
	case x.into[b] == a:
		x.apart(h, log, domain.OK, a, &domain.UnmergeMember{Member: a, From: b})
		delete(x.into, b)
	case x.into[b] != 0:
		x.apart(h, log, domain.Conflict, a, &domain.MergeMembers{Member: a, From: b})
	case x.below(b) == domain.DeepestMerge:
		x.apart(h, log, domain.PlanLimit, a, &domain.MergeMembers{Member: a, From: b})
	default:
		x.apart(h, log, domain.OK, a, &domain.MergeMembers{Member: a, From: b})
		x.into[b] = a
	}
	x.check()
}

// Wherever each of the shards of a merge, of one that is taken back, or of an erasure loses its power,
// apart from the others: nothing is lost, nothing counts twice, it completes, and a replay has the same
// (I2, I4, I6).
func TestMerge_ShardsCrashApart(t *testing.T) {
	t.Parallel()
	for range mergeCrashes {
		rnd := seeded(t)
		inBubble(t, func(t *testing.T) {
			log, h := newFaultyLog(1, 3), &halts{left: make([]int, 3)}
			x := &merges{
				harness: furnished(t, 3, 2, Options{Logs: Logs{Journal: log}}),
				rnd:     rnd, brands: 2, names: map[domain.MemberID][]int{},
				into: map[domain.MemberID]domain.MemberID{}, gone: map[string]bool{},
			}
			for fan := range 10 {
				x.register(fan)
			}
			x.act(60)
			x.rested()
			x.close()
			x.wrap = h.wrap
			x.open()
			for range 10 {
				x.step(h, log)
			}
			x.replaysEqual(t)
		})
	}
}

// The status counts what was merged into members of a shard and what was taken back, not what was
// merged already or refused.
func TestMerge_Counted(t *testing.T) {
	x := newMerges(t, rand.New(rand.NewPCG(1, 1)), 4, 100)
	a, b, c, d := x.fans[0], x.fans[1], x.fans[2], x.fans[3]
	x.expect(domain.OK, a, &domain.MergeMembers{Member: a, From: b})
	x.expect(domain.OK, a, &domain.MergeMembers{Member: a, From: b})
	x.expect(domain.Conflict, c, &domain.MergeMembers{Member: c, From: b})
	x.expect(domain.OK, c, &domain.MergeMembers{Member: c, From: d})
	x.expect(domain.OK, a, &domain.UnmergeMember{Member: a, From: b})
	x.expect(domain.NotFound, a, &domain.UnmergeMember{Member: a, From: b})
	var merged, unmerged int64
	for _, s := range x.node.Status().Shards {
		merged, unmerged = merged+s.Merged, unmerged+s.Unmerged
	}
	if merged != 2 || unmerged != 1 {
		t.Errorf("%d merged, %d taken back", merged, unmerged)
	}
}

package actors

import (
	"context"
	"encoding/binary"
	"slices"
	"sync"
	"testing"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/actors/domain/codec"
	"github.com/ovation-analytics/ovation/actors/member"
)

// chained merges members one into the other: the first into the second, that one into the third, and so on.
func (x *merges) chained(fans ...domain.MemberID) {
	x.t.Helper()
	for i := range fans[1:] {
		x.expect(domain.OK, fans[i+1], &domain.MergeMembers{Member: fans[i+1], From: fans[i]})
	}
	x.rested()
}

// record is what a member is now.
func (x *merges) record(id domain.MemberID) *domain.Member {
	x.t.Helper()
	m, _, err := x.node.MemberRecord(context.Background(), 1, id, domain.Position{})
	x.must(err)
	return m
}

// A chain of merges has eight at most. One more is refused whichever way it would come to be, and changes
// nothing; once one is taken back, another can be made.
func TestMerge_DeepestChain(t *testing.T) {
	x := newMerges(t, seeded(t), 14, 1000)
	const maxDepth = domain.DeepestMerge
	chain, more := x.fans[:maxDepth+1], x.fans[maxDepth+1:]
	x.act(40)
	x.chained(chain...)
	top, before := chain[maxDepth], x.tally(1).Total
	refused := func(into, from domain.MemberID) {
		t.Helper()
		absorbed := len(x.record(into).Absorbed)
		x.expect(domain.PlanLimit, into, &domain.MergeMembers{Member: into, From: from})
		x.rested()
		if lent, now := x.record(from).Lent, len(x.record(into).Absorbed); lent != nil || now != absorbed {
			t.Errorf("a member that is refused lends itself: %+v; %d merged, before %d", lent, now, absorbed)
		}
	}
	refused(more[0], top)
	x.restart()
	x.rested()
	refused(more[0], top)
	x.expect(domain.OK, top, &domain.MergeMembers{Member: top, From: more[0]}) // beside the chain
	x.expect(domain.OK, more[2], &domain.MergeMembers{Member: more[2], From: more[1]})
	refused(more[2], top)
	x.expect(domain.OK, top, &domain.MergeMembers{Member: top, From: more[2]}) // beside it, two deep
	x.rested()
	if got := x.tally(1).Total; got.Actions > before.Actions {
		t.Errorf("%+v actions, before there were %+v", got, before)
	}
	if got := member.Depth(x.record(top)); got != maxDepth {
		t.Errorf("a chain of %d merges is %d deep", maxDepth, got)
	}
	x.expect(domain.OK, top, &domain.UnmergeMember{Member: top, From: chain[maxDepth-1]})
	x.expect(domain.OK, more[3], &domain.MergeMembers{Member: more[3], From: top})
	x.rested()
	x.replaysEqual(t)
}

// However merges cross, no chain gets deeper.
func TestMerge_NoScheduleExceedsTheDeepest(t *testing.T) {
	for range sampled(10) {
		t.Run("", func(t *testing.T) {
			t.Parallel()
			rnd := seeded(t)
			inBubble(t, func(t *testing.T) {
				const long = domain.DeepestMerge // members of a chain: one merge less
				x := newMerges(t, rnd, 12*long, 1000)
				var tops []domain.MemberID
				for chain := range slices.Chunk(x.fans, long) {
					x.chained(chain...)
					tops = append(tops, chain[long-1])
				}
				codes := map[domain.Code]int{}
				for range 8 {
					for code, n := range x.crossing(tops) {
						codes[code] += n
					}
				}
				deepest, roots := 0, []domain.MemberID(nil)
				for _, id := range x.fans {
					of := x.record(id)
					deepest = max(deepest, member.Depth(of))
					if of.Lent == nil {
						roots = append(roots, id)
					}
				}
				if deepest != domain.DeepestMerge {
					t.Errorf("chains of up to %d merges, outcomes by code %v", deepest, codes)
				}
				for i, root := range roots { // whom chance has not asked
					if into := roots[(i+1)%len(roots)]; into != root && member.Depth(x.record(root)) == deepest {
						x.expect(domain.PlanLimit, into, &domain.MergeMembers{Member: into, From: root})
					}
				}
			})
		})
	}
}

// crossing has members merge into one another, all at once, and counts the outcomes by their codes.
func (x *merges) crossing(tops []domain.MemberID) map[domain.Code]int {
	var mu sync.Mutex
	var clients sync.WaitGroup
	codes := map[domain.Code]int{}
	for range len(tops) {
		into, from := tops[x.rnd.IntN(len(tops))], tops[x.rnd.IntN(len(tops))]
		s := domain.Submission{Account: 1, Slot: into.Slot(), Command: &domain.MergeMembers{Member: into, From: from}}
		binary.BigEndian.PutUint64(s.Request[8:], x.rnd.Uint64())
		clients.Go(func() {
			out, err := x.repeated(s)
			if err != nil {
				x.t.Error(err)
			}
			mu.Lock()
			defer mu.Unlock()
			codes[out.Code]++
		})
	}
	clients.Wait()
	x.rested()
	return codes
}

// journalled is how many records the journal has, and how many bytes they are.
func (x *merges) journalled() (records, bytes int) {
	for p := range x.journal.Partitions() {
		x.eachRecord(p, func(r *domain.Record) {
			records++
			bytes += len(codec.AppendRecord(nil, r))
		})
	}
	return records, bytes
}

// What a command to the lowest member of a chain adds to the journal grows with the chain's length, not with
// all that is known in it.
func TestMerge_AChangeIsSentAsItIs(t *testing.T) {
	cost := func(merges int) (records, bytes int) {
		x := newMerges(t, seeded(t), merges+1, 1000)
		x.chained(x.fans...)
		x.rested()
		r, b := x.journalled()
		for brand := range uint32(4) {
			x.expect(domain.OK, x.fans[0], &domain.OptIn{
				Member: x.fans[0], Opt: domain.Opt{Kind: domain.OptBrand, ID: brand + 1}, At: 5,
			})
		}
		x.rested()
		records, bytes = x.journalled()
		top := x.record(x.fans[merges])
		for range merges {
			top = top.Absorbed[0].Record
		}
		if len(top.Opts) != 4 {
			t.Errorf("the survivor of %d merges knows of %d opt-ins of the lowest member", merges, len(top.Opts))
		}
		x.replaysEqual(t)
		return records - r, bytes - b
	}
	r2, b2 := cost(2)
	r4, b4 := cost(4)
	r8, b8 := cost(8)
	t.Logf("four opt-ins: %d records of %d bytes below 2 merges, %d of %d below 4, %d of %d below 8", r2, b2, r4, b4, r8, b8)
	if slack := 5; b8-b4 > 2*(b4-b2)*(100+slack)/100 || r8-r4 > 2*(r4-r2)*(100+slack)/100+slack {
		t.Errorf("from 4 to 8 merges %d more bytes, from 2 to 4 %d", b8-b4, b4-b2)
	}
}

package actors

import (
	"context"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/ovation-analytics/ovation/actors/catalog"
	"github.com/ovation-analytics/ovation/actors/domain"
)

// setAsideStep is members of two shards, the last one of the second, of whose merges one step is set aside.
type setAsideStep struct {
	*powers
	armed atomic.Bool
	last  bool // of steps with rows: the handover
	step  domain.LendStep
}

func newSetAsideStep(t *testing.T, step domain.LendStep, last bool) *setAsideStep {
	log := newFaultyLog(1, 2)
	x := &setAsideStep{powers: &powers{harness: furnished(t, 2, 1, Options{Logs: Logs{Journal: log}})}, step: step, last: last}
	x.close()
	log.change = x.change
	x.open()
	x.ids = []domain.MemberID{x.memberOf(0), x.register(1000), x.memberOf(1)}
	for n := 1000; x.ids[1].Slot().Shard(2) != 0; n++ {
		x.ids[1] = x.register(n)
	}
	for i := range uint64(16) {
		a := x.actOf(x.ids[2], i+1)
		a.Content.Content = strings.Repeat("x", 60<<10)
		x.publish(a)
	}
	x.settled()
	x.armed.Store(true)
	return x
}

// change sets the first such step aside, before its shard reads it.
func (x *setAsideStep) change(p int, _ int64, page domain.Page) (domain.Page, error) {
	for i := range page.Records {
		r := &page.Records[i]
		l, is := r.Command.(*domain.Lend)
		if !is || l.Step != x.step || x.last && !l.Last || !x.armed.CompareAndSwap(true, false) {
			continue
		}
		place := catalog.RecordPlace{Topic: x.journal.id, Partition: p, Offset: r.Offset, Epoch: r.Epoch}
		_, err := x.catalog.Append(context.Background(), 0, []domain.Record{{Kind: domain.KindSetAside, Command: &domain.SetAside{
			Topic: place.Topic, Partition: p, Offset: r.Offset, Epoch: r.Epoch,
		}}})
		x.must(err)
		x.eventually("record of the catalog", func() bool { return x.node.Catalog().SetsAside(place) })
	}
	return page, nil
}

// Whichever step of a merge is set aside, its request has an outcome without anything being done, no copy of an
// erased member counts, and the members can be merged again (I10).
func TestSetAside_OfAStepOfAMerge(t *testing.T) {
	for _, c := range []struct {
		step domain.LendStep
		last bool
	}{
		{domain.LendAsk, false},
		{domain.LendRows, false},
		{domain.LendRows, true},
		{domain.LendNext, false},
		{domain.LendRefused, false},
		{domain.LendReturn, false},
		{domain.LendErased, false},
	} {
		t.Run(fmt.Sprint(c.step, c.last), func(t *testing.T) {
			t.Parallel()
			x := newSetAsideStep(t, c.step, c.last)
			into, neighbour, from := x.ids[0], x.ids[1], x.ids[2]
			merge, part := &domain.MergeMembers{Member: into, From: from}, &domain.UnmergeMember{Member: into, From: from}
			ends := func(what string, want domain.Code, err error) {
				t.Helper()
				if domain.CodeOf(err) != want {
					t.Errorf("%s ends with %v, want code %d", what, err, want)
				}
			}
			fails := func() {
				t.Helper()
				ends("the merge", domain.Internal, x.do(into, merge))
				x.settled()
				ends("the end of what is not merged", domain.NotFound, x.do(into, part))
				x.counts(16)
			}
			switch c.step {
			case domain.LendReturn:
				ends("the merge", domain.OK, x.do(into, merge))
				ends("the end", domain.Internal, x.do(into, part))
			case domain.LendErased:
				ends("the merge", domain.OK, x.do(into, merge))
				x.submit(domain.Submission{Account: 1, Slot: from.Slot(), Command: &domain.EraseMember{Member: from}})
				x.settled()
				x.settled()
				x.wantActions(0)
				ends("the end", domain.NotFound, x.do(into, part))
				x.replaysEqual(t)
				return
			case domain.LendRefused:
				ends("the neighbour's merge", domain.OK, x.do(neighbour, &domain.MergeMembers{Member: neighbour, From: from}))
				fails()
				ends("its end", domain.OK, x.do(neighbour, &domain.UnmergeMember{Member: neighbour, From: from}))
			default:
				fails()
			}
			x.settled()
			ends("another merge", domain.OK, x.do(into, merge))
			x.counts(16)
			ends("its end", domain.OK, x.do(into, part))
			x.counts(16)
			x.settled()
			x.replaysEqual(t)
		})
	}
}

// Whichever step of a merge is set aside, the lender is lent no more where its borrower is erased meanwhile:
// another one can have it.
func TestSetAside_OfAStepWhoseBorrowerIsErased(t *testing.T) {
	for _, c := range []struct {
		step domain.LendStep
		last bool
	}{{domain.LendAsk, false}, {domain.LendRows, false}, {domain.LendRows, true}, {domain.LendNext, false}} {
		t.Run(fmt.Sprint(c.step, c.last), func(t *testing.T) {
			t.Parallel()
			x := newSetAsideStep(t, c.step, c.last)
			into, neighbour, from := x.ids[0], x.ids[1], x.ids[2]
			merged := make(chan error, 1)
			go func() { merged <- x.do(into, &domain.MergeMembers{Member: into, From: from}) }()
			x.eventually("step that is set aside", func() bool { return !x.armed.Load() })
			x.submit(domain.Submission{Account: 1, Slot: into.Slot(), Command: &domain.EraseMember{Member: into}})
			if code := domain.CodeOf(<-merged); code != domain.Gone && code != domain.Internal {
				t.Errorf("the merge ends with code %d", code)
			}
			x.settled()
			x.counts(16)
			x.must(x.do(neighbour, &domain.MergeMembers{Member: neighbour, From: from}))
			x.settled()
			x.counts(16)
			x.replaysEqual(t)
		})
	}
}

// A merge that is denied merges nothing. Where its request is known it has the first outcome.
func TestMerge_Denied(t *testing.T) {
	x := newPowers(t, 3, 2)
	try := func(request byte, denied bool, want domain.Code, replayed bool) {
		t.Helper()
		out, err := x.repeated(domain.Submission{
			Account: 1, Slot: x.ids[0].Slot(), Request: domain.RequestID{9, 15: request},
			Command: &domain.MergeMembers{Member: x.ids[0], From: x.ids[1], Denied: denied},
		})
		if err != nil || out.Code != want || out.Replayed != replayed {
			t.Errorf("request %d, denied %v: code %d, replayed %v, %v", request, denied, out.Code, out.Replayed, err)
		}
	}
	try(1, true, domain.WrongPassword, false)
	try(1, false, domain.WrongPassword, true)
	if m, _, err := x.node.Member(t.Context(), 1, x.ids[1], domain.Position{}); err != nil || m.Lent != nil {
		t.Errorf("%+v, %v", m, err)
	}
	try(2, false, domain.OK, false)
	try(2, true, domain.OK, true)
	try(3, true, domain.WrongPassword, false)
}

package sending

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"testing"
	"testing/synctest"
	"time"

	"go.uber.org/goleak"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/api/webhooks/delivery"
	"github.com/ovation-analytics/ovation/api/webhooks/egress"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// A node that comes back goes on from what was kept: what was taken is not sent again, and what failed is tried again when
// its time comes. What ended is listed.
func TestRunner_GoesOnFromWhatWasKept(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(2)
		fails := true
		w.answer = func(m message) egress.Answer {
			if m.Data.Member == 2 && fails {
				return egress.Answer{Status: 503, Failure: egress.Refusal}
			}
			return egress.Answer{Status: 204}
		}
		w.hook.Begin = []uint64{1, 0}
		w.act(0, 9, 1, 2, 1)
		w.act(1, 3)
		stop := w.alone().run()
		time.Sleep(3 * time.Second)
		stop()
		if n := len(w.messages()); n != 4 {
			t.Fatalf("%d requests, want 4: what was before the webhook is not sent", n)
		}
		if p := w.kept[0]; p.Through != 4 || len(p.pending) != 1 {
			t.Errorf("kept is %+v", p)
		}
		w.mu.Lock()
		fails = false
		w.mu.Unlock()
		stop = w.alone().run()
		defer stop()
		time.Sleep(10 * time.Second)
		all := w.messages()
		if n := len(all); n != 5 || all[4].Data.Member != 2 || all[4].ID != all[slices.IndexFunc(all, func(m message) bool { return m.Data.Member == 2 })].ID {
			t.Errorf("requests %+v", all)
		}
		w.mu.Lock()
		defer w.mu.Unlock()
		if len(w.kept[0].pending) != 0 || len(w.kept[0].ended) != 3 || len(w.kept[1].ended) != 1 {
			t.Errorf("kept is %+v", w.kept)
		}
		if e := w.kept[0].ended[2]; e.Tries != 2 || e.ID.String() != all[4].ID || e.Status != "204" || e.GivenUp {
			t.Errorf("listed is %+v", e)
		}
	})
}

// A machine whose clock is wrong signs by the time of day and keeps times by it, for whichever node goes on. It waits for
// what it has kept as long as it was to.
func TestRunner_MachineWithAWrongClock(t *testing.T) {
	for _, ahead := range []time.Duration{26 * time.Hour, -26 * time.Hour} {
		synctest.Test(t, func(t *testing.T) {
			w := newWorld(1)
			fails := true
			w.answer = func(message) egress.Answer {
				if fails {
					return egress.Answer{Status: 503, Failure: egress.Refusal}
				}
				return egress.Answer{Status: 204}
			}
			n := w.alone()
			n.ahead = ahead
			w.act(0, 1)
			stop := n.run()
			synctest.Wait()
			time.Sleep(3 * time.Second)
			stop()
			day := time.Now().Add(-ahead) // what the bubble's clock shows is the machine's
			first := w.messages()
			if len(first) != 1 || first[0].at != strconv.FormatInt(day.Add(-3*time.Second).Unix(), 10) {
				t.Fatalf("by a clock that is %s ahead, at %d: %+v", ahead, day.Unix(), first)
			}
			for _, p := range w.kept[0].pending {
				if next := time.UnixMilli(p.Next).Sub(day); next < 0 || next > 5*time.Second || p.First != p.Last {
					t.Errorf("kept is %+v, the next try %s from now", p, next)
				}
			}
			if p := w.kept[0]; len(p.pending) != 1 || p.Failing != day.Add(-3*time.Second).UnixMilli() {
				t.Errorf("kept is %+v", p)
			}
			w.mu.Lock()
			fails = false
			w.mu.Unlock()
			stop = n.run()
			defer stop()
			time.Sleep(4 * time.Second)
			if n := len(w.messages()); n != 2 {
				t.Errorf("%d requests, want 2", n)
			}
		})
	}
}

// An edit has effect on what is sent from then on; a receiver that answers 410 disables the webhook; one that is enabled
// again goes on; of one that is deleted nothing is kept.
func TestRunner_FollowsTheCatalog(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(1)
		stop := w.alone().run()
		defer stop()
		w.act(0, 1)
		time.Sleep(3 * time.Second)
		w.mu.Lock()
		w.answer = func(message) egress.Answer { return egress.Answer{Status: 410, Failure: egress.Refusal} }
		w.mu.Unlock()
		w.act(0, 2)
		time.Sleep(3 * time.Second)
		w.mu.Lock()
		if w.hook.Disabled != domain.DisabledByGone {
			t.Errorf("after 410 it is %d", w.hook.Disabled)
		}
		w.answer = func(message) egress.Answer { return egress.Answer{Status: 200} }
		w.mu.Unlock()
		w.act(0, 3)
		time.Sleep(time.Minute)
		if n := len(w.messages()); n != 2 {
			t.Errorf("%d requests, the last while it was disabled", n)
		}
		w.edit(func(hook *domain.Webhook) { hook.Disabled, hook.Since = domain.NotDisabled, time.Now().UnixMilli() })
		time.Sleep(time.Minute)
		if all := w.messages(); len(all) != 4 {
			t.Errorf("%+v after it was enabled again", all)
		}
		w.edit(func(hook *domain.Webhook) { hook.Deleted = true })
		time.Sleep(2 * time.Second)
		w.act(0, 4)
		time.Sleep(time.Minute)
		w.mu.Lock()
		defer w.mu.Unlock()
		if w.kept[0].Version != 0 || len(w.got) != 4 {
			t.Errorf("deleted: %+v, %d requests", w.kept[0], len(w.got))
		}
	})
}

// An account that wants an event once more has it sent by the node that is at work, with its id.
func TestRunner_SendsOnceMoreWhatAnAccountWants(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(1)
		stop := w.alone().run()
		defer stop()
		w.act(0, 1, 2)
		time.Sleep(3 * time.Second)
		w.mu.Lock()
		of := &w.kept[0]
		event := domain.Event{EventPlace: domain.EventPlace{Sequence: 2, Kind: domain.EventActivity}, Member: 2}
		if !w.apply(&domain.Delivered{Webhook: 7, Base: of.Version, Through: of.Through, Pending: []domain.Undelivered{{Events: []domain.Event{event}}}}) {
			t.Fatal("the wish does not count")
		}
		w.mu.Unlock()
		time.Sleep(5 * time.Second) // nothing else happens
		w.act(0, 3)
		time.Sleep(5 * time.Second)
		all, ids := w.messages(), map[string]int{}
		for _, m := range all {
			ids[m.ID]++
		}
		second := all[slices.IndexFunc(all, func(m message) bool { return m.Data.Sequence == 2 })].ID
		if len(ids) != 3 || ids[second] < 2 || all[2].Data.Sequence != 2 {
			t.Errorf("requests %+v", all)
		}
	})
}

// A webhook whose filters find nothing any more is left alone for longer and longer; once it is edited it goes on at once
// with what waits.
func TestRunner_WaitsForFilters(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(1)
		n := w.alone()
		stop := n.run()
		defer stop()
		w.act(0, 1)
		time.Sleep(3 * time.Second)
		w.mu.Lock()
		w.blind = fmt.Errorf("%w: its brand is deleted", delivery.ErrFilters)
		w.mu.Unlock()
		w.act(0, 2)
		time.Sleep(time.Hour)
		w.mu.Lock()
		if w.opened < 60 || w.opened > 70 || len(w.got) != 1 {
			t.Errorf("%d looks in an hour, %d requests", w.opened, len(w.got))
		}
		w.blind = nil
		w.mu.Unlock()
		w.edit(func(hook *domain.Webhook) { hook.Filters = nil })
		time.Sleep(3 * time.Second)
		if all := w.messages(); len(all) != 2 || all[1].Data.Sequence != 2 {
			t.Errorf("requests %+v", all)
		}
	})
}

// The records of an account are what a Runner finds: a message that was given up, all after a place, and nothing where
// nothing is to be sent once more.
func TestRedelivery_Records(t *testing.T) {
	w := newWorld(2)
	n := w.alone()
	event := domain.Event{EventPlace: domain.EventPlace{Sequence: 4, Kind: domain.EventActivity}, Member: 9}
	id := delivery.Place{Webhook: 7, Shard: 1}.EventID(delivery.EventOf(event))
	w.apply(&domain.Delivered{
		Webhook: 7, Partition: 1, Node: domain.NodeID{1}, Through: 6, Failing: 5, Success: 3,
		Ended: []domain.Delivery{{ID: id, Events: []domain.Event{event}, Count: 1, GivenUp: true}, {ID: domain.MessageID{1}, Events: []domain.Event{event}, Count: 2}},
	})
	shard, events, err := Find(n, &w.hook, id)
	if err != nil || shard != 1 || len(events) != 1 || events[0] != event {
		t.Fatalf("%d %+v %v", shard, events, err)
	}
	if _, _, err := Find(n, &w.hook, domain.MessageID{1}); err != ErrBatch {
		t.Error(err)
	}
	if _, _, err := Find(n, &w.hook, domain.MessageID{2}); err != ErrNoMessage {
		t.Error(err)
	}
	d, err := Again(n, &w.hook, shard, events)
	if err != nil || !w.apply(d) || d.Success != 3 || d.Failing != 5 || d.Through != 6 || len(w.kept[1].pending) != 1 {
		t.Fatalf("%+v %v", d, err)
	}
	if d, err = Again(n, &w.hook, shard, events); d != nil || err != nil {
		t.Errorf("what is pending: %+v %v", d, err)
	}
	if d, err = Rewind(n, &w.hook, 1, 6); d != nil || err != nil {
		t.Errorf("what was not taken: %+v %v", d, err)
	}
	if d, err = Rewind(n, &w.hook, 1, 2); err != nil || !w.apply(d) || w.kept[1].Through != 2 || len(w.kept[1].pending) != 1 {
		t.Errorf("%+v %v", d, err)
	}
}

// Of three nodes one sends; when it is killed, paused or cut from the log, or ranks change, each event is sent at
// least once all the same, those of a member in order, and what was kept is never mixed.
func TestRunner_EachEventOverTakeOvers(t *testing.T) {
	for range 10 {
		seed := rand.Uint64()
		r := rand.New(rand.NewPCG(seed, 5))
		synctest.Test(t, func(t *testing.T) {
			w := newWorld(2)
			ranks, dead := []int{0, 1, 2}, make([]bool, 3)
			answers, healthy := rand.New(rand.NewPCG(seed, 6)), false
			w.answer = func(message) egress.Answer {
				if answers.IntN(8) == 0 && !healthy {
					return egress.Answer{Status: 500, Failure: egress.Refusal}
				}
				return egress.Answer{Status: 200}
			}
			begin := func(i int) func() {
				n := &node{world: w, id: domain.NodeID{byte(i + 1)}, others: true}
				gone := false // of this life
				n.rank = func() int { return ranks[i] }
				n.killed = func() bool { return gone }
				stop := n.run()
				return func() {
					w.mu.Lock()
					gone = r.IntN(2) == 0
					w.mu.Unlock()
					stop()
				}
			}
			stops := []func(){begin(0), begin(1), begin(2)}
			member := func() domain.MemberID { return domain.MemberID(1 + r.IntN(5)) }
			for range 30 {
				w.act(r.IntN(2), member(), member())
				i := r.IntN(3)
				switch r.IntN(8) {
				case 0:
					if !dead[i] {
						stops[i]()
						dead[i] = true
					}
				case 1:
					w.mu.Lock()
					r.Shuffle(3, func(i, j int) { ranks[i], ranks[j] = ranks[j], ranks[i] })
					w.mu.Unlock()
				case 2:
					w.mu.Lock()
					w.away = !w.away
					w.mu.Unlock()
				}
				if dead[i] && r.IntN(2) == 0 {
					stops[i], dead[i] = begin(i), false
				}
				time.Sleep(time.Duration(r.IntN(8000)) * time.Millisecond)
			}
			w.mu.Lock()
			w.away, healthy = false, true
			w.mu.Unlock()
			for i := range stops {
				if dead[i] {
					stops[i] = begin(i)
				}
			}
			time.Sleep(4 * time.Hour) // longer than the back-off after all tries of two minutes
			for _, stop := range stops {
				stop()
			}
			w.want(t, seed)
		})
		if t.Failed() {
			return
		}
	}
}

// want requires that each event came, those of a member in the order of their first tries, and that nothing is pending.
func (w *world) want(t *testing.T, seed uint64) {
	t.Helper()
	type place struct{ shard, sequence uint64 }
	first, n := map[place]int{}, 0
	last := map[[2]uint64]uint64{}
	for _, m := range w.got {
		at := place{m.Data.Shard, m.Data.Sequence}
		if _, again := first[at]; again {
			continue
		}
		first[at] = n
		n++
		of := [2]uint64{m.Data.Shard, m.Data.Member}
		if m.Data.Sequence < last[of] {
			t.Errorf("seed %d: member %d gets event %d after %d", seed, m.Data.Member, m.Data.Sequence, last[of])
		}
		last[of] = m.Data.Sequence
	}
	for shard, rows := range w.rows {
		for _, e := range rows {
			if _, came := first[place{uint64(shard), e.Sequence}]; !came {
				t.Errorf("seed %d: event %d of shard %d never came", seed, e.Sequence, shard)
			}
		}
		if p := &w.kept[shard]; len(p.pending) > 0 || p.Through != uint64(len(rows)) {
			t.Errorf("seed %d: kept of shard %d is %+v of %d rows", seed, shard, p, len(rows))
		}
	}
}

// The next node takes over after its delay, and not from a node that works on a receiver that hangs.
func TestRunner_TakesOverAfterItsDelay(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(1)
		never := func() bool { return false }
		first := &node{world: w, id: domain.NodeID{1}, others: true, rank: func() int { return 0 }, killed: never}
		second := &node{world: w, id: domain.NodeID{2}, others: true, rank: func() int { return 1 }, killed: never}
		stopSecond := second.run()
		defer stopSecond()
		stopFirst := first.run()
		w.answer = func(message) egress.Answer { // asks for a pause of an hour
			return egress.Answer{Status: 503, Failure: egress.Refusal, RetryAfter: time.Hour}
		}
		w.act(0, 1)
		time.Sleep(time.Hour - time.Minute)
		if all := w.messages(); len(all) != 1 || all[0].by != first.id {
			t.Fatalf("with a node at work: %+v", all)
		}
		w.mu.Lock()
		w.answer = func(message) egress.Answer { return egress.Answer{Status: 200} }
		w.mu.Unlock()
		time.Sleep(2 * time.Minute)
		stopFirst()
		begun := time.Now()
		w.act(0, 2)
		for len(w.messages()) < 3 {
			time.Sleep(100 * time.Millisecond)
		}
		if took := time.Since(begun); took < takeAfter || took > takeAfter+2*lookEvery || w.messages()[2].by != second.id {
			t.Errorf("taken over after %v: %+v", took, w.messages())
		}
	})
}

// A node that comes back before the one that sends takes the webhook from it between two events: none comes twice,
// though the receiver takes two seconds for each. One that was taken over because it stood still does not.
func TestRunner_HandsOver(t *testing.T) {
	for _, back := range []bool{true, false} {
		t.Run(fmt.Sprint("back ", back), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				w := newWorld(2)
				w.slow = 2 * time.Second
				firstRank, secondRank := 0, 0
				if !back {
					secondRank = 1 // the first is there, and sends nothing
				}
				never := func() bool { return false }
				first := &node{world: w, id: domain.NodeID{1}, others: true, rank: func() int { return firstRank }, killed: never}
				second := &node{world: w, id: domain.NodeID{2}, others: true, rank: func() int { return secondRank }, killed: never}
				acts := func(seconds int) {
					for i := range 4 * seconds {
						w.act(i%2, domain.MemberID(1+i%16))
						time.Sleep(250 * time.Millisecond)
					}
				}
				stopSecond := second.run()
				acts(30)
				w.mu.Lock()
				secondRank = 1
				before := len(w.got)
				w.mu.Unlock()
				stopFirst := first.run()
				acts(30)
				time.Sleep(20 * time.Second)
				stopFirst()
				stopSecond()
				all := w.messages()
				if len(all) != 240 || before < 60 {
					t.Errorf("%d requests for 240 events, %d of them before the first node was back", len(all), before)
				}
				w.want(t, 0)
				want := second.id
				if back {
					want = first.id
				}
				if got := all[len(all)-1].by; got != want {
					t.Errorf("the last event was sent by %v, want %v", got, want)
				}
			})
		})
	}
}

// A node that was cut from the log while another one took its webhook over sends nothing that the other has sent: it
// learns of it before it begins a try. So does a node that begins while another one sends, but for the tries of a moment.
func TestRunner_SendsNothingOfAnother(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(8)
		never := func() bool { return false }
		ranks := []int{0, 1, 0}
		of := func(i int) *node {
			return &node{world: w, id: domain.NodeID{byte(i + 1)}, others: true, rank: func() int { return ranks[i] }, killed: never}
		}
		first, second, third := of(0), of(1), of(2)
		defer first.run()()
		defer second.run()()
		acts := func(n int) {
			for i := range n {
				w.act(i%8, domain.MemberID(1+i%16))
			}
		}
		sleep := func(d time.Duration) {
			time.Sleep(d)
			synctest.Wait()
		}
		sleep(10*time.Second + lookEvery/2) // no node begins in the moment in which another one sends
		acts(40)
		sleep(10 * time.Second)
		w.mu.Lock()
		first.cut = true
		w.mu.Unlock()
		acts(40)
		sleep(20 * time.Second)
		w.mu.Lock()
		first.cut = false
		w.mu.Unlock()
		acts(40)
		sleep(20 * time.Second)
		w.mu.Lock()
		ranks[0], ranks[1] = 1, 2
		w.mu.Unlock()
		defer third.run()()
		for range 30 {
			acts(8)
			sleep(time.Second)
		}
		by := map[domain.NodeID]int{}
		for _, m := range w.messages() {
			by[m.by]++
		}
		if n := len(w.messages()); n < 360 || n > 368 || by[first.id] < 40 || by[second.id] < 80 || by[third.id] < 160 {
			t.Errorf("%d requests for 360 events: %v", len(w.messages()), by)
		}
		w.want(t, 0)
	})
}

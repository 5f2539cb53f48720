package delivery

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/api/webhooks/egress"
	"github.com/ovation-analytics/ovation/api/webhooks/signature"
	standardwebhooks "github.com/standard-webhooks/standard-webhooks/libraries/go"
)

// start runs a Sender until the function is called.
func start(t *testing.T, c Config) (stop func()) {
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan struct{})
	go func() {
		defer close(done)
		New(c).Run(ctx)
	}()
	return func() {
		cancel()
		<-done
	}
}

// TestSender_Signed: a message is JSON with the id of its header, and the public library verifies it by each secret.
func TestSender_Signed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(2)
		c := w.config(1)
		former := signature.NewSecret()
		c.Secrets = func(context.Context, time.Time) ([]signature.Secret, error) {
			return []signature.Secret{testSecret, former}, nil
		}
		defer start(t, c)()
		w.act(1, 5)
		synctest.Wait()
		all := w.requests()
		if len(all) != 1 {
			t.Fatalf("%d requests, want 1", len(all))
		}
		g := all[0]
		for _, s := range []signature.Secret{testSecret, former} {
			v, err := standardwebhooks.NewWebhook(s.Reveal())
			if err != nil {
				t.Fatal(err)
			}
			if err := v.Verify(g.Body, g.Header); err != nil {
				t.Error(err)
			}
		}
		b := g.body
		if b.ID != g.id || b.Event != "activity" || b.Time != "1970-01-01 00:00:01" || b.Cursor != "[0 0]" || b.Data["member"] != 5 {
			t.Errorf("%s: %s", g.id, g.Body)
		}
	})
}

// TestSender_HeadOfLine: events of a member whose events fail are held, in order; those of all others pass.
func TestSender_HeadOfLine(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(1)
		var healthy atomic.Bool
		w.answer = func(g got) egress.Answer {
			if g.body.Data["member"] == 1 && !healthy.Load() {
				return egress.Answer{Status: 500, Failure: egress.Refusal}
			}
			return egress.Answer{Status: 200}
		}
		defer start(t, w.config(1))()
		w.act(0, 1, 1, 2, 3, 1, 2)
		synctest.Wait()
		if got := w.sequences(0, 2); !slices.Equal(got, []uint64{3, 6}) {
			t.Errorf("of member 2 came %v", got)
		}
		if got := w.sequences(0, 1); !slices.Equal(got, []uint64{1}) {
			t.Errorf("of member 1 came %v while its first fails", got)
		}
		healthy.Store(true)
		time.Sleep(7 * time.Second)
		synctest.Wait()
		if got := w.sequences(0, 1); !slices.Equal(got, []uint64{1, 2, 5}) {
			t.Errorf("of member 1 came %v", got)
		}
		ids := map[string]bool{}
		for _, g := range w.requests() {
			if g.body.Data["sequence"] == 1 {
				ids[g.id] = true
			}
		}
		if len(ids) != 1 {
			t.Errorf("the tries of one event have the ids %v", ids)
		}
	})
}

// TestSender_Schedule: tries come after the delays of the back-off, by a fifth more or less, and end after three days.
func TestSender_Schedule(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(1)
		w.answer = func(got) egress.Answer { return egress.Answer{Failure: egress.TimedOut} }
		stop := start(t, w.config(1))
		w.act(0, 1)
		time.Sleep(4 * 24 * time.Hour)
		synctest.Wait()
		stop()
		all := w.requests()
		for i := 1; i < len(all); i++ {
			want := backOff[min(i, len(backOff))-1]
			if d := all[i].at.Sub(all[i-1].at); d < want*8/10 || d > want*12/10 {
				t.Errorf("try %d came %v after the one before, want about %v", i+1, d, want)
			}
		}
		last := all[len(all)-1].at.Sub(all[0].at)
		if last > GiveUpAfter || last < GiveUpAfter-13*time.Hour {
			t.Errorf("the last of %d tries came after %v", len(all), last)
		}
		if len(w.givenUp) != 1 || w.givenUp[0] != all[0].id || w.states[0].Messages != nil || w.states[0].Through != 1 {
			t.Errorf("given up are %v, kept is %+v", w.givenUp, w.states[0])
		}
	})
}

// TestSender_Away: a receiver that is away for days costs at most MaxPending events a shard, and five days without a
// success disable the webhook.
func TestSender_Away(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(1)
		w.answer = func(got) egress.Answer { return egress.Answer{Failure: egress.Unreachable} }
		defer start(t, w.config(1))()
		for i := range MaxPending/2 + 50 {
			w.act(0, domain.MemberID(i))
		}
		for range 6 {
			w.act(0, 1)
			time.Sleep(20 * time.Hour)
			if w.why() != Enabled {
				t.Fatalf("disabled after %v", time.Since(w.requests()[0].at))
			}
		}
		synctest.Wait()
		if n := w.largestState(); n > MaxPending || n < MaxPending/2 {
			t.Errorf("%d events of a shard are pending", n)
		}
		time.Sleep(20 * time.Hour)
		synctest.Wait()
		if w.why() != Failing {
			t.Errorf("not disabled after %v", time.Since(w.requests()[0].at))
		}
		n := len(w.requests())
		time.Sleep(24 * time.Hour)
		if len(w.requests()) > n {
			t.Error("a disabled webhook sends")
		}
	})
}

// TestSender_Gone: 410 disables at once.
func TestSender_Gone(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(1)
		w.answer = func(got) egress.Answer { return egress.Answer{Status: 410, Failure: egress.Refusal} }
		defer start(t, w.config(1))()
		w.act(0, 1)
		synctest.Wait()
		w.act(0, 2)
		time.Sleep(time.Hour)
		if w.why() != Gone || len(w.requests()) != 1 {
			t.Errorf("disabled is %v after %d requests", w.why(), len(w.requests()))
		}
	})
}

// TestSender_RetryAfter: a receiver that asks for a pause gets nothing meanwhile, of no member.
func TestSender_RetryAfter(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(1)
		begun := time.Now()
		w.answer = func(got) egress.Answer {
			if time.Since(begun) < 10*time.Minute {
				return egress.Answer{Status: 429, Failure: egress.Refusal, RetryAfter: 10 * time.Minute}
			}
			return egress.Answer{Status: 200}
		}
		defer start(t, w.config(1))()
		w.act(0, 1)
		synctest.Wait()
		w.act(0, 2)
		time.Sleep(10*time.Minute - time.Second)
		if n := len(w.requests()); n != 1 {
			t.Errorf("%d requests within the pause", n)
		}
		time.Sleep(2 * time.Second)
		synctest.Wait()
		if got := w.sequences(0, 2); len(got) != 1 {
			t.Errorf("after the pause came %v of member 2", got)
		}
	})
}

// TestSender_Batches: a batch has up to so many events, several of a member in order, and a failed one comes again
// with the same id and events.
func TestSender_Batches(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(1)
		var fails atomic.Bool
		fails.Store(true)
		w.answer = func(got) egress.Answer {
			if fails.Load() {
				return egress.Answer{Status: 503, Failure: egress.Refusal}
			}
			return egress.Answer{Status: 200}
		}
		w.act(0, 1, 2, 1, 3, 1)
		defer start(t, w.config(3))()
		synctest.Wait()
		w.act(0, 4)
		synctest.Wait()
		fails.Store(false)
		time.Sleep(8 * time.Second)
		synctest.Wait()
		events := map[string][]uint64{}
		for _, g := range w.requests() {
			var of []uint64
			for _, e := range g.body.Events {
				of = append(of, e.Data["sequence"])
			}
			if before, ok := events[g.id]; ok && !slices.Equal(before, of) {
				t.Errorf("%s has %v and %v", g.id, before, of)
			}
			events[g.id] = of
			if len(of) == 0 || len(of) > 3 || g.body.ID != g.id || g.body.Cursor == "" {
				t.Errorf("%s", g.Body)
			}
		}
		if got := w.sequences(0, 1); !slices.Equal(got, []uint64{1, 3, 5}) {
			t.Errorf("of member 1 came %v", got)
		}
		if got := w.sequences(0, 4); !slices.Equal(got, []uint64{6}) {
			t.Errorf("of member 4 came %v", got)
		}
	})
}

// TestSender_TakesBack: what an event says is asked for at each try: an action that is gone meanwhile, or whose member was
// erased, is not sent again, and what takes it back comes after all that was tried of the member.
func TestSender_TakesBack(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(1)
		var healthy atomic.Bool
		w.answer = func(g got) egress.Answer {
			if healthy.Load() || g.body.Data["sequence"] == 1 {
				return egress.Answer{Status: 200}
			}
			return egress.Answer{Status: 500, Failure: egress.Refusal}
		}
		defer start(t, w.config(1))()
		w.act(0, 1, 1, 1, 2, 2)
		synctest.Wait()
		w.takeBack(0, 1, 0)
		w.takeBack(0, 2, 4)
		synctest.Wait()
		tried := len(w.requests())
		for _, g := range w.requests() {
			if g.body.Event != "activity" {
				t.Errorf("%s comes before what was sent of its member is done", g.Body)
			}
		}
		healthy.Store(true)
		time.Sleep(7 * time.Second)
		synctest.Wait()
		var got []string
		for _, g := range w.requests()[tried:] {
			got = append(got, fmt.Sprint(g.body.Data["member"], " ", g.body.Event, " ", g.body.Data["sequence"]))
		}
		slices.Sort(got)
		if want := []string{"1 erased 6", "2 activity 5", "2 removed 7"}; !slices.Equal(got, want) {
			t.Errorf("%q come, want %q", got, want)
		}
	})
}

// TestSender_KeepFails: what could not be kept is kept by the next Keep, although nothing moved since, and deliveries
// go on meanwhile, one Keep a second.
func TestSender_KeepFails(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(2)
		w.refuses = 5
		defer start(t, w.config(1))()
		w.act(1, 1, 2)
		time.Sleep(4500 * time.Millisecond)
		synctest.Wait()
		if s := w.keptStates(); len(w.requests()) != 2 || s[1].Through != 0 || w.keepCalls() != 5 {
			t.Errorf("%d requests, %d Keeps, %+v", len(w.requests()), w.keepCalls(), s)
		}
		time.Sleep(time.Second)
		synctest.Wait()
		if s := w.keptStates(); s[1].Through != 2 || w.config(1).Health.Success.IsZero() {
			t.Errorf("after the log came back: %+v, %+v", s, w.config(1).Health)
		}
		time.Sleep(time.Hour)
		synctest.Wait()
		if n := w.keepCalls(); n != 6 {
			t.Errorf("%d Keeps: nothing moved", n)
		}
	})
}

// TestSender_Kills: a sender that is killed at any moment, and goes on from what was kept, delivers each event at
// least once, of each member in order, with at most eight requests at once; a hang costs others nothing.
func TestSender_Kills(t *testing.T) {
	first := rand.Uint64()
	t.Logf("seeds from %d", first)
	for i := range uint64(kills) {
		synctest.Test(t, func(t *testing.T) {
			r := rand.New(rand.NewPCG(first+i, 2))
			w := newWorld(3)
			var ill domain.MemberID
			hang := rand.New(rand.NewPCG(first+i, 3))
			w.answer = func(g got) egress.Answer {
				w.mu.Lock()
				d, n := time.Duration(hang.IntN(300))*time.Millisecond, hang.IntN(20)
				w.mu.Unlock()
				time.Sleep(d)
				switch {
				case n == 0:
					time.Sleep(egress.Timeout)
					return egress.Answer{Failure: egress.TimedOut}
				case n == 1 || g.body.Data["member"] == uint64(ill) && ill != 0:
					return egress.Answer{Status: 500, Failure: egress.Refusal}
				}
				return egress.Answer{Status: 200}
			}
			batch := 1 + r.IntN(2)*9
			for range 6 {
				before := w.keptStates()
				stop := start(t, w.config(batch))
				for range 5 {
					for shard := range w.shards {
						for range r.IntN(6) {
							w.act(shard, domain.MemberID(1+r.IntN(4)))
						}
					}
					time.Sleep(time.Duration(r.IntN(2000)) * time.Millisecond)
				}
				kept := w.keptStates()
				stop()
				switch r.IntN(3) { // a kill keeps nothing at its end; a log that failed kept nothing at all
				case 0:
					w.states = kept
				case 1:
					w.states = before
				}
			}
			stop := start(t, w.config(batch))
			time.Sleep(24 * time.Hour)
			synctest.Wait()
			stop()
			for shard := range w.shards {
				for _, m := range w.members(shard) {
					if got, want := w.sequences(shard, m), w.of(shard, m); !slices.Equal(got, want) {
						t.Errorf("seed %d: of member %d in shard %d came %v, want %v", first+i, m, shard, got, want)
					}
				}
				if s := w.states[shard]; len(s.Held)+len(s.Messages) > 0 {
					t.Errorf("seed %d: %+v is left", first+i, s)
				}
			}
			if w.most > maxFlying {
				t.Errorf("seed %d: %d requests at once", first+i, w.most)
			}
		})
	}
}

// A Sender that is told that another one is at work ends, whatever is on its way, and keeps nothing more.
func TestSender_EndsWhereAnotherIsAtWork(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(1)
		w.act(0, 1, 2)
		w.answer = func(got) egress.Answer {
			time.Sleep(5 * time.Second)
			return egress.Answer{Status: 200}
		}
		w.lost = true
		New(w.config(1)).Run(t.Context())
		if w.keeps != 1 || w.taken+len(w.requests()) == 0 {
			t.Errorf("%d Keeps, %d messages taken", w.keeps, w.taken)
		}
	})
}

// While a try is due and nothing moves, a Sender renews its lease all the same.
func TestSender_RenewsItsLeaseWhileATryIsDue(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(1)
		w.answer = func(got) egress.Answer {
			return egress.Answer{Status: 503, Failure: egress.Refusal, RetryAfter: time.Minute}
		}
		c := w.config(1)
		c.Lease = 3 * time.Second
		ctx, cancel := context.WithCancel(t.Context())
		ended := make(chan struct{})
		go func() {
			defer close(ended)
			New(c).Run(ctx)
		}()
		time.Sleep(time.Hour)
		if w.keepCalls() != 0 {
			t.Errorf("%d Keeps without an event", w.keepCalls())
		}
		w.act(0, 1)
		time.Sleep(30 * time.Second) // after the back-off of 5 s the receiver's pause of a minute lasts
		if n := w.keepCalls(); n < 8 || n > 20 {
			t.Errorf("%d Keeps in 30 s", n)
		}
		cancel()
		<-ended
	})
}

// A Sender that is to leave begins no try, waits for the one on its way, keeps what became of it, and ends. The next
// Sender begins with the event after it.
func TestSender_Leaves(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(1)
		w.act(0, 1, 1)
		w.answer = func(got) egress.Answer {
			time.Sleep(5 * time.Second)
			return egress.Answer{Status: 200}
		}
		c := w.config(1)
		leave := make(chan struct{})
		c.Leave = leave
		time.AfterFunc(2*time.Second, func() { close(leave) })
		begun := time.Now()
		New(c).Run(t.Context())
		if took := time.Since(begun); took != 5*time.Second {
			t.Errorf("it left after %v, want the 5 s of the answer", took)
		}
		defer start(t, w.config(1))()
		time.Sleep(time.Minute)
		var came []uint64
		for _, g := range w.requests() {
			came = append(came, g.body.Data["sequence"])
		}
		if !slices.Equal(came, []uint64{1, 2}) {
			t.Errorf("came %v, want each once", came)
		}
	})
}

// A Sender whose lease is over, since nothing was kept for a while, keeps something before it begins a try: where another
// one was at work meanwhile it ends without one.
func TestSender_LeaseIsOver(t *testing.T) {
	for _, lost := range []bool{false, true} {
		synctest.Test(t, func(t *testing.T) {
			w := newWorld(1)
			c := w.config(1)
			c.Lease = 3 * time.Second
			defer start(t, c)()
			w.act(0, 1)
			time.Sleep(4 * time.Second)
			if n := len(w.requests()); n != 1 {
				t.Fatalf("%d requests, want 1", n)
			}
			w.mu.Lock()
			w.lost = lost
			keeps := w.keeps
			w.mu.Unlock()
			w.act(0, 2, 3)
			synctest.Wait()
			want := 3
			if lost {
				want = 1
			}
			if n := len(w.requests()); n != want || w.keepCalls() != keeps+1 {
				t.Errorf("lost %t: %d requests, want %d; %d Keeps before it began them", lost, n, want, w.keepCalls()-keeps)
			}
		})
	}
}

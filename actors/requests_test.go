package actors

import (
	"context"
	"errors"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/storage/store"
)

// Many submissions have results in their order, records of one log stand in it in
// that order, and one that fails is no other's failure.
func TestSubmitAll_AppliesInOrder(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute) // a busy machine may be late
	defer cancel()
	r := furnished(t, 2, 1, Options{})
	ids := r.members(4)
	const n = 2400 // more than an appender holds of bulk
	sub := func(i int) domain.Submission {
		a := &domain.Activity{Member: ids[i%4], Definition: 100, Brand: 1, Time: 1_600_000_000 + int64(i), Hash: uint64(i + 1)}
		if i%100 == 99 {
			a.Member = ids[i%4] + 50*domain.Slots // no member
		}
		return domain.Submission{Account: 1, Slot: a.Member.Slot(), Activity: a, Request: domain.RequestID{9, byte(i), byte(i >> 8)}, BodyHash: 1}
	}
	var all []domain.Submission
	for i := range n {
		all = append(all, sub(i))
	}
	at := domain.Position{}
	for round := range 2 { // the second time each request id is known
		for i, res := range r.node.SubmitAll(ctx, all) {
			out, code := res.Outcome, domain.OK
			if i%100 == 99 {
				code = domain.NotFound
			}
			if res.Err != nil || out.Code != code || out.Replayed != (round == 1) || code == domain.OK && (!out.New || out.Row.Hash != uint64(i+1)) {
				t.Fatalf("round %d, %d: %+v", round, i, res)
			}
			at = at.Reach(out.Position)
		}
	}
	if got := r.tally(1).Total; got.Actions != n-n/100 || got.Members != 4 {
		t.Errorf("%+v", got)
	}
	for p, part := range r.journal.parts {
		var order []uint64
		for _, rec := range part {
			if rec.Kind == domain.KindActivity {
				order = append(order, rec.Activity.Hash)
			}
		}
		half := len(order) / 2
		if len(order) < n/2 || !slices.IsSorted(order[:half]) || !slices.IsSorted(order[half:]) {
			t.Errorf("partition %d: %d records, out of order", p, len(order))
		}
	}
	if err := r.node.Await(ctx, at); err != nil {
		t.Error(err)
	}

	// Without a request id nothing is kept for a repeat: the dedup key alone identifies it.
	for i := range all {
		all[i].Request, all[i].Durable = domain.RequestID{}, true
		all[i].Activity.Raw = "{}"
	}
	before := r.node.running[0].Stats.Dead[domain.UnknownMember].Load() + r.node.running[1].Stats.Dead[domain.UnknownMember].Load()
	at = domain.Position{}
	for i, res := range r.node.SubmitAll(ctx, all) {
		if res.Err != nil || len(res.Outcome.Position.Shards) != 1 {
			t.Fatalf("%d: %+v", i, res)
		}
		at = at.Reach(res.Outcome.Position)
	}
	r.must(r.node.Await(ctx, at))
	r.wantActions(n - n/100)
	after := r.node.running[0].Stats.Dead[domain.UnknownMember].Load() + r.node.running[1].Stats.Dead[domain.UnknownMember].Load()
	if after-before != n/100 {
		t.Errorf("%d dead letters", after-before)
	}
	r.settled()
	letters := map[domain.RequestID]bool{}
	r.letters.mu.Lock()
	for _, d := range r.letters.all {
		letters[d.Request] = true
	}
	r.letters.mu.Unlock()
	if len(letters) != n/100 || letters[domain.RequestID{}] {
		t.Errorf("%d names of dead letters, want %d", len(letters), n/100)
	}
	ended, end := context.WithCancel(ctx)
	end()
	for _, res := range r.node.SubmitAll(ended, all[:10]) {
		if res.Err != nil && !errors.Is(res.Err, domain.ErrUnavailable) {
			t.Errorf("%v", res.Err)
		}
	}
}

// A record that no member has a part in moves its stream's origin: what it sends must
// be in the same batch, or the next life drops its repeat and never sends it.
func TestI3_OutboxIsInTheBatchThatMovesTheOrigin(t *testing.T) {
	r := furnished(t, 2, 1, Options{})
	stranger := identityOf(7)
	r.publish(domain.Activity{Identity: stranger, Definition: 100, Brand: 1, Time: 1_600_000_000, Hash: 1})
	r.settled()
	r.close()

	origins, letters := 0, 0
	r.stored(func(i int, s *store.Shard) {
		if i != stranger.Slot().Shard(2) {
			return
		}
		letters = int(s.State().DeadUpTo) // those trimmed were there
		err := s.Origins(func(o domain.Origin) {
			if o.Topic == r.source.id { // the router's marks have a stream of their own
				origins++
			}
		})
		if err == nil {
			err = s.Outbox(domain.OutboxLetters, 0, func(*domain.Outgoing) bool { letters++; return true })
		}
		r.must(err)
	})
	if origins != 1 || letters != 1 {
		t.Fatalf("%d origins moved, %d letters", origins, letters)
	}
}

// An activity addressed by an identity of another shard than its member's is
// completed there; a repeat of the request gets the same outcome from either shard.
func TestSubmit_ForwardedRequestCountsOnce(t *testing.T) {
	r := furnished(t, 2, 1, Options{})
	id, partner := r.forwarded()
	s := domain.Submission{
		Account: 1, Application: 1, Request: domain.RequestID{9}, BodyHash: 5, Slot: partner.Slot(),
		Activity: &domain.Activity{Identity: partner, Definition: 100, Brand: 1, Time: 1_600_000_000, Hash: 1},
	}
	first, err := r.node.Submit(context.Background(), s)
	if err != nil || first.Code != domain.OK || first.Member != id || first.Row.Hash != 1 || !first.New || first.Replayed {
		t.Fatalf("%+v %v", first, err)
	}
	for life := range 2 {
		if life > 0 {
			r.restart()
		}
		again, err := r.node.Submit(context.Background(), s)
		if err != nil || again.Code != domain.OK || again.Member != id || again.Row.Seq != first.Row.Seq || !again.Replayed {
			t.Fatalf("life %d: %+v %v", life, again, err)
		}
		other := s
		other.BodyHash++
		if out, err := r.node.Submit(context.Background(), other); err != nil || out.Code != domain.Conflict {
			t.Fatalf("life %d: another body: %+v %v", life, out, err)
		}
	}
	if got := r.tally(1).Total; got.Actions != 1 || got.Members != 1 {
		t.Fatalf("%+v", got)
	}
}

// Of requests with one id that are under way together one is the first; the others are
// repeats of it, and one with another body is a conflict, whichever record comes first.
func TestI6_ConcurrentRepeatsOfARequest(t *testing.T) {
	r := furnished(t, 2, 1, Options{})
	fan := r.register(0)
	home, partner := identityOf(2), identityOf(3)
	for i := 3; partner.Slot().Shard(2) == home.Slot().Shard(2); i++ {
		partner = identityOf(i)
	}
	register := &domain.RegisterMember{Application: 1, Identity: home, Service: domain.LastFM, Partner: partner, PartnerCode: "acme"}
	activity := func(at domain.Activity) *domain.Activity {
		at.Definition, at.Brand, at.Time, at.Hash = 100, 1, 1_600_000_000, 77
		return &at
	}
	for i, c := range []struct {
		name string
		s    domain.Submission
	}{
		{"claims of another shard", domain.Submission{Slot: home.Slot(), Command: register}},
		{"an activity", domain.Submission{Slot: fan.Slot(), Activity: activity(domain.Activity{Member: fan})}},
		{"an activity for another shard", domain.Submission{Slot: partner.Slot(), Activity: activity(domain.Activity{Identity: partner})}},
		{"the catalog", domain.Submission{Command: new(domain.PutBrand)}},
	} {
		for round := range 10 {
			s := c.s
			s.Account, s.Application, s.Request, s.BodyHash = 1, 1, domain.RequestID{8, byte(i), byte(round)}, 5
			if _, ok := s.Command.(*domain.PutBrand); ok {
				s.Command = &domain.PutBrand{Given: domain.BrandFields{"Name": "B", "Type": "Music", "Slug": "together-" + string(rune('a'+round))}}
			}
			other := s
			other.BodyHash++
			outs := make([]domain.Outcome, 16)
			var wg sync.WaitGroup
			for k := range outs {
				wg.Go(func() {
					mine := s
					if k%8 == 7 {
						mine = other
					}
					var err error
					if outs[k], err = r.node.Submit(context.Background(), mine); err != nil {
						t.Errorf("%s: %v", c.name, err)
					}
				})
			}
			wg.Wait()
			first, refused := 0, map[bool]int{}
			for k, out := range outs {
				if !out.Replayed {
					first++
				}
				if out.Code == domain.Conflict {
					refused[k%8 == 7]++
				}
			}
			if first != 1 || refused[false] != 0 && refused[true] != 0 || refused[false] != 14 && refused[true] != 2 {
				t.Fatalf("%s, round %d: %d are the first, conflicts of each body %v", c.name, round, first, refused)
			}
		}
	}
}

// A tick moves a shard's clock to its record's time, whatever hour its node believes in: a
// node that is a day ahead expires no request id.
func TestShard_TickOfANodeAheadForgetsNoRequest(t *testing.T) {
	r := furnished(t, 1, 1, Options{})
	r.register(1)
	said := domain.Record{Kind: domain.KindActivity, Account: 1, Request: domain.RequestID{9}, BodyHash: 5, Activity: domain.Activity{
		Identity: identityOf(1), Definition: 100, Brand: 1, Defaulted: true, Time: -1, Hash: 5,
	}}
	again := said
	again.Activity.Hash = 6 // a dedup key of its own: the request id alone identifies the repeat
	tick := func(hoursAhead int64) domain.Record {
		return domain.Record{Kind: domain.KindTick, Command: &domain.Tick{Hour: uint32(r.journal.now()/3_600_000 + hoursAhead)}}
	}
	for _, batch := range [][]domain.Record{{said}, {tick(26)}, {again}, {tick(24 * 365)}, {again}} {
		r.append(0, batch...)
		r.settled()
	}
	r.restart()
	if s := r.stateOf(0); s.Rows != 1 || s.Clock != r.journal.now() {
		t.Errorf("%d actions of one request, clock %d, the log's is %d", s.Rows, s.Clock, r.journal.now())
	}
}

package actors

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/cockroachdb/pebble/v2/vfs"
	"github.com/google/go-cmp/cmp"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/actors/shard/tx"
	"github.com/ovation-analytics/ovation/storage/audit"
	"github.com/ovation-analytics/ovation/storage/store"
)

// What a record does must not hang on which others are applied with it: a replay cuts
// the log into other micro-batches than the first life did (I6).
func TestI6_MicroBatchesMayEndAnywhere(t *testing.T) {
	const day = 24 * 3600 * 1000
	asked := func(request byte, hash uint64) domain.Record {
		return domain.Record{Kind: domain.KindActivity, Account: 1, Request: domain.RequestID{request}, BodyHash: hash, Activity: domain.Activity{
			Identity: identityOf(1), Definition: 100, Brand: 1, Time: 1_700_000_000, Hash: hash,
		}}
	}
	records := []domain.Record{asked(1, 1), asked(1, 1), asked(2, 2), asked(3, 3), asked(2, 2), asked(3, 3)}
	late := []domain.Record{asked(4, 4), asked(1, 1), asked(5, 5)}
	type outcome struct {
		sequence, rows uint64
		facts          [16]byte
		asked          string // the days of the requests kept
	}
	applied := func(singly bool) (out outcome) {
		r := furnished(t, 1, 1, Options{})
		r.register(1)
		for _, batch := range [][]domain.Record{records, late} {
			size := len(batch)
			if singly {
				size = 1
			}
			for part := range slices.Chunk(batch, size) {
				r.append(0, part...)
				r.settled()
			}
			r.journal.mu.Lock()
			r.journal.clock = r.journal.clock/day*day + day - 2 // of the next batch only the first is of today
			r.journal.mu.Unlock()
		}
		r.close()
		first := uint32(r.journal.parts[0][0].Time / day)
		r.stored(func(_ int, s *store.Shard) {
			for id := range byte(6) {
				for d := first; d < first+3; d++ {
					q, err := s.Request(d, domain.RequestID{id})
					r.must(err)
					if q != nil {
						out.asked += fmt.Sprint(" ", id, ":", d-first)
					}
				}
			}
			st := s.State()
			out.sequence, out.rows, out.facts = st.Sequence, uint64(st.Rows), st.Facts
		})
		return out
	}
	together, alone := applied(false), applied(true)
	if together != alone || together.asked != " 1:0 2:0 3:0 4:0 5:1" {
		t.Errorf("in one micro-batch %+v, one by one %+v", together, alone)
	}
}

// A request id is known on the day of its record and on the next one, by the shard's clock. A replay has many
// days in one commit, where a live shard has many commits in one day: both know the same ids (I6).
func TestI6_RequestIDsAreForgottenAlikeInEveryCommit(t *testing.T) {
	const day = 24 * 3600 * 1000
	for _, apart := range []int64{1, 2, 3, 30} {
		t.Run(fmt.Sprint(apart, " days later"), func(t *testing.T) {
			r := furnished(t, 1, 2, Options{})
			id := r.register(1)
			r.settled()
			now := r.journal.now()
			at := func(days int64, req byte, c domain.Command) domain.Record {
				return domain.Record{
					Kind: c.Kind(), Account: 1, Time: now + days*day, Request: domain.RequestID{req}, BodyHash: uint64(req), Command: c,
				}
			}
			opt := domain.Opt{Kind: domain.OptBrand, ID: 1}
			in, out := &domain.OptIn{Member: id, Opt: opt, At: now}, &domain.OptOut{Member: id, Opt: opt, At: now}
			act := domain.Record{
				Kind: domain.KindActivity, Account: 1, Time: now + day, Request: domain.RequestID{9}, BodyHash: 9,
				Activity: domain.Activity{Member: id, Definition: 100, Brand: 1, Time: 1_700_000_000, Hash: 1},
			}
			later := act
			later.Time, later.Activity.Hash = now+(1+apart)*day, 2
			end := r.journal.put(0, []domain.Record{
				at(1, 1, in), act, at(1, 2, out), at(1+apart, 1, in), later,
			})
			r.settled()
			each := r.replayCut(t, end, func() int64 { return 1 })
			all := r.replayCut(t, end, func() int64 { return 1 << 20 })
			if diff := cmp.Diff(each.State(), all.State()); diff != "" {
				t.Errorf("state in pages of 1 and in one page:\n%s", diff)
			}
			f, err := audit.Compare(each, all)
			if err != nil || f.Total != 0 {
				t.Errorf("%d differences: %+v %v", f.Total, f.First, err)
			}
			want := uint64(2)
			if apart == 1 {
				want = 1 // the second is a repeat
			}
			if got := all.State().Rows; got != want {
				t.Errorf("%d actions count, want %d", got, want)
			}
		})
	}
}

// A page is applied in micro-batches, and each may be the last before a power cut. What is stored
// with each names the epoch of the batch in which its last record lies (the harness's store looks
// at every commit): with that of the page before, the log of a leader that has moved since
// would seem to have been cut; with that of the page's last batch, a log that was cut within
// the page would seem whole up to there.
func TestShard_StoresTheEpochOfItsLastRecord(t *testing.T) {
	r := furnished(t, 1, 1, Options{})
	member := r.register(1)
	rnd := rand.New(rand.NewPCG(1, 1))
	for round := range 3 {
		r.close()
		r.journal.page = 5 * tx.MicroBatch
		records := r.activitiesOf(member, round*100_000, 4*tx.MicroBatch)
		records[0].Request = domain.RequestID{1, byte(round)} // its micro-batch is committed
		r.append(0, records...)
		r.open()
		r.crash(rnd)
	}
	r.wantActions(3 * 4 * tx.MicroBatch)
}

// share switches the sharing of a fan's LastFM activities on or off.
func (r *harness) share(n int, on string) {
	r.t.Helper()
	id := identityOf(n)
	r.submit(domain.Submission{Account: 1, Slot: id.Slot(), Command: &domain.RegisterMember{
		Application: 1, Identity: id, Service: domain.LastFM, Record: domain.Fields{{Field: domain.RecordSharing, Value: on}},
	}})
}

// An activity that is not one-time loads no member, and meets its sharing switch all the
// same, also after a start.
func TestShard_PlainActivityLoadsNoMember(t *testing.T) {
	r := furnished(t, 2, 1, Options{})
	const fans = 40
	r.members(fans)
	r.share(3, "0")
	r.settled()
	r.restart()
	for i := range uint64(10) {
		for n := range fans {
			a := r.actOf(0, i<<32|uint64(n))
			a.Identity, a.Service = identityOf(n), domain.LastFM
			r.publish(a)
		}
	}
	r.settled()
	loads := func() (n int64) {
		for _, s := range r.node.Status().Shards {
			n += s.Loads
		}
		return n
	}
	if got := loads(); got != 0 {
		t.Errorf("%d members were loaded", got)
	}
	if got := r.tally(1).Total.Actions; got != 10*(fans-1) || r.letters.reasons()[domain.SharingDisabled] != 10 {
		t.Errorf("%d actions, letters %v", got, r.letters.reasons())
	}
	once := r.onceOf(0, 1<<40)
	once.Identity = identityOf(5)
	r.publish(once)
	r.settled()
	if got := loads(); got != 1 {
		t.Errorf("a one-time activity loaded %d members", got)
	}
}

// Members that are loaded and members that are not do the same with plain and one-time
// activities, repeats and switched sharing, however these follow each other in a micro-batch.
func TestI6_UnloadedMembersDecideAsLoadedOnes(t *testing.T) {
	rnd := seeded(t)
	r := furnished(t, 2, 1, Options{Memory: Memory{MemberBytes: 1_000}})
	const fans = 6
	r.members(fans)
	for range 6 {
		if rnd.IntN(2) == 0 {
			r.share(rnd.IntN(fans), []string{"0", "1"}[rnd.IntN(2)])
		}
		var acts []domain.Activity
		for range 300 {
			a := r.actOf(0, uint64(rnd.IntN(250)))
			a.Identity, a.Service = identityOf(rnd.IntN(fans)), domain.LastFM
			a.Time += int64(a.Hash % 50)
			if a.Hash%5 == 0 {
				a.Definition, a.OneTime = 101, true
			}
			acts = append(acts, a)
		}
		r.publish(acts...)
		r.settled()
		if rnd.IntN(3) == 0 {
			r.crash(rnd)
		}
	}
	r.settled()
	r.replaysEqual(t)
	want := r.tally(1).Total
	r.close()
	facts := r.factsOf(t)
	for _, o := range []struct {
		bytes int
		page  int64
	}{{1 << 20, 300}, {1, 1}, {20_000, 7}} {
		r.options.MemberBytes, r.journal.page, r.fs = o.bytes, o.page, vfs.NewCrashableMem()
		r.open()
		r.settled()
		if d := cmp.Diff(want, r.tally(1).Total); d != "" {
			t.Errorf("%+v: %s", o, d)
		}
		r.close()
		if d := cmp.Diff(facts, r.factsOf(t)); d != "" {
			t.Errorf("%+v: other facts: %s", o, d)
		}
	}
}

package tx_test

import (
	"errors"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/actors/member"
	"github.com/ovation-analytics/ovation/actors/shard/children"
	"github.com/ovation-analytics/ovation/actors/shard/children/childrentest"
	"github.com/ovation-analytics/ovation/actors/shard/members"
	"github.com/ovation-analytics/ovation/actors/shard/tx"
	"github.com/ovation-analytics/ovation/actors/shard/tx/txtest"
)

// on runs f with a shard, the first of two.
func on(t *testing.T, f func(s *txtest.Shard)) {
	t.Helper()
	childrentest.Run(t, func(kids *children.Children) { f(txtest.New(t, kids, 0, 2)) })
}

// do applies a record by f, which does not fail.
func do(t *testing.T, s *txtest.Shard, r *domain.Record, f func(*tx.Tx)) {
	t.Helper()
	if err := s.Do(r, func(t *tx.Tx) error {
		f(t)
		return nil
	}); err != nil {
		t.Fatal(err)
	}
}

// with adds an active member to a shard.
func with(s *txtest.Shard, slot domain.Slot) *members.Member {
	id := s.State.Roster.Next(slot)
	at := member.Place{Account: 1, Ord: s.State.Accounts.Add(1, id)}
	s.State.Roster.Add(id, at)
	return s.State.Loaded.Spawn(at, member.NewState(&domain.Member{ID: id, Account: 1, Ord: at.Ord, State: domain.MemberActive}))
}

func request(n byte) domain.RequestID { return domain.RequestID{n} }

// Entries have their sequence in the order of their records, in whatever order these are completed. It is the origin
// of a forward, and how far the outbox came to each shard.
func TestSend_InTheOrderOfRecords(t *testing.T) {
	on(t, func(s *txtest.Shard) {
		s.State.Shard.Life = 3
		do(t, s, &domain.Record{Offset: 10}, func(t *tx.Tx) {
			for _, offset := range []int64{12, 10, 11, 10} {
				t.At.Offset = offset
				t.Send(&domain.Outgoing{To: int(offset % 2), Forward: &domain.Record{BodyHash: uint64(offset)}})
			}
			t.At.Offset = 11
			t.Send(&domain.Outgoing{To: -1, Keys: []domain.KeyID{{1}}})
		})
		do(t, s, &domain.Record{}, func(t *tx.Tx) {
			t.Dead(&domain.DeadLetter{Reason: domain.TooOld})
			t.Forward(domain.MemberIDOf(1, domain.Slots-1), &domain.Record{})
		})
		var sequences, bodies []uint64
		for _, o := range s.Take() {
			sequences = append(sequences, o.Sequence)
			if o.Forward == nil {
				continue
			}
			bodies = append(bodies, o.Forward.BodyHash)
			if want := (domain.Origin{Topic: txtest.Journal, Epoch: 3, Offset: int64(o.Sequence)}); o.Forward.Origin != want {
				t.Errorf("the origin is %+v, want %+v", o.Forward.Origin, want)
			}
		}
		if want := []uint64{1, 2, 3, 4, 5, 6, 7}; !slices.Equal(sequences, want) {
			t.Errorf("sequences %v, want %v", sequences, want)
		}
		if want := []uint64{10, 10, 11, 12, 0}; !slices.Equal(bodies, want) {
			t.Errorf("forwards of the records %v, want %v", bodies, want)
		}
		if s.State.LastSent[0] != 5 || s.State.LastSent[1] != 7 || s.State.Shard.Outbox != 7 {
			t.Errorf("sent %v, %d entries", s.State.LastSent, s.State.Shard.Outbox)
		}
		if s.State.Shard.Dead[domain.TooOld] != 1 {
			t.Error("the dead letter is not counted")
		}
		puts := slices.DeleteFunc(s.Store.Staged, func(c domain.Change) bool { return c.Kind != domain.OutboxPut })
		if len(puts) != 7 {
			t.Errorf("%d of 7 entries are stored", len(puts))
		}
		s.State.Resent(&domain.Outgoing{To: 1, Sequence: 5, Forward: &domain.Record{}})
		s.State.Resent(&domain.Outgoing{To: -1, Sequence: 9})
		if s.State.LastSent[1] != 7 || len(s.State.LastSent) != 2 {
			t.Errorf("an entry that was stored moved what was sent: %v", s.State.LastSent)
		}
	})
}

// What is answered when the request of a record is known already.
func TestReplayed_AnswersARepeat(t *testing.T) {
	for _, c := range []struct {
		name   string
		first  func(t *tx.Tx, r *domain.Record)
		body   uint64 // of the repeat; the first has 7
		known  bool
		answer *domain.Outcome // of the repeat; nil: none
	}{
		{"unknown", func(*tx.Tx, *domain.Record) {}, 7, false, nil},
		{"completed", func(t *tx.Tx, r *domain.Record) { t.Complete(r, domain.Outcome{Member: 5}) }, 7, true, &domain.Outcome{Member: 5}},
		{"another body", func(t *tx.Tx, r *domain.Record) { t.Complete(r, domain.Outcome{Member: 5}) }, 8, true, &domain.Outcome{Code: domain.CodeOf(domain.KeyMisused)}},
		{"pending", func(t *tx.Tx, r *domain.Record) { t.Defer(r, 5) }, 7, true, nil},
		{"forwarded", func(t *tx.Tx, r *domain.Record) { t.Redirect(r, 1, 5) }, 7, true, &domain.Outcome{MovedTo: 2, Member: 5}},
	} {
		for _, committed := range []bool{false, true} {
			t.Run(c.name, func(t *testing.T) {
				on(t, func(s *txtest.Shard) {
					first := &domain.Record{Request: request(1), BodyHash: 7, Nonce: 71}
					do(t, s, first, func(t *tx.Tx) { c.first(t, first) })
					if committed {
						s.Commit()
					}
					clear(s.Answered)
					again := &domain.Record{Offset: 20, Request: request(1), BodyHash: c.body, Nonce: 72}
					do(t, s, again, func(x *tx.Tx) {
						if q, err := x.Replayed(again); err != nil || (q != nil) != c.known {
							t.Errorf("%+v %v", q, err)
						}
					})
					got, answered := s.Answered[request(1)]
					if answered != (c.answer != nil) {
						t.Fatalf("answered: %v", answered)
					}
					if !answered {
						return
					}
					if at := got.Position.Shards; len(at) != 1 || at[0] != (domain.ShardOffset{Next: 21}) || got.Position.Journal != txtest.Journal {
						t.Errorf("at %+v", got.Position)
					}
					if got.Code != c.answer.Code || got.Member != c.answer.Member || got.MovedTo != c.answer.MovedTo || got.First != first.Nonce {
						t.Errorf("%+v, want %+v", got, *c.answer)
					}
				})
			})
		}
	}
}

// A request is known on its day and on the next, whether it is committed or not.
func TestRequests_AreKnownForTwoDays(t *testing.T) {
	const day = 24 * 3600 * 1000
	for _, committed := range []bool{false, true} {
		for days, known := range []bool{true, true, false} {
			on(t, func(s *txtest.Shard) {
				r := &domain.Record{Request: request(1)}
				do(t, s, r, func(t *tx.Tx) { t.Complete(r, domain.Outcome{}) })
				if committed {
					s.Commit()
				}
				do(t, s, &domain.Record{Time: txtest.Clock + int64(days)*day}, func(*tx.Tx) {})
				if q := s.Request(request(1)); (q != nil) != known {
					t.Errorf("committed %v, after %d days: %+v", committed, days, q)
				}
			})
		}
	}
}

// An outcome is shown once it is committed, and not before a later record has completed the request. That one answers under
// the body of the first.
func TestState_OutcomeOfACommit(t *testing.T) {
	on(t, func(s *txtest.Shard) {
		first := &domain.Record{Offset: 3, Request: request(1), BodyHash: 7, Nonce: 71}
		do(t, s, first, func(t *tx.Tx) { t.Defer(first, 5) })
		s.Commit()
		if q := s.State.Completed(request(1)); q != nil {
			t.Fatalf("%+v", q)
		}
		last := &domain.Record{Nonce: 72}
		do(t, s, last, func(t *tx.Tx) {
			t.CompleteAsked(last, request(1), domain.Outcome{Member: 5, New: true})
			t.CompleteAsked(last, domain.RequestID{}, domain.Outcome{})
		})
		if q := s.State.Completed(request(1)); q != nil {
			t.Fatalf("before the commit: %+v", q)
		}
		s.Commit()
		q := s.State.Completed(request(1))
		if q == nil || q.Outcome.Member != 5 || !q.Outcome.New || q.BodyHash != 7 || q.Nonce != 71 {
			t.Errorf("%+v", q)
		}
		if a := s.Answered[request(1)]; a.First != 71 {
			t.Errorf("%+v", a)
		}
		if s.State.Completed(request(2)) != nil || len(s.Answered) != 1 {
			t.Error("an outcome of no request")
		}
	})
}

// Who waits for a record that is void is told so, and nothing is remembered.
func TestVoid_IsNoOutcome(t *testing.T) {
	on(t, func(s *txtest.Shard) {
		r := &domain.Record{Request: request(1), BodyHash: 7, Nonce: 71}
		do(t, s, r, func(t *tx.Tx) { t.Void(r) })
		s.Commit()
		if a, ok := s.Answered[request(1)]; !ok || !a.Void || a.First != 71 || s.State.Completed(request(1)) != nil {
			t.Errorf("%t %+v", ok, a)
		}
	})
}

// What is published of each kind only goes up, and leaves the outbox up to there.
func TestPublished_GoesUp(t *testing.T) {
	on(t, func(s *txtest.Shard) {
		for _, p := range []domain.Published{{UpTo: 5, DeadUpTo: 6, KeysUpTo: 7}, {UpTo: 4, DeadUpTo: 8, KeysUpTo: 3}, {UpTo: 9}} {
			do(t, s, &domain.Record{}, func(t *tx.Tx) { t.Published(&p) })
		}
		if at := s.State.Shard; at.Published != 9 || at.DeadUpTo != 8 || at.KeysUpTo != 7 {
			t.Errorf("%+v", at)
		}
	})
}

// The origins that moved are stored by one commit, and not again.
func TestState_OriginsOfACommit(t *testing.T) {
	on(t, func(s *txtest.Shard) {
		at := domain.Origin{Topic: domain.TopicID{3}, Partition: 2, Offset: 4}
		if !s.State.Sources.Advance(at) || !slices.Equal(s.State.Origins(), []domain.Origin{at}) {
			t.Errorf("%+v", s.State.Origins())
		}
		s.Commit()
		if all := s.State.Origins(); len(all) != 0 {
			t.Errorf("again: %+v", all)
		}
	})
}

// A record without a request has no outcome, nor does it wait for one.
func TestTx_WithoutARequest(t *testing.T) {
	on(t, func(s *txtest.Shard) {
		r := &domain.Record{}
		do(t, s, r, func(t *tx.Tx) {
			t.Complete(r, domain.Outcome{})
			t.Defer(r, 5)
			t.Redirect(r, 1, 5)
		})
		if len(s.Store.Staged)+len(s.Answered) > 0 {
			t.Errorf("%+v, %v", s.Store.Staged, s.Answered)
		}
	})
}

// Flush stages until nothing follows any more, and what a follower flushes itself once.
func TestFlush_StagesWhatFollows(t *testing.T) {
	on(t, func(s *txtest.Shard) {
		usage := func(n uint32) domain.Change {
			return domain.Change{Kind: domain.UsagePut, Value: &domain.UsageCount{Account: domain.AccountID(n)}}
		}
		var followed [][]uint32
		s.Follow = func(t *tx.Tx, staged []domain.Change) error {
			var of []uint32
			for _, c := range staged {
				of = append(of, uint32(c.Value.(*domain.UsageCount).Account))
			}
			followed = append(followed, of)
			switch of[0] {
			case 1: // by the loop
				t.Change(usage(10))
			case 10: // by itself, and one more
				t.Change(usage(20))
				if err := t.Flush(); err != nil {
					return err
				}
				t.Change(usage(30))
			}
			return nil
		}
		do(t, s, &domain.Record{}, func(t *tx.Tx) {
			t.Change(usage(1))
			t.Change(usage(2))
		})
		want := [][]uint32{{1, 2}, {10}, {20}, {30}}
		if !slices.EqualFunc(followed, want, func(a, b []uint32) bool { return slices.Equal(a, b) }) || len(s.Store.Staged) != 5 {
			t.Errorf("%v, want %v", followed, want)
		}
		errFollow := errors.New("on purpose")
		s.Follow = func(*tx.Tx, []domain.Change) error { return errFollow }
		if err := s.Do(&domain.Record{}, func(t *tx.Tx) error { t.Change(usage(1)); return nil }); !errors.Is(err, errFollow) {
			t.Error(err)
		}
		s.Follow = nil // an empty Tx stages nothing
		do(t, s, &domain.Record{}, func(*tx.Tx) {})
	})
}

// The state counts living actions as they count for answers, beside a sum over random changes. Visits are none.
func TestFlush_CountsActions(t *testing.T) {
	seed := rand.Uint64()
	t.Log("seed", seed)
	rnd := rand.New(rand.NewPCG(seed, 0))
	on(t, func(s *txtest.Shard) {
		m, other := with(s, 1), with(s, 2)
		var rows []domain.Row
		hidden := false
		check := func(what string) {
			want := uint64(0)
			for _, r := range rows {
				if !r.Flags.Dead() && !r.IsVisit() && (!hidden || r.Ord != m.Place().Ord) {
					want++
				}
			}
			if s.State.Shard.Rows != want {
				t.Fatalf("%s: %d actions, want %d", what, s.State.Shard.Rows, want)
			}
		}
		for range 300 {
			k := []*members.Member{m, other}[rnd.IntN(2)]
			row := domain.Row{
				Account: 1, Ord: k.Place().Ord, Time: 1000, Seq: uint64(len(rows) + 1), Hash: uint64(len(rows)),
				Definition: 100, Brand: domain.BrandID(1 + rnd.IntN(txtest.Brands)),
			}
			switch rnd.IntN(6) {
			case 0:
				row.Definition, row.Brand = domain.Registration, 0
			case 1:
				row.Flags = domain.Superseded
			}
			do(t, s, &domain.Record{}, func(t *tx.Tx) {
				t.Change(domain.Change{Kind: domain.RowAdded, Row: row, Content: &domain.Content{}})
			})
			rows = append(rows, row)
			check("added")
			if i := rnd.IntN(len(rows)); rnd.IntN(4) == 0 && !rows[i].Flags.Dead() && !rows[i].IsVisit() {
				taken := rows[i]
				rows[i].Flags |= domain.Deleted
				taken.Flags = domain.Deleted
				do(t, s, &domain.Record{}, func(t *tx.Tx) { t.Change(domain.Change{Kind: domain.RowTaken, Row: taken}) })
				check("taken")
			}
			if rnd.IntN(20) == 0 {
				hidden = !hidden
				of := slices.DeleteFunc(slices.Clone(rows), func(r domain.Row) bool { return r.Ord != m.Place().Ord })
				do(t, s, &domain.Record{}, func(t *tx.Tx) {
					t.Change(domain.Change{Kind: domain.RowsCounted, Value: &domain.CountedAs{
						Account: 1, Ord: m.Place().Ord, As: m.Place().Ord, Hidden: hidden, Rows: of,
					}})
				})
				check("hidden")
			}
		}
		past, err := s.Store.Past(1, other.Place().Ord)
		if err != nil {
			t.Fatal(err)
		}
		do(t, s, &domain.Record{}, func(t *tx.Tx) {
			t.Change(domain.Change{Kind: domain.RowsErased, Value: &domain.ErasedRows{Account: 1, Ord: other.Place().Ord, Rows: past}})
		})
		rows = slices.DeleteFunc(rows, func(r domain.Row) bool { return r.Ord == other.Place().Ord })
		check("erased")
	})
}

// A member is found by its id in its own account alone. What it changes is staged.
func TestTx_MembersChange(t *testing.T) {
	on(t, func(s *txtest.Shard) {
		m := with(s, 1)
		id := m.State().Member.ID
		do(t, s, &domain.Record{}, func(x *tx.Tx) {
			for _, c := range []struct {
				account domain.AccountID
				id      domain.MemberID
				want    *members.Member
			}{{1, id, m}, {2, id, nil}, {1, domain.MemberIDOf(2, 1), nil}, {1, domain.MemberIDOf(1, domain.Slots-1), nil}} {
				if got, err := x.Find(c.account, c.id); got != c.want || err != nil {
					t.Errorf("%+v: %v %v", c, got, err)
				}
			}
			one, two := x.NewRecord(1), x.NewRecord(2)
			if a, b := domain.ActionID(one), domain.ActionID(two); a.Sequence() != 1 || b.Sequence() != 2 || a.Slot() != 1 || b.Slot() != 2 {
				t.Errorf("ids %v and %v", a, b)
			}
			if x.Clock() != txtest.Clock || x.Keeps() {
				t.Error(x.Clock(), x.Keeps())
			}
			x.Keep()
			if !x.Keeps() {
				t.Error("strings of the page do not live on")
			}
			x.Apply(m, func(s *member.State, dst []domain.Change) []domain.Change {
				return s.OptIn(dst, domain.Opt{Kind: domain.OptGlobal}, 1)
			})
		})
		s.Commit()
		if stored, err := s.Store.Member(1, m.Place().Ord); err != nil || stored == nil || len(stored.Opts) != 1 {
			t.Errorf("%+v %v", stored, err)
		}
	})
}

// Each slot is of one shard.
func TestNew_SlotsArePartitioned(t *testing.T) {
	childrentest.Run(t, func(kids *children.Children) {
		for _, shards := range []int{1, 2, 3, 7, 64} {
			owners := make([]int, domain.Slots)
			for id := range shards {
				roster := txtest.New(t, kids, id, shards).State.Roster
				for slot := range owners {
					if roster.Owns(domain.Slot(slot)) {
						owners[slot]++
						if of := domain.Slot(slot).Shard(shards); of != id {
							t.Fatalf("slot %d is of shard %d, which sends go to, and owned by %d of %d", slot, of, id, shards)
						}
					}
				}
			}
			for slot, n := range owners {
				if n != 1 {
					t.Fatalf("%d of %d shards own slot %d", n, shards, slot)
				}
			}
		}
	})
}

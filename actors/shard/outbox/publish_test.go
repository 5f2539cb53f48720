package outbox

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/actors/journal"
)

// logs are where the outbox publishes, each of which fails while it is away.
type logs struct {
	away [Kinds]atomic.Bool
	got  [Kinds][]uint64 // sequences that were taken, in order
	max  [Kinds]int      // entries of one call
	mu   sync.Mutex
}

func (l *logs) send(k Kind) Send {
	return func(_ context.Context, entries []*domain.Outgoing) error {
		if l.away[k].Load() {
			return errors.New("away")
		}
		l.mu.Lock()
		defer l.mu.Unlock()
		l.max[k] = max(l.max[k], len(entries))
		for _, e := range entries {
			l.got[k] = append(l.got[k], e.Sequence)
		}
		return nil
	}
}

func (l *logs) sends() [Kinds]Send {
	return [Kinds]Send{l.send(Forwards), l.send(DeadLetters), l.send(KeyDeletions)}
}

// entryOf is an entry of a kind.
func entryOf(k Kind, sequence uint64) *domain.Outgoing {
	switch k {
	case DeadLetters:
		return &domain.Outgoing{Sequence: sequence, To: -1, Dead: &domain.DeadLetter{Origin: domain.Origin{Topic: domain.TopicID{byte(sequence % 2)}, Offset: int64(sequence)}}}
	case KeyDeletions:
		return &domain.Outgoing{Sequence: sequence, To: -1, Keys: []domain.KeyID{{byte(sequence)}}}
	}
	return &domain.Outgoing{Sequence: sequence, To: int(sequence % 3), Forward: &domain.Record{}}
}

// Every entry that was committed is published once, in order within its kind, none that was only staged;
// what is reported rises and ends at the last one. A log that is away holds up no other kind, and its
// entries are published once it is back.
func TestOutbox_PublishesEachKindInOrder(t *testing.T) {
	seed := rand.Uint64()
	t.Log("seed", seed)
	rnd := rand.New(rand.NewPCG(seed, 1))
	synctest.Test(t, func(t *testing.T) {
		l := &logs{}
		r := newReplica(0, l.sends())
		status := r.status
		var want [Kinds][]uint64
		add := func(n int) {
			for range n {
				k := Kind(rnd.IntN(int(Kinds)))
				r.stage(k, 1)
				want[k] = append(want[k], r.sequence)
			}
		}
		add(2700) // of an earlier life
		r.commit(t)
		r.start(t, true)
		r.handle(t)
		for round := range 30 {
			away := Kind(rnd.IntN(int(Kinds)))
			r.handle(t)
			l.away[away].Store(true)
			before := len(l.got[away])
			add(rnd.IntN(3 * maxBatch))
			r.handle(t)
			for k := range Kinds {
				if len(l.got[k]) > len(want[k])-len(r.kinds[k].staged) {
					t.Fatalf("round %d: entries are published that are not committed", round)
				}
			}
			r.commit(t)
			r.handle(t)
			for k := range Kinds {
				if k != away && !slices.Equal(l.got[k], want[k]) {
					t.Fatalf("round %d: kind %d has %d of %d entries while kind %d is away", round, k, len(l.got[k]), len(want[k]), away)
				}
			}
			if n := len(want[away]) - before; len(l.got[away]) != before || status.Waiting(away) < n || status.Waiting(away) >= n+runEntries {
				t.Fatalf("round %d: of %d entries %d wait, %d were taken by a log that is away", round, n, status.Waiting(away), len(l.got[away])-before)
			}
			if status.Waiting(away) > 0 && !strings.HasPrefix(status.Tried()[away].Why(), fmt.Sprintf("kind %d: away", away)) {
				t.Fatalf("round %d: the status says %q", round, status.Tried()[away].Why())
			}
			l.away[away].Store(false)
			time.Sleep(2 * time.Second) // until which it is tried again
			r.handle(t)
			if n, why := status.Waiting(away), status.Tried()[away].Why(); n > 0 || why != "" {
				t.Fatalf("round %d: %d wait and the status says %q of a log that is back", round, n, why)
			}
		}
		r.Stop()
		r.Stop() // once more does no harm
		for k := range Kinds {
			if !slices.Equal(l.got[k], want[k]) {
				t.Errorf("kind %d: %d entries, want %d", k, len(l.got[k]), len(want[k]))
			}
		}
		if slices.Max(l.max[:]) > maxBatch {
			t.Errorf("%v entries in one call", l.max)
		}
		if r.held() != 0 || r.Full() {
			t.Errorf("%d bytes are held of nothing", r.held())
		}
	})
}

// What is reported of a kind rises, and each report is of entries that were taken before.
func TestOutbox_ReportsWhatWasTaken(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := &logs{}
		r := newReplica(0, l.sends())
		const n = 2*maxBatch + 7
		r.stage(DeadLetters, n)
		r.commit(t)
		must(t, r.Publish(DeadLetters, true))
		var reports []uint64
		r.Outbox.Start(func(k Kind, upTo uint64) {
			if k != DeadLetters || uint64(len(l.got[k])) != upTo {
				t.Errorf("kind %d: %d is reported, %d entries were taken", k, upTo, len(l.got[k]))
			}
			reports = append(reports, upTo)
		})
		synctest.Wait()
		must(t, r.Acknowledged(DeadLetters, reports[len(reports)-1])) // which has the next page read
		synctest.Wait()
		r.Stop()
		if want := []uint64{maxBatch, 2 * maxBatch, n}; !slices.Equal(reports, want) {
			t.Errorf("%v, want %v", reports, want)
		}
	})
}

// A Stop ends an attempt and the wait after a failure; what was not taken is neither reported nor dropped.
func TestOutbox_StopsWhileALogIsAway(t *testing.T) {
	for name, send := range map[string]Send{
		"that fails": func(context.Context, []*domain.Outgoing) error { return errors.New("away") },
		"that hangs": func(ctx context.Context, _ []*domain.Outgoing) error { <-ctx.Done(); return ctx.Err() },
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				r := newReplica(0, [Kinds]Send{send, send, send})
				r.stage(Forwards, 1)
				r.commit(t)
				r.start(t, true)
				synctest.Wait()
				r.Stop()
				if len(r.reports) > 0 || r.status.Waiting(Forwards) != 1 {
					t.Errorf("%d entries are reported, %d wait, want 1", len(r.reports), r.status.Waiting(Forwards))
				}
			})
		})
	}
}

// The number of entries that wait is bounded, over all kinds, at the node that publishes them.
func TestOutbox_IsBoundedInEntries(t *testing.T) {
	r := newReplica(10, [Kinds]Send{})
	r.all(t, true)
	for i := range 11 {
		if r.Full() {
			t.Fatalf("%d entries are too many", i)
		}
		r.stage(Kind(i%int(Kinds)), 1)
	}
	if !r.Full() {
		t.Error("there is room after 11 entries")
	}
	r.commit(t)
	if !r.Full() {
		t.Error("there is room after a commit")
	}
	must(t, r.Load(func(*domain.Outgoing) {})) // those of a life before count too
	if !r.Full() {
		t.Error("there is room after a start")
	}
}

// appended is a journal that fails at a partition.
type appended struct {
	journal.Appender
	batches map[int][]int // records of each append, by partition
	offsets map[int][]int64
	fails   int // -1: none
}

func (a *appended) Append(_ context.Context, partition int, records []domain.Record) (int64, error) {
	if partition == a.fails {
		return 0, errors.New("away")
	}
	a.batches[partition] = append(a.batches[partition], len(records))
	for i := range records {
		a.offsets[partition] = append(a.offsets[partition], records[i].Offset)
	}
	return 0, nil
}

// Records are appended in order within each shard, in batches that the journal takes; an error of one
// shard is the whole call's, which is repeated.
func TestForward_AppendsInOrder(t *testing.T) {
	var entries []*domain.Outgoing
	want := map[int][]int64{}
	text := strings.Repeat("x", journal.BatchBytes/4)
	for i := range 40 {
		r := &domain.Record{Offset: int64(i)}
		if i%2 == 0 {
			r.Activity.Raw = text
		}
		to := i * 7 % 3
		entries = append(entries, &domain.Outgoing{Sequence: uint64(i + 1), To: to, Forward: r})
		want[to] = append(want[to], int64(i))
	}
	a := &appended{batches: map[int][]int{}, offsets: map[int][]int64{}, fails: -1}
	if err := Forward(a)(t.Context(), entries); err != nil {
		t.Fatal(err)
	}
	for to := range 3 {
		if !slices.Equal(a.offsets[to], want[to]) {
			t.Errorf("shard %d: %v, want %v", to, a.offsets[to], want[to])
		}
		if len(a.batches[to]) < 2 {
			t.Errorf("shard %d: batches of %v records: each has more bytes than the journal takes", to, a.batches[to])
		}
	}
	if len(entries) != 40 || entries[39].To != 39*7%3 {
		t.Error("the entries of the caller have changed")
	}
	a.fails = 1
	if err := Forward(a)(t.Context(), entries); err == nil {
		t.Error("the failure of a shard is no error")
	}
}

// Keys and dead letters are passed on whole and in order, with the error of who takes them.
func TestSends_PassOn(t *testing.T) {
	fails := errors.New("away")
	var keys []domain.KeyID
	deletion := DeleteKeys(func(_ context.Context, all []domain.KeyID) error { keys = all; return fails })
	err := deletion(t.Context(), []*domain.Outgoing{
		{Keys: []domain.KeyID{{1}, {2}}}, {Keys: []domain.KeyID{{3}}},
	})
	if want := []domain.KeyID{{1}, {2}, {3}}; !errors.Is(err, fails) || !slices.Equal(keys, want) {
		t.Errorf("%v, %v", keys, err)
	}
	var details []string
	letters := Letters(func(_ context.Context, all []domain.DeadLetter) error {
		for i := range all {
			details = append(details, all[i].Detail)
		}
		return fails
	})
	err = letters(t.Context(), []*domain.Outgoing{{Dead: &domain.DeadLetter{Detail: "a"}}, {Dead: &domain.DeadLetter{Detail: "b"}}})
	if !errors.Is(err, fails) || !slices.Equal(details, []string{"a", "b"}) {
		t.Errorf("%v, %v", details, err)
	}
}

package actors

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/cockroachdb/pebble/v2/vfs"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/actors/journal"
)

// doublingLog stores one batch of eight twice, as one does whose producer's session is lost, and gives the second
// place.
type doublingLog struct {
	*memLog
	batches *atomic.Int64
}

func (l *doublingLog) Appender() journal.Appender { return l }

func (l *doublingLog) Append(ctx context.Context, p int, records []domain.Record) (int64, error) {
	if l.batches.Add(1)%8 == 0 {
		if _, err := l.memLog.Append(ctx, p, records); err != nil {
			return 0, err
		}
	}
	return l.memLog.Append(ctx, p, records)
}

// beside is another node on the logs of r.
func (r *harness) beside(o Options) *harness {
	r.t.Helper()
	other := &harness{
		t: r.t, fs: vfs.NewCrashableMem(), journal: r.journal, catalog: r.catalog, source: r.source,
		letters: &letters{}, options: o,
	}
	if o.markEvery == 0 {
		other.options.markEvery = 100
	}
	other.open()
	r.t.Cleanup(other.close)
	return other
}

// Of the submissions of one request, at whatever nodes, one is the first, and each other is told that it repeats it.
// That a record comes twice, since its producer's session was lost, makes a submission no repeat of itself.
func TestSubmit_OneSubmissionIsTheFirst(t *testing.T) {
	t.Parallel()
	keys := sampled(10_000)
	if testing.Short() {
		keys = 1_000
	}
	first := furnished(t, 2, 1, Options{})
	id, partner := first.forwarded()
	var batches atomic.Int64
	lossy := Options{Logs: Logs{
		Journal: &doublingLog{first.journal, &batches}, Catalog: &doublingLog{first.catalog, &batches},
	}}
	all := []*harness{first.beside(lossy), first.beside(lossy), first.beside(lossy)}
	nodes := make([]atomic.Pointer[Node], len(all))
	for i, r := range all {
		nodes[i].Store(r.node)
	}

	submission := func(key int) domain.Submission {
		activity := domain.Activity{Definition: 100, Brand: 1, Time: 1_600_000_000, Hash: uint64(key + 1)}
		s := domain.Submission{Slot: id.Slot()}
		switch key % 8 {
		case 0, 1:
			activity.Member = id
			s.Activity = &activity
		case 2, 3, 4: // completed by another shard
			activity.Identity = partner
			s.Slot, s.Activity = partner.Slot(), &activity
		case 5: // completed by a later record
			s = registration(identityOf(2*key+1000), identityOf(2*key+1001), "u")
		case 6:
			s.Command = &domain.OptIn{Member: id, Opt: domain.Opt{Kind: domain.OptGlobal}, At: 1_600_000_000_000}
		case 7:
			n := fmt.Sprint("key ", key)
			s = domain.Submission{Command: &domain.PutBrand{Given: domain.BrandFields{"Name": n, "Slug": n}}}
		}
		s.Account, s.Application, s.BodyHash = 1, 1, 5
		s.Request = domain.RequestID{9, byte(key), byte(key >> 8)}
		return s
	}
	seed := rand.Uint64()
	var answered, lost atomic.Int64
	use := func(key int) {
		rnd := rand.New(rand.NewPCG(seed, uint64(key)))
		outs := make([]domain.Outcome, 1+rnd.IntN(4))
		errs := make([]error, len(outs))
		var wg sync.WaitGroup
		for i := range outs {
			at := &nodes[rnd.IntN(len(nodes))]
			submit := func() {
				ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
				defer cancel()
				outs[i], errs[i] = at.Load().Submit(ctx, submission(key))
			}
			if rnd.IntN(2) == 0 {
				submit()
			} else {
				wg.Go(submit)
			}
		}
		wg.Wait()
		firsts, failed := 0, 0
		for i := range outs {
			switch {
			case errors.Is(errs[i], domain.ErrUnavailable):
				failed++
			case errs[i] != nil || outs[i].Code != domain.OK:
				t.Errorf("key %d: %+v %v", key, outs[i], errs[i])
			case !outs[i].Replayed:
				firsts++
			}
		}
		if firsts > 1 || firsts == 0 && failed == 0 {
			t.Errorf("key %d, %d submissions, %d not answered: %d are the first", key, len(outs), failed, firsts)
		}
		answered.Add(int64(len(outs) - failed))
		lost.Add(int64(failed))
	}
	var next atomic.Int64
	var wg sync.WaitGroup
	for range 32 {
		wg.Go(func() {
			for key := int(next.Add(1)); key <= keys; key = int(next.Add(1)) {
				use(key)
				if key == keys/2 {
					all[1].restart()
					nodes[1].Store(all[1].node)
				}
			}
		})
	}
	wg.Wait()
	t.Logf("seed %d: %d answers, %d submissions without one, %d batches", seed, answered.Load(), lost.Load(), batches.Load())
	if batches.Load() < 8 || answered.Load() < int64(keys) {
		t.Error("too little happened")
	}
}

package actors

import (
	"context"
	"fmt"
	"testing"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/storage/store"
)

// What a record does must not hang on which others are applied with it: a replay cuts
// the log into other slices than the first life did (I6).
func TestI6SlicesMayBeCutAnywhere(t *testing.T) {
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
		r := newRig(t, 1, Options{})
		r.furnish(1)
		r.register(1)
		for _, batch := range [][]domain.Record{records, late} {
			if singly {
				for i := range batch {
					_, _ = r.journal.Append(context.Background(), 0, batch[i:i+1])
					r.settled()
				}
			} else {
				_, _ = r.journal.Append(context.Background(), 0, batch)
				r.settled()
			}
			r.journal.mu.Lock()
			r.journal.clock = r.journal.clock/day*day + day - 2 // of the next batch only the first is of today
			r.journal.mu.Unlock()
		}
		r.close()
		store, err := store.Open("store", store.Options{FS: r.fs})
		if err != nil {
			t.Fatal(err)
		}
		defer store.Close()
		s, err := store.Shard(0)
		if err != nil {
			t.Fatal(err)
		}
		defer s.Close()
		first := uint32(r.journal.parts[0][0].Time / day)
		for id := range byte(6) {
			for d := first; d < first+3; d++ {
				q, err := s.Request(d, domain.RequestID{id})
				if err != nil {
					t.Fatal(err)
				}
				if q != nil {
					out.asked += fmt.Sprint(" ", id, ":", d-first)
				}
			}
		}
		st := s.State()
		out.sequence, out.rows, out.facts = st.Sequence, uint64(st.Rows), st.Facts
		return out
	}
	together, alone := applied(false), applied(true)
	if together != alone || together.asked != " 1:0 2:0 3:0 4:0 5:1" {
		t.Errorf("in one slice %+v, one by one %+v", together, alone)
	}
}

package store

import (
	"testing"

	"github.com/cockroachdb/pebble/v2/vfs"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/storage/internal/check"
)

// Of messages that the receiver took the last are listed; one that was given up is listed for a week, by the clock of the
// shard, however many were taken since.
func TestWebhooks_WhatEndedIsBounded(t *testing.T) {
	const day = 24 * 3600_000
	fs := vfs.NewMem()
	s, sh := openSmall(t, fs, smallOptions(fs))
	clock, sequence := int64(100*day), uint64(0)
	progress := domain.Progress{Webhook: 7}
	end := func(n int, givenUp bool) {
		d := &domain.Delivered{Webhook: 7, Base: progress.Version}
		for range n {
			sequence++
			e := domain.Event{EventPlace: domain.EventPlace{Sequence: sequence, Kind: domain.EventActivity}}
			d.Ended = append(d.Ended, domain.Delivery{Events: []domain.Event{e}, Count: 1, At: clock, GivenUp: givenUp})
		}
		next, changed := progress.After(d)
		if !changed {
			t.Fatal("the record does not count")
		}
		progress = next
		change := &domain.ProgressChange{Progress: progress, From: d, Clock: clock}
		check.OK(t, sh.Stage([]domain.Change{{Kind: domain.ProgressPut, Value: change}}))
		check.OK(t, sh.Commit(domain.ShardState{Clock: clock}, nil))
	}
	listed := func() (taken, givenUp int, lowest uint64) {
		lowest = 1 << 63
		check.OK(t, sh.Ended(7, func(d *domain.Delivery) {
			if d.GivenUp {
				givenUp++
				return
			}
			taken++
			lowest = min(lowest, d.Events[0].Sequence)
		}))
		return taken, givenUp, lowest
	}
	end(3, true)
	end(700, false)
	end(domain.MaxDeliveries-700, false)
	if taken, givenUp, _ := listed(); taken != domain.MaxDeliveries || givenUp != 3 {
		t.Errorf("%d taken and %d given up are listed", taken, givenUp)
	}
	clock += 7 * day
	end(2, true)
	end(40, false)
	if taken, givenUp, lowest := listed(); taken != domain.MaxDeliveries || givenUp != 5 || lowest != 44 {
		t.Errorf("a week later %d taken from %d and %d given up are listed", taken, lowest, givenUp)
	}
	clock++
	end(1, false)
	if _, givenUp, lowest := listed(); givenUp != 2 || lowest != 45 {
		t.Errorf("%d given up are listed after a week, taken from %d", givenUp, lowest)
	}
	check.OK(t, sh.Close())
	check.OK(t, s.Close())
}

package main

import (
	"context"
	"errors"
	"log/slog"
	"testing"
	"testing/synctest"
	"time"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/ingest/kafka"
	kafkatopics "github.com/ovation-analytics/ovation/ingest/kafka/topics"
)

// The node cuts the dead letters of the embedded log that were published before a time, and no other;
// those of a Kafka are not its business.
func TestRetention_DeadLettersAreCutByTheirTime(t *testing.T) {
	inWard(t, func(h *ward) {
		if r := h.engine.retention(""); r.Trim != nil || r.TrimLetters != nil {
			t.Error("a Kafka is cut")
		}
		h.engine.eventLog = h.broker.log // as where the node brings it
		r := h.engine.retention("")
		publish := func(n int) (end int64) {
			for range n {
				letter := domain.DeadLetter{Reason: domain.BadJSON, Request: domain.RequestID{1}, At: 1, Raw: "x"}
				h.must(h.engine.topics.letters.Publish(h.Context(), []domain.DeadLetter{letter}))
			}
			end, err := h.engine.client.End(h.Context(), kafka.DeadLetters, 0)
			h.must(err)
			return end
		}
		cut := func(before time.Time, want int64) {
			h.Helper()
			h.must(r.TrimLetters(h.Context(), before))
			start, err := h.engine.client.Start(h.Context(), kafka.DeadLetters, 0)
			if h.must(err); start != want {
				h.Errorf("the letters begin at %d, want %d", start, want)
			}
		}
		begin := time.Now()
		old := publish(3)
		cut(begin.Add(-time.Hour), 0)
		time.Sleep(time.Minute)
		young := time.Now()
		end := publish(2)
		cut(young, old)
		cut(young.Add(-time.Second), old)
		time.Sleep(time.Minute)
		cut(time.Now(), end)
		if publish(1); r.TrimLettersAfter != 7*24*time.Hour || r.TrimAfter != time.Hour {
			t.Errorf("%+v", r)
		}
	})
}

// A receipt names a time where every topic has a limit, and none where one has not.
func TestRetention_KeptOfTopics(t *testing.T) {
	var lines diary
	log := slog.New(slog.NewTextHandler(&lines, nil))
	limited := &kafkatopics.Ensured{Kept: time.Hour}
	endless := &kafkatopics.Ensured{Kept: time.Hour, Endless: []string{"topic activities: retention.ms is -1"}}
	for _, c := range []struct {
		made     *kafkatopics.Ensured
		embedded bool
		want     time.Duration
		warnings int
	}{
		{limited, false, time.Hour, 0},
		{endless, true, 8 * 24 * time.Hour, 0},
		{endless, false, 0, 1},
	} {
		got := keptOf(c.made, c.embedded, log)
		if n := lines.having("level=WARN", "when the last bytes are gone", "retention.ms is -1"); got != c.want || n != c.warnings {
			t.Errorf("%+v: %v, %d warnings", c, got, n)
		}
	}
}

// Every hour the files give up what was deleted; one that cannot is logged, tried again, and keeps no other
// from it.
func TestReclaim_EveryHour(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var lines diary
		calls := [2]int{}
		ctx, cancel := context.WithCancel(t.Context())
		done := make(chan struct{})
		go func() {
			defer close(done)
			reclaim(ctx, slog.New(slog.NewTextHandler(&lines, nil)),
				func(context.Context) error { calls[0]++; return errors.New("the disk is away") },
				func(context.Context) error { calls[1]++; return nil })
		}()
		time.Sleep(3*reclaimEvery + time.Minute)
		cancel()
		<-done
		if calls != [2]int{3, 3} || lines.having("level=WARN", "the disk is away") != 3 {
			t.Error(calls)
		}
	})
}

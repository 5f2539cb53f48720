package node

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	kafkatopics "github.com/ovation-analytics/ovation/ingest/kafka/topics"
)

// A receipt names a time where every topic has a limit, and none where one has not.
func TestRetention_KeptOfTopics(t *testing.T) {
	var lines bytes.Buffer
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
		if n := strings.Count(lines.String(), "retention.ms is -1"); got != c.want || n != c.warnings {
			t.Errorf("%+v: %v, %d warnings", c, got, n)
		}
	}
}

// Every hour the files give up what was deleted; one that cannot is logged, tried again, and keeps no other
// from it.
func TestReclaim_EveryHour(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var lines bytes.Buffer
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
		if calls != [2]int{3, 3} || strings.Count(lines.String(), "the disk is away") != 3 {
			t.Error(calls)
		}
	})
}

package node

import (
	"context"
	"log/slog"
	"time"

	"github.com/ovation-analytics/ovation/actors"
	brokerlog "github.com/ovation-analytics/ovation/ingest/broker/log"
	"github.com/ovation-analytics/ovation/ingest/kafka"
	kafkatopics "github.com/ovation-analytics/ovation/ingest/kafka/topics"
	keystore "github.com/ovation-analytics/ovation/storage/keys"
)

// How long the embedded log keeps an activity after it was routed, and a dead letter.
const (
	keepActivities = time.Hour
	keepLetters    = 7 * 24 * time.Hour
)

// KeptEmbedded is how long the embedded log may have an activity, or its dead letter, after it was
// published: what is cut, once a minute, leaves the files within hours (reclaim); a day is room for that.
const KeptEmbedded = keepLetters + 24*time.Hour

// Retention is how the embedded log is cut, which only its node does; Kafka cuts its own.
func (l *Logs) Retention(prefix string) (r actors.Retention) {
	if l.Embedded == nil {
		return r
	}
	r.TrimAfter, r.TrimLettersAfter = keepActivities, keepLetters
	r.Trim = func(ctx context.Context, partition int, before int64) error {
		_, err := l.Client.DeleteRecords(ctx, prefix+kafka.Activities, partition, before)
		return err
	}
	r.TrimLetters = func(ctx context.Context, before time.Time) error {
		letters := prefix + kafka.DeadLetters
		at, err := l.Client.At(ctx, letters, 0, before.UnixMilli())
		if err == nil {
			_, err = l.Client.DeleteRecords(ctx, letters, 0, at)
		}
		return err
	}
	return r
}

// keptOf is for how long the logs may have bytes of a member after it is erased; 0: that is not
// known, and the node's own log says why.
func keptOf(made *kafkatopics.Ensured, embedded bool, log *slog.Logger) time.Duration {
	if embedded {
		return KeptEmbedded
	}
	for _, why := range made.Endless {
		log.Warn("receipts of erasures do not say when the last bytes are gone: a topic has no limit", "why", why)
	}
	if len(made.Endless) > 0 {
		return 0
	}
	return made.Kept
}

// reclaimEvery is how often the files of the node give up what was deleted.
const reclaimEvery = time.Hour

// reclaim has the files of the embedded log and of the data keys give up what was deleted, again and
// again until ctx ends.
func reclaim(ctx context.Context, log *slog.Logger, files ...func(context.Context) error) {
	tick := time.NewTicker(reclaimEvery)
	defer tick.Stop()
	for {
		select {
		case <-tick.C:
		case <-ctx.Done():
			return
		}
		for _, f := range files {
			if err := f(ctx); err != nil && ctx.Err() == nil {
				log.Warn("what was deleted cannot leave the files yet", "err", err)
			}
		}
	}
}

// reclaims are what has files that give up what was deleted.
func reclaims(keys *keystore.Store, eventLog *brokerlog.Log) []func(context.Context) error {
	if eventLog == nil {
		return []func(context.Context) error{keys.Reclaim}
	}
	return []func(context.Context) error{keys.Reclaim, eventLog.Reclaim}
}

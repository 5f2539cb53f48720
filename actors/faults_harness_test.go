package actors

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/actors/journal"
)

// moody is a log whose broker is away while it is off.
type moody struct {
	*memLog
	off atomic.Bool
}

var errAway = errors.New("nobody there")

func (l *moody) Appender() journal.Appender  { return l }
func (l *moody) Reader(p int) journal.Reader { return moodyReader{l, l.memLog.Reader(p)} }

func (l *moody) End(ctx context.Context, p int) (int64, error) {
	if l.off.Load() {
		return 0, errAway
	}
	return l.memLog.End(ctx, p)
}

func (l *moody) Append(ctx context.Context, p int, records []domain.Record) (int64, error) {
	if l.off.Load() {
		return 0, errAway
	}
	return l.memLog.Append(ctx, p, records)
}

type moodyReader struct {
	l *moody
	journal.Reader
}

func (r moodyReader) Read(ctx context.Context, next int64, epoch int32, spare []domain.Record) (domain.Page, error) {
	if r.l.off.Load() {
		return domain.Page{}, errAway
	}
	page, err := r.Reader.Read(ctx, next, epoch, spare)
	if r.l.off.Load() { // it went while this one waited
		return domain.Page{}, errAway
	}
	return page, err
}

// inBubble runs a test on a clock of its own.
func inBubble(t *testing.T, f func(t *testing.T)) {
	synctest.Test(t, func(t *testing.T) {
		time.Sleep(time.Until(time.UnixMilli(1_700_000_000_000))) // as the rig's logs
		defer time.Sleep(time.Minute)                             // timers of what was stopped run out
		f(t)
	})
}

// diary keeps a log's lines.
type diary struct {
	mu  sync.Mutex
	all bytes.Buffer
}

func (d *diary) Write(b []byte) (int, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.all.Write(b)
}

func (d *diary) log() *slog.Logger { return slog.New(slog.NewTextHandler(d, nil)) }

// lines are how many hold all of the words.
func (d *diary) lines(words ...string) (n int) {
	d.mu.Lock()
	defer d.mu.Unlock()
next:
	for line := range strings.Lines(d.all.String()) {
		for _, w := range words {
			if !strings.Contains(line, w) {
				continue next
			}
		}
		n++
	}
	return n
}

// actOf is an activity of a member.
func (r *rig) actOf(id domain.MemberID, hash uint64) domain.Activity {
	return domain.Activity{Member: id, Definition: 100, Brand: 1, Time: 1_600_000_000, Hash: hash}
}

// onceOf is a one-time activity.
func (r *rig) onceOf(id domain.MemberID, hash uint64) domain.Activity {
	a := r.actOf(id, hash)
	a.Definition, a.OneTime = 101, true
	return a
}

// memberOf registers fans until one lives in the shard.
func (r *rig) memberOf(shard int) domain.MemberID {
	r.t.Helper()
	for n := 0; ; n++ {
		if identityOf(n).Slot().Shard(r.journal.Partitions()) == shard {
			return r.register(n)
		}
	}
}

// routed reports that all of the public topic is in the journal.
func (r *rig) routed() bool {
	for p, s := range r.node.routing.List() {
		if end, _ := r.source.End(context.Background(), p); s.Next.Load() < end {
			return false
		}
	}
	return len(r.node.routing.List()) == 2
}

// atEnds reports that all shards but one have applied their journal.
func (r *rig) atEnds(but int) bool {
	for i, s := range r.node.running {
		if end, _ := r.journal.End(context.Background(), i); i != but && s.Applied.Load() < end {
			return false
		}
	}
	return true
}

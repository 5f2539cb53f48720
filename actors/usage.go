package actors

import (
	"context"
	"log/slog"
	"math/rand/v2"
	"sync"
	"time"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/actors/journal"
)

// usage counts the hits of applications and brings them into the log once a second: totals of
// this process by hour, of which the greatest counts, so that a lost acknowledgement counts
// nothing twice. The next totals are appended when those before are durable: a broker that is
// away makes no queue. A kill loses what is not durable, the last second with a broker that
// answers. Stop loses nothing with such a broker; with one that does not answer it logs how many totals may lack hits.
type usage struct {
	mu    sync.Mutex // guards total and dirty: every answered request counts
	total map[usageKey]tally
	dirty map[usageKey]bool // since they were appended
	gone  uint32            // the latest hour of which totals were forgotten

	incarnation uint64
	appender    func(domain.Slot) *journal.PartitionAppender
	appending   chan struct{} // holds one while totals are appended
	remote      remoteUsage
}

// tally is a total of hits, and of those that took a token of the account's rate. A total that begins again,
// in an hour that was forgotten and comes again, has another incarnation: the log adds the two.
type tally struct{ hits, taken, incarnation uint64 }

type usageKey struct {
	account     domain.AccountID
	application domain.ApplicationID
	hour        uint32
}

// count is a total on its way into the log.
type count struct {
	usageKey
	tally
	pending journal.PendingAppend
	err     error
}

// countEvery is how often totals are appended.
const countEvery = time.Second

func newUsage(incarnation uint64, now func() time.Time, appender func(domain.Slot) *journal.PartitionAppender) *usage {
	return &usage{
		total: map[usageKey]tally{}, dirty: map[usageKey]bool{}, incarnation: incarnation, appender: appender,
		appending: make(chan struct{}, 1), remote: newRemoteUsage(incarnation, now),
	}
}

// Hit counts an answered request; paid: it took a token of the account's rate.
func (u *usage) Hit(account domain.AccountID, application domain.ApplicationID, at time.Time, paid bool) {
	k := usageKey{account, application, hourOf(at)}
	u.mu.Lock()
	t, known := u.total[k]
	if !known {
		t.incarnation = u.incarnation
		if k.hour <= u.gone {
			t.incarnation = rand.Uint64()
			u.remote.isOwn(t.incarnation)
		}
	}
	t.hits++
	if paid {
		t.taken++
	}
	u.total[k] = t
	u.dirty[k] = true
	u.mu.Unlock()
}

// hourOf is the hour since 1970 that a moment lies in.
func hourOf(t time.Time) uint32 { return uint32(t.Unix() / 3600) }

// run appends what moved every second, until ctx ends.
func (u *usage) run(ctx context.Context) {
	t := time.NewTicker(countEvery)
	defer t.Stop()
	for {
		select {
		case <-t.C:
			u.append(ctx)
		case <-ctx.Done():
			return
		}
	}
}

// finish appends what the last second counted, as long as a broker that answers may take.
func (u *usage) finish() {
	ctx, cancel := context.WithTimeout(context.Background(), countEvery)
	defer cancel()
	u.append(ctx)
}

// warnOfLost logs how many totals may lack hits in the journal. It is called when run and finish have returned: what
// one of them had under way is durable by then, or has moved still.
func (u *usage) warnOfLost(log *slog.Logger) {
	u.mu.Lock()
	defer u.mu.Unlock()
	if n := len(u.dirty); n > 0 {
		log.Warn("usage counts of the last requests may not be in the journal", "counts", n)
	}
}

// append appends the totals that moved and waits until they are durable. Those that are not
// when ctx ends have moved still.
func (u *usage) append(ctx context.Context) {
	select {
	case u.appending <- struct{}{}:
		defer func() { <-u.appending }()
	case <-ctx.Done():
		return
	}
	counts := u.take()
	for i := range counts {
		c := &counts[i]
		c.pending, c.err = u.appender(c.application.Slot()).Submit(ctx, c.record(), false)
	}
	for i := range counts {
		c := &counts[i]
		if c.err == nil {
			_, c.err = u.appender(c.application.Slot()).Durable(ctx, c.pending)
		}
		if c.err != nil {
			u.giveBack(c)
		}
	}
}

func (c *count) record() domain.Record {
	return domain.Record{
		Kind: domain.KindUsage, Account: c.account, Application: c.application,
		Command: &domain.Usage{Application: c.application, Hour: c.hour, Incarnation: c.incarnation, Total: c.hits, Taken: c.taken},
	}
}

// keepHours is for how many hours totals are kept behind the latest: a clock that is set back by less goes on
// with them.
const keepHours = 48

// take is the totals that moved since the last call; hours that are long over are forgotten.
func (u *usage) take() []count {
	u.mu.Lock()
	defer u.mu.Unlock()
	var out []count
	for k := range u.dirty {
		out = append(out, count{usageKey: k, tally: u.total[k]})
	}
	clear(u.dirty)
	newest := uint32(0)
	for k := range u.total {
		newest = max(newest, k.hour)
	}
	for k := range u.total {
		if k.hour+keepHours < newest {
			u.gone = max(u.gone, k.hour)
			delete(u.total, k)
		}
	}
	return out
}

// giveBack has a total appended again.
func (u *usage) giveBack(c *count) {
	u.mu.Lock()
	defer u.mu.Unlock()
	t, known := u.total[c.usageKey]
	if known && t.incarnation != c.incarnation { // the hour came again meanwhile, with another total
		t.hits += c.hits
		t.taken += c.taken
	} else {
		t = tally{max(t.hits, c.hits), max(t.taken, c.taken), c.incarnation}
	}
	u.total[c.usageKey] = t
	u.dirty[c.usageKey] = true
}

package actors

import (
	"sync"
	"time"

	"github.com/ovation-analytics/ovation/actors/domain"
)

// remoteUsage is what requests on other nodes took of the rates of accounts: their counts of hits
// come by the log, once a second from each node. Shards bring them, each on its goroutine.
type remoteUsage struct {
	now   func() time.Time
	began uint32 // hour in which this node started

	mu     sync.Mutex      // guards what follows
	own    map[uint64]bool // this node's incarnations
	taken  map[nodeHour]uint64
	newest uint32 // hour
	tell   func(account domain.AccountID, tokens uint64)
}

// nodeHour is an hour of an application on a node.
type nodeHour struct {
	usageKey
	incarnation uint64
}

// heedWithin is how old a count may be to matter: a bucket forgets in a few seconds. Older ones
// are read by a node that catches up.
const heedWithin = 5 * time.Second

func newRemoteUsage(own uint64, now func() time.Time) remoteUsage {
	return remoteUsage{own: map[uint64]bool{own: true}, now: now, began: hourOf(now()), taken: map[nodeHour]uint64{}}
}

// OnRemoteTokens has f called with the tokens that an account's requests on other nodes took since
// the last call. It is called on the goroutine of a shard.
func (u *usage) OnRemoteTokens(f func(account domain.AccountID, tokens uint64)) {
	u.remote.mu.Lock()
	defer u.remote.mu.Unlock()
	u.remote.tell = f
}

// isOwn notes another incarnation of this node.
func (e *remoteUsage) isOwn(incarnation uint64) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.own[incarnation] = true
}

// see looks at a count that is applied, or is once more.
func (e *remoteUsage) see(r *domain.Record) {
	u := r.Command.(*domain.Usage)
	more, tell := e.note(r.Account, u, hourOf(time.UnixMilli(r.Time)))
	if more > 0 && tell != nil && e.now().Sub(time.UnixMilli(r.Time)) < heedWithin {
		tell(r.Account, more)
	}
}

// note is by how much the count is more than the last one. The first one of the hour in which this
// node started may hold what was taken before: it is noted alone, and so is the first of an hour that the
// log, at, has not come to: it is of a node whose clock is ahead, which ends no other's counts.
func (e *remoteUsage) note(
	account domain.AccountID, u *domain.Usage, at uint32,
) (more uint64, tell func(domain.AccountID, uint64)) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.own[u.Incarnation] {
		return 0, nil
	}
	early := u.Hour > at+1
	if !early && u.Hour > e.newest {
		e.newest = u.Hour
		for k := range e.taken {
			if k.hour+1 < u.Hour {
				delete(e.taken, k)
			}
		}
	}
	k := nodeHour{usageKey{account, u.Application, u.Hour}, u.Incarnation}
	last, known := e.taken[k]
	if u.Hour+1 < e.newest || u.Taken <= last {
		return 0, nil
	}
	e.taken[k] = u.Taken
	if !known && (u.Hour <= e.began || early) {
		return 0, nil
	}
	return u.Taken - last, e.tell
}

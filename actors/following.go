package actors

import (
	"context"
	"time"

	"github.com/ovation-analytics/ovation/actors/catalog"
	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/actors/internal/retry"
	"github.com/ovation-analytics/ovation/actors/nodes"
	"github.com/ovation-analytics/ovation/actors/shard"
	"github.com/ovation-analytics/ovation/actors/view"
)

const (
	// followLook is how often the node looks whether its shards keep the memberships of the lists that are followed.
	followLook = 200 * time.Millisecond
	// endsLook is how often it looks for lists whose time to be followed is over (domain.FollowLife).
	endsLook = time.Minute
)

// followedLists has the shards of a node keep the memberships of the lists that are followed by the catalog: it appends
// FollowList to the partition of a shard that does not follow a list, or follows it by an older rule, until the shard has applied
// one. Of several nodes the one of rank 0 appends, and another one where the shard does not follow for longer. A record more changes nothing.
type followedLists struct {
	shards  *shards
	catalog func() *catalog.View
	current func() *nodes.Snapshot

	read    int64 // catalog that wanted is of
	readAt  time.Time
	wanted  map[domain.SegmentID]*domain.Segment
	missing map[missingList]time.Time // since when, or since the last record
}

// missingList is a list that a shard does not follow by a version of its rule, or one that it need not follow.
type missingList struct {
	shard   int
	segment domain.SegmentID
	version uint64
	ends    bool
}

// run looks again and again, until ctx ends.
func (f *followedLists) run(ctx context.Context) {
	for retry.Pause(ctx, followLook) {
		if f.shards.started.Load() {
			f.look(time.Now())
		}
	}
}

// look looks at each shard once.
func (f *followedLists) look(now time.Time) {
	v := f.catalog()
	ends := now.Sub(f.readAt) >= endsLook
	if f.read != v.Next() || ends {
		f.read, f.readAt = v.Next(), now
		f.wanted = followed(v, f.shards.o.timeOfDay().UnixMilli())
		ends = true
	}
	seen := map[missingList]time.Time{}
	for id, r := range f.shards.here() {
		f.shard(id, r.Handle, v, ends, now, seen)
	}
	f.missing = seen
}

// followed are the lists that are followed at a time in ms since 1970.
func followed(v *catalog.View, now int64) map[domain.SegmentID]*domain.Segment {
	out := map[domain.SegmentID]*domain.Segment{}
	for _, a := range v.Accounts() {
		for _, s := range v.FollowedLists(a.ID, now) {
			out[s.ID] = s
		}
	}
	return out
}

// shard appends what a shard misses.
func (f *followedLists) shard(id int, h *shard.Handle, v *catalog.View, ends bool, now time.Time, seen map[missingList]time.Time) {
	if len(f.wanted) == 0 && !ends {
		return
	}
	at := h.View.Acquire()
	if at == nil {
		return
	}
	defer at.Release()
	for _, s := range f.wanted {
		if l, is := listsOf(at, s.Account)[s.ID]; !is || l.Version < s.Version {
			f.miss(missingList{id, s.ID, s.Version, false}, s.Account, s.List(), now, seen)
		}
	}
	if !ends {
		return
	}
	for _, a := range v.Accounts() {
		for segment, l := range listsOf(at, a.ID) {
			if f.wanted[segment] == nil {
				f.miss(missingList{id, segment, l.Version, true}, a.ID, domain.ListRule{}, now, seen)
			}
		}
	}
}

// listsOf are the lists of an account that a shard follows.
func listsOf(v *view.View, account domain.AccountID) view.Lists {
	if a := v.Account(account); a != nil {
		return a.Lists
	}
	return nil
}

// miss appends a record for what a shard misses, when it is due. A record is on its way for a time.
func (f *followedLists) miss(m missingList, account domain.AccountID, rule domain.ListRule, now time.Time, seen map[missingList]time.Time) {
	rank := f.current().Rank(nodes.Ticking, m.shard)
	since, known := f.missing[m]
	if !known {
		since = now
	}
	if due := time.Duration(rank) * tickDelay; !known && rank == 0 || known && now.Sub(since) >= max(due, tickDelay) {
		f.shards.appenders[m.shard].Post(domain.Record{Kind: domain.KindFollowList, Account: account, Command: &domain.FollowList{
			Segment: m.segment, Partition: uint32(m.shard), Version: m.version, Rule: rule, Ends: m.ends, Catalog: f.read,
		}}, nil)
		since = now
	}
	seen[m] = since
}

package actors

import (
	"context"
	"maps"
	"math/rand/v2"
	"sync"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/actors/nodes"
)

// Deliveries is how far the events of webhooks came, as the shards of this node have applied it, and which node sends
// them. Any goroutine may use it.
type Deliveries struct {
	shards *shards
	among  *among

	mu     sync.Mutex
	last   map[domain.WebhookID]lastSender
	wishes map[domain.WebhookID]wishes
	counts map[domain.Nonce]chan bool // records of this node that are on their way: whether they count
}

// lastSender is who was the last to send the events of a webhook.
type lastSender struct {
	node  domain.NodeID
	moves uint64 // records of nodes that counted, in this process
}

// wishes are what accounts want of a webhook once more, in this process.
type wishes struct {
	count    uint64
	versions map[int]uint64 // of the progress after the last of them, by shard
}

func newDeliveries(s *shards, a *among) *Deliveries {
	return &Deliveries{shards: s, among: a, last: map[domain.WebhookID]lastSender{}, wishes: map[domain.WebhookID]wishes{}, counts: map[domain.Nonce]chan bool{}}
}

// see looks at a record that is applied, or is once more, on the goroutine of its shard.
func (d *Deliveries) see(r *domain.Record, counts bool) {
	of := r.Command.(*domain.Delivered)
	d.mu.Lock()
	defer d.mu.Unlock()
	switch {
	case counts && r.Request.IsZero():
		d.last[of.Webhook] = lastSender{of.Node, d.last[of.Webhook].moves + 1}
	case counts:
		was := d.wishes[of.Webhook]
		if was.versions == nil {
			was.versions = map[int]uint64{}
		}
		was.versions[int(of.Partition)] = of.Base + 1
		d.wishes[of.Webhook] = wishes{was.count + 1, was.versions}
	}
	if waits := d.counts[r.Nonce]; waits != nil {
		delete(d.counts, r.Nonce)
		waits <- counts
	}
}

// Sending is the node that was the last to send the events of a webhook, as far as this process has seen, and how often it
// has seen one do it.
func (d *Deliveries) Sending(id domain.WebhookID) (node domain.NodeID, moves uint64) {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.last[id].node, d.last[id].moves
}

// Wishes is how often an account wanted events of a webhook once more, as far as this process has seen.
func (d *Deliveries) Wishes(id domain.WebhookID) uint64 {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.wishes[id].count
}

// WishesVisible reports that Progress has all of that.
func (d *Deliveries) WishesVisible(id domain.WebhookID) bool {
	d.mu.Lock()
	versions := maps.Clone(d.wishes[id].versions)
	d.mu.Unlock()
	for shard, version := range versions {
		if p, _, err := d.Progress(shard, id); err != nil || p.Version < version {
			return false
		}
	}
	return true
}

// Keep appends how far a webhook came, as of this node, and reports whether it counts: where it does not,
// another node sends too, or an account wants events once more. After an error that is not known.
func (d *Deliveries) Keep(ctx context.Context, account domain.AccountID, of *domain.Delivered) (counts bool, err error) {
	of.Node = d.among.Self()
	nonce := domain.Nonce(rand.Uint64() | 1)
	answer := make(chan bool, 1)
	d.mu.Lock()
	d.counts[nonce] = answer
	d.mu.Unlock()
	defer func() {
		d.mu.Lock()
		defer d.mu.Unlock()
		delete(d.counts, nonce)
	}()
	appender := d.shards.appenders[of.Partition]
	pending, err := appender.Submit(ctx, domain.Record{Kind: domain.KindDelivered, Account: account, Nonce: nonce, Command: of}, false)
	if err == nil {
		_, err = appender.Durable(ctx, pending)
	}
	if err != nil {
		return false, err
	}
	select {
	case counts = <-answer:
		return counts, nil
	case <-ctx.Done():
		return false, domain.ErrUnavailable
	}
}

// Progress is how far the events of a webhook came in a shard, and what is pending, by its places, as of the shard's last
// commit.
func (d *Deliveries) Progress(shard int, id domain.WebhookID) (p domain.Progress, pending []domain.Undelivered, err error) {
	h, err := d.shards.handle(shard)
	if err != nil {
		return p, nil, err
	}
	v := h.View.Acquire()
	if v == nil {
		return p, nil, domain.ErrUnavailable
	}
	defer v.Release()
	return v.Snapshot.Progress(id)
}

// Ended calls f with the messages of a webhook that ended in a shard, in no order.
func (d *Deliveries) Ended(shard int, id domain.WebhookID, f func(*domain.Delivery)) error {
	h, err := d.shards.handle(shard)
	if err != nil {
		return err
	}
	v := h.View.Acquire()
	if v == nil {
		return domain.ErrUnavailable
	}
	defer v.Release()
	return v.Snapshot.Ended(id, f)
}

// LastEvent is the sequence of the last row, notice or membership of its list that there is for a webhook in a shard; 0: there is
// none, or that is not known.
func (d *Deliveries) LastEvent(shard int, of *domain.Webhook) uint64 {
	h, err := d.shards.handle(shard)
	if err != nil {
		return 0
	}
	v := h.View.Acquire()
	if v == nil {
		return 0
	}
	defer v.Release()
	if a := v.Account(of.Account); a != nil {
		return max(a.Rows.Seq, a.Noticed, a.Lists[of.List(0)].Last)
	}
	return 0
}

// Shards is how many shards there are.
func (d *Deliveries) Shards() int { return d.shards.count }

// Rank is the place of this node for sending the events of a webhook; below zero while others are listed and
// not seen yet.
func (d *Deliveries) Rank(id domain.WebhookID) int {
	s := d.among.snapshot()
	if s == nil && !d.among.Alone() {
		return -1
	}
	return s.Rank(nodes.Delivering, int(id))
}

// Alone reports that no other node is listed.
func (d *Deliveries) Alone() bool { return d.among.Alone() }

// Self is this node; zero: it has no id.
func (d *Deliveries) Self() domain.NodeID { return d.among.Self() }

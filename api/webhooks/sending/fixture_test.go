package sending

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/api/webhooks/delivery"
	"github.com/ovation-analytics/ovation/api/webhooks/egress"
	"github.com/ovation-analytics/ovation/api/webhooks/signature"
)

// world is a catalog with one webhook, rows of some shards, the log of what was kept of it, and a receiver: in memory,
// as several nodes see them.
type world struct {
	mu      sync.Mutex
	hook    domain.Webhook
	rows    [][]delivery.Event // by shard
	changed chan struct{}      // closed by what comes
	kept    []progress         // by shard
	moves   uint64
	wishes  uint64
	opened  int   // streams
	blind   error // of the streams
	sender  domain.NodeID
	away    bool // the log takes nothing
	answer  func(message) egress.Answer
	slow    time.Duration // until the receiver answers
	got     []message
}

// progress is what was kept of a shard.
type progress struct {
	domain.Progress
	pending map[domain.EventPlace]domain.Undelivered
	ended   []domain.Delivery
}

// message is a request that came.
type message struct {
	ID   string
	Data struct{ Shard, Sequence, Member uint64 }
	by   domain.NodeID
	at   string // of its signature, in seconds since 1970
}

func newWorld(shards int) *world {
	w := &world{
		hook: domain.Webhook{ID: 7, Account: 1, URL: "https://a.example", Events: domain.EventKindsOf(domain.EventActivity), Batch: 1, Begin: make([]uint64, shards), Updated: 1},
		rows: make([][]delivery.Event, shards), changed: make(chan struct{}), kept: make([]progress, shards),
		answer: func(message) egress.Answer { return egress.Answer{Status: 204} },
	}
	for i := range w.kept {
		w.kept[i].pending = map[domain.EventPlace]domain.Undelivered{}
	}
	return w
}

// act has members act, each in a shard.
func (w *world) act(shard int, members ...domain.MemberID) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, m := range members {
		n := uint64(len(w.rows[shard])) + 1
		w.rows[shard] = append(w.rows[shard], delivery.Event{Sequence: n, Kind: domain.EventActivity, Member: m})
	}
	close(w.changed)
	w.changed = make(chan struct{})
}

// edit changes the webhook.
func (w *world) edit(f func(*domain.Webhook)) {
	w.mu.Lock()
	defer w.mu.Unlock()
	f(&w.hook)
	w.hook.Updated++
}

// messages are those that came by now.
func (w *world) messages() []message {
	w.mu.Lock()
	defer w.mu.Unlock()
	return slices.Clone(w.got)
}

// apply applies a record, as each node does.
func (w *world) apply(d *domain.Delivered) bool {
	of := &w.kept[d.Partition]
	next, changed := of.After(d)
	if !changed {
		return false
	}
	if d.Node == (domain.NodeID{}) {
		w.wishes++
	} else {
		w.moves++
		w.sender = d.Node
	}
	if of.Progress = next; d.Forget {
		*of = progress{pending: map[domain.EventPlace]domain.Undelivered{}}
		return true
	}
	for _, at := range d.Done {
		delete(of.pending, at)
	}
	for _, p := range d.Pending {
		of.pending[p.Place()] = p
	}
	of.ended = append(of.ended, d.Ended...)
	return true
}

// node is the world as one node sees it.
type node struct {
	*world
	id     domain.NodeID
	rank   func() int
	killed func() bool // it appends nothing more
	cut    bool        // from the log: no row comes, and nothing is appended
	others bool
	ahead  time.Duration // of its machine's clock
}

func (n *node) Shards() int { return len(n.rows) }
func (n *node) Alone() bool { return !n.others }

func (n *node) Self() domain.NodeID { return n.id }

func (n *node) Rank(domain.WebhookID) int {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.rank()
}

func (n *node) Sending(domain.WebhookID) (domain.NodeID, uint64) {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.sender, n.moves
}

func (n *node) Wishes(domain.WebhookID) uint64 {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.wishes
}

func (n *node) WishesVisible(domain.WebhookID) bool { return true }

func (n *node) Ended(shard int, _ domain.WebhookID, f func(*domain.Delivery)) error {
	n.mu.Lock()
	defer n.mu.Unlock()
	for i := range n.kept[shard].ended {
		f(&n.kept[shard].ended[i])
	}
	return nil
}

func (n *node) LastEvent(shard int, _ *domain.Webhook) uint64 {
	n.mu.Lock()
	defer n.mu.Unlock()
	return uint64(len(n.rows[shard]))
}

func (n *node) Progress(shard int, _ domain.WebhookID) (domain.Progress, []domain.Undelivered, error) {
	n.mu.Lock()
	defer n.mu.Unlock()
	of := &n.kept[shard]
	places := slices.SortedFunc(maps.Keys(of.pending), comparePlaces)
	var pending []domain.Undelivered
	for _, at := range places {
		pending = append(pending, of.pending[at])
	}
	return of.Progress, pending, nil
}

func (n *node) Keep(_ context.Context, _ domain.AccountID, d *domain.Delivered) (bool, error) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.away || n.cut || n.killed() {
		return false, errors.New("the log is away")
	}
	d.Node = n.id
	return n.apply(d), nil
}

// Page, Await, Render and Cursor are those of the stream.
func (n *node) Page(_ context.Context, after []uint64, limit int) (delivery.Page, error) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.blind != nil {
		return delivery.Page{}, n.blind
	}
	p := delivery.Page{Next: slices.Clone(after), Events: make([][]delivery.Event, len(after))}
	if n.cut {
		return p, nil
	}
	for i, rows := range n.rows {
		if after[i] == delivery.Skip {
			continue
		}
		rows = rows[after[i]:]
		count := min(len(rows), limit)
		p.Events[i], p.Next[i], p.More = rows[:count], after[i]+uint64(count), p.More || count < len(rows)
		limit -= count
	}
	return p, nil
}

func (n *node) Await(ctx context.Context) error {
	n.mu.Lock()
	changed := n.changed
	n.mu.Unlock()
	select {
	case <-changed:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

func (n *node) Render(_ context.Context, shard int, events []delivery.Event) (out []delivery.Rendered, err error) {
	for _, e := range events {
		data := fmt.Sprintf(`{"Shard":%d,"Sequence":%d,"Member":%d}`, shard, e.Sequence, e.Member)
		out = append(out, delivery.Rendered{Event: e, Data: json.RawMessage(data)})
	}
	return out, nil
}

func (n *node) Cursor([]uint64) string { return "c" }

func (n *node) Post(ctx context.Context, r egress.Request) egress.Answer {
	var m message
	if err := json.Unmarshal(r.Body, &m); err != nil {
		panic(err)
	}
	m.by, m.at = n.id, r.Header.Get(signature.HeaderTimestamp)
	n.mu.Lock()
	if n.killed() {
		n.mu.Unlock()
		return egress.Answer{Failure: egress.Broken}
	}
	n.got = append(n.got, m)
	answer := n.answer(m)
	n.mu.Unlock()
	if n.slow > 0 {
		select {
		case <-time.After(n.slow):
		case <-ctx.Done():
			return egress.Answer{Failure: egress.Broken}
		}
	}
	return answer
}

// runner is that of the node.
func (n *node) runner() *Runner {
	return NewRunner(Config{
		Log: n, Poster: n, Logger: slog.New(slog.DiscardHandler),
		TimeOfDay: func(machine time.Time) time.Time { return machine.Add(-n.ahead) },
		Webhooks: func() []*domain.Webhook {
			n.mu.Lock()
			defer n.mu.Unlock()
			hook := n.hook
			return []*domain.Webhook{&hook}
		},
		Source: func(context.Context, *domain.Webhook) (delivery.Source, error) {
			n.mu.Lock()
			defer n.mu.Unlock()
			n.opened++
			return n, n.blind
		},
		Secrets: func(*domain.Webhook) delivery.Secrets {
			return func(context.Context, time.Time) ([]signature.Secret, error) { return []signature.Secret{{1}}, nil }
		},
		Disable: func(_ context.Context, w *domain.Webhook, why domain.Disabled) error {
			n.edit(func(hook *domain.Webhook) { hook.Disabled = why })
			return nil
		},
	})
}

// run runs a node's Runner until the function returned is called.
func (n *node) run() (stop func()) {
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		n.runner().Run(ctx)
	}()
	return func() {
		cancel()
		<-ended
	}
}

// alone is a node without others.
func (w *world) alone() *node {
	return &node{world: w, id: domain.NodeID{1}, rank: func() int { return 0 }, killed: func() bool { return false }}
}

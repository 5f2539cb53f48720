package query

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/ovation-analytics/ovation/actors/domain"
)

// roundPause is how long a question waits before it looks at shards again whose views did not agree: they
// agree with a commit of theirs.
const roundPause = 2 * time.Millisecond

// Apart are two shards that counted differently what they handed to each other. While a commit of one is
// under way that is so for a moment; where it lasts, one has lost what the other sent.
type Apart [2]int

// Disagreement is the shards for which questions had no answer lately, since their views never agreed. Any
// goroutine.
type Disagreement struct {
	mu     sync.Mutex // guards what follows
	pairs  map[Apart]struct{}
	failed uint64
}

// note notes a question that had no answer, and gives its error.
func (d *Disagreement) note(pairs []Apart) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.failed++
	if d.pairs == nil {
		d.pairs = map[Apart]struct{}{}
	}
	names := make([]string, 0, len(pairs))
	for _, p := range pairs {
		d.pairs[p] = struct{}{}
		names = append(names, p.String())
	}
	return &domain.Error{Code: domain.Unavailable, Op: "ask", Err: domain.ErrUnavailable, Message: fmt.Sprintf(
		"shards %s did not agree in time on what merged members handed over: try again", strings.Join(names, ", "))}
}

// agreed notes that views of these shards agree.
func (d *Disagreement) agreed(views []viewState) {
	d.mu.Lock()
	defer d.mu.Unlock()
	has := func(shard int) bool {
		return slices.ContainsFunc(views, func(v viewState) bool { return v.shard == shard && !v.lost() })
	}
	for p := range d.pairs {
		if has(p[0]) && has(p[1]) {
			delete(d.pairs, p)
		}
	}
}

// List are the shards, ascending, and how many questions had no answer for them.
func (d *Disagreement) List() (pairs []Apart, failed uint64) {
	d.mu.Lock()
	defer d.mu.Unlock()
	for p := range d.pairs {
		pairs = append(pairs, p)
	}
	slices.SortFunc(pairs, compareApart)
	return pairs, d.failed
}

// String names the shards.
func (a Apart) String() string { return fmt.Sprintf("%d and %d", a[0], a[1]) }

func compareApart(a, b Apart) int { return cmp.Or(cmp.Compare(a[0], b[0]), cmp.Compare(a[1], b[1])) }

// apart are the pairs of views that do not agree, ascending.
func apart(views []viewState) (pairs []Apart) {
	for i := range views {
		for j := range views {
			x, y := &views[i], &views[j]
			if x.lost() || y.lost() || x.shard > y.shard {
				continue
			}
			of, back := handoverWith(x.handovers, y.shard), handoverWith(y.handovers, x.shard)
			if of.Sent != back.Received || of.Received != back.Sent {
				pairs = append(pairs, Apart{x.shard, y.shard})
			}
		}
	}
	slices.SortFunc(pairs, compareApart)
	return slices.Compact(pairs)
}

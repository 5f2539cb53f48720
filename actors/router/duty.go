package router

import (
	"context"
	"slices"
	"sync"
	"time"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/actors/internal/retry"
)

// Each partition is routed by one node: that of rank 0. The others look each second at what the group has of it. Where
// there is something to route and the group has the same for as long as the rank times takeAfter, the next node takes the
// partition over; the group says that it routes, and it goes on until it sees a node of a lower rank do it. Two nodes that
// route at once do no harm: what is appended twice is dropped by its origin (I2).
//
// Without a fault no two nodes route at once. A node whose rank was 0 ends when another one comes before it, or when it
// stops itself: its last commit says so, of the exact offset. The node that has the duty now begins at that commit, and
// without one only when who routed is silent, or does nothing, or after lastTake.

const (
	// lookEach is how often a node looks at what the group has.
	lookEach = time.Second
	// lookEarly is how often it does where a question waits for it.
	lookEarly = 50 * time.Millisecond
	// takeAfter is how long a partition is not routed before the next node takes it over.
	takeAfter = 3 * time.Second
	// lastTake is how long a node whose duty a partition is waits at most for the end of who routes it.
	lastTake = 10 * time.Second
	// lookSoon is how often a node looks while it waits for that.
	lookSoon = 250 * time.Millisecond
	// longestStep is the most idleness that two looks one after the other can show: a node that was paused
	// between them has not looked.
	longestStep = 2 * lookEach
)

// What a router is told.
type (
	hold  struct{} // route: this node has the duty, or takes it over
	leave struct{} // another node routes, or is to
	goOn  struct{} // another node has routed further: go on there
)

// verdict is what follows from a look.
type verdict uint8

const (
	asBefore  verdict = iota
	awaits            // the end of another node's routing, which is this node's duty now
	takes             // routing, which is this node's duty
	takesOver         // routing, which another node does not do
	leaves            // routing to a node of a lower rank that does it, or is to
	follows           // another node that has routed further
	repeats           // what the group has, so that others need not take over
)

// watch follows what the group has of one partition. One goroutine.
type watch struct {
	kept   domain.Routed
	idle   time.Duration // for how long there was something to route and the group had the same
	waited time.Duration // for how long the end of another node's routing was waited for
	led    bool          // this node had rank 0 since it routes
	at     time.Time     // of the last look
	ends   []endSeen     // of the partition, which the group has not reached yet
}

// endSeen is an end of a partition as it was seen at a moment.
type endSeen struct {
	end int64
	at  time.Time
}

// maxEnds bounds how many ends are remembered.
const maxEnds = 64

// reached gives the newest end seen that the group has reached, after one more was seen; false: none new.
func (w *watch) reached(next, end int64, at time.Time) (newest endSeen, ok bool) {
	if len(w.ends) < maxEnds {
		w.ends = append(w.ends, endSeen{end, at})
	}
	n := 0
	for n < len(w.ends) && w.ends[n].end <= next {
		newest, ok = w.ends[n], true
		n++
	}
	w.ends = slices.Delete(w.ends, 0, n)
	return newest, ok
}

// looked is what one look sees of a partition.
type looked struct {
	kept    domain.Routed
	end     int64 // of the partition
	holding bool  // this node routes
	next    int64 // up to where, then
	rank    int   // of this node
	rankOf  int   // of the node that the group has as who routes
	own     bool  // that is this node
	beats   bool  // that node beats
}

// see judges a look.
func (w *watch) see(now time.Time, l looked) verdict {
	step, moved := min(now.Sub(w.at), longestStep), l.kept != w.kept
	w.at, w.kept = now, l.kept
	if w.idle += step; moved || l.end <= max(l.kept.Next, 0) {
		w.idle = 0
	}
	w.led = l.holding && (w.led || l.rank == 0)
	if l.holding || l.rank > 0 {
		w.waited = 0
	} else {
		w.waited += step
	}
	switch {
	case !l.holding && l.rank == 0:
		if w.begins(&l) {
			return takes
		}
		return awaits
	case l.holding && l.rank > 0 && w.led:
		return leaves
	case !l.holding && w.idle >= time.Duration(l.rank)*takeAfter:
		w.idle = 0
		return takesOver
	case !l.holding || l.kept.Next < 0: // of nothing, the router's first commit says who routes
		return asBefore
	case !l.own && moved && !l.kept.Ended && l.rankOf < l.rank:
		return leaves
	case !l.own && l.kept.Next > l.next:
		return follows
	case !l.own || w.idle >= lookEach/2: // one look, or several early ones
		return repeats
	}
	return asBefore
}

// begins reports that a node whose duty it is has nobody to wait for.
func (w *watch) begins(l *looked) bool {
	routed := l.kept.Next >= 0 && !l.own && !l.kept.Ended && l.beats
	return !routed || w.idle >= takeAfter || w.waited >= lastTake
}

// duty decides which partitions this node routes. One goroutine.
type duty struct {
	o       *Options
	handles *Handles
	early   <-chan struct{}
	tell    func(partition int, message any)
	watches map[int]*watch
	looking retry.State
	failed  int
}

func newDuty(o *Options, handles *Handles, early <-chan struct{}, tell func(int, any)) *duty {
	return &duty{
		o: o, handles: handles, early: early, tell: tell, watches: map[int]*watch{},
		looking: retry.State{What: "what other nodes route cannot be read"},
	}
}

// run looks each second, and sooner where a question or this node waits, until ctx ends.
func (d *duty) run(ctx context.Context) {
	t := time.NewTimer(lookEach)
	defer t.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-t.C:
		case <-d.early:
		}
		wait := lookEach
		if d.look(ctx) {
			wait = lookSoon
		}
		t.Reset(wait)
	}
}

// look looks at all partitions. It reports that this node waits for the end of another one's routing.
func (d *duty) look(ctx context.Context) (waits bool) {
	all := d.handles.List()
	if d.o.Nodes.Alone() {
		for _, h := range all {
			if !h.Holding.Load() {
				d.tell(h.Partition, &hold{})
			}
		}
		clear(d.watches)
		return false
	}
	if len(all) == 0 {
		return false
	}
	partitions := make([]int, len(all))
	for i, h := range all {
		partitions[i] = h.Partition
	}
	seen := time.Now()
	ends := d.ends(ctx, all)
	kept, err := d.o.Source.Kept(ctx, partitions)
	if err != nil {
		if ctx.Err() == nil {
			d.failed++
			d.looking.Failed(d.o.Log, d.failed, err)
		}
		return false
	}
	d.failed = 0
	d.looking.Recovered(d.o.Log)
	for i, h := range all {
		if ends[i] >= 0 {
			waits = d.judge(ctx, h, kept[i], ends[i], seen) == awaits || waits
		}
	}
	return waits
}

// ends are the ends of the partitions; below zero: it cannot be read now.
func (d *duty) ends(ctx context.Context, all []*Handle) []int64 {
	ends := make([]int64, len(all))
	var wg sync.WaitGroup
	for i, h := range all {
		if h.Holding.Load() { // its router knows
			ends[i] = h.End.Load()
			continue
		}
		wg.Go(func() {
			var err error
			if ends[i], err = d.o.Source.End(ctx, h.Partition); err != nil {
				ends[i] = -1
			}
		})
	}
	wg.Wait()
	return ends
}

// judge does what follows from a look at a partition.
func (d *duty) judge(ctx context.Context, h *Handle, kept domain.Routed, end int64, seen time.Time) verdict {
	w := d.watches[h.Partition]
	if w == nil {
		w = &watch{kept: kept, at: seen, led: h.Holding.Load()} // which it began as a node alone
		d.watches[h.Partition] = w
	}
	if kept.Topic != d.o.topic(h.Partition) {
		kept = domain.Routed{Next: -1} // of a topic that was deleted
	}
	nodes := d.o.Nodes
	l := looked{
		kept: kept, end: end, holding: h.Holding.Load(), next: h.Next.Load(), rank: nodes.Rank(h.Partition),
		rankOf: nodes.RankOf(kept.Node, h.Partition), own: kept.Node == nodes.Self(), beats: nodes.Beats(kept.Node),
	}
	if !l.holding && kept.Next >= 0 {
		if kept.Topic != w.kept.Topic { // what was routed is of another topic
			h.Next.Store(0)
			w.ends = nil
		}
		h.left(&kept, end, l.own)
		if reached, ok := w.reached(kept.Next, end, seen); ok {
			h.Fresh.Applied(reached.end, kept.Next, reached.at)
		}
	}
	v := w.see(seen, l)
	switch v {
	case takes:
		d.tell(h.Partition, &hold{})
	case takesOver:
		if h.Stopped.Load() == nil {
			h.Taken.Add(1)
			d.o.Log.Warn("this node routes a partition that no other node routes now", "partition", h.Partition, "before", kept.Node.String())
			d.tell(h.Partition, &hold{})
		}
	case leaves:
		d.o.Log.Info("this node leaves a partition to the node whose duty it is", "partition", h.Partition)
		d.tell(h.Partition, &leave{})
	case follows:
		d.tell(h.Partition, &goOn{})
	case repeats:
		_ = h.offset.repeat(ctx) // the next look sees what became of it
	}
	return v
}

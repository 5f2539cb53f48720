package status

import (
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/ovation-analytics/ovation/actors/shard"
)

// shownProblems is how many problems a screen has; the others are counted.
const shownProblems = 10

// Screen prints the node on one screen: what is wrong first, with what helps, then its parts. Tabs are columns.
func (n *Node) Screen(w io.Writer) {
	problems := n.Problems()
	for i, p := range problems {
		if i == shownProblems {
			fmt.Fprintf(w, "  and %d more: ovation status --output json\n", len(problems)-i)
			break
		}
		fmt.Fprintf(w, "  %s\n", p)
	}
	fmt.Fprintf(w, "shards\t%s\n", n.shards())
	fmt.Fprintf(w, "activities\t%s\n", n.activities())
	fmt.Fprintf(w, "catalog\t%s\n", behind(n.Catalog.Next, n.Catalog.End, n.Catalog.LagMs))
	fmt.Fprintf(w, "nodes\t%s\n", n.nodes())
	fmt.Fprintf(w, "dead letters\t%s\n", n.deadLetters())
	fmt.Fprintf(w, "disk\t%s\n", n.disk())
	fmt.Fprintf(w, "copies\t%s\n", n.Replication)
	if v := n.Verify; v != nil {
		fmt.Fprintf(w, "verified\t%s, begun %s\n", v.State, v.Started.UTC().Format(time.DateTime))
	}
	if r := n.Rebuild; r != nil {
		fmt.Fprintf(w, "rebuild\t%s, begun %s\n", r.State, r.Started.UTC().Format(time.DateTime))
	}
}

// Problems are what is wrong with the node, what stopped first: each with what helps, where something does.
func (n *Node) Problems() []string {
	var stopped, waiting []string
	note := func(what, stop, wait string) {
		if stop != "" {
			stopped = append(stopped, what+" stopped: "+stop)
		}
		if wait != "" {
			waiting = append(waiting, what+" retries: "+wait)
		}
	}
	note("store", n.Store.Err, "")
	note("catalog", n.Catalog.Stopped, n.Catalog.Waiting)
	for i := range n.Shards {
		s := &n.Shards[i]
		note(fmt.Sprintf("shard %d", s.Shard), s.Stopped, s.Waiting)
	}
	for i := range n.Routers {
		r := &n.Routers[i]
		note(fmt.Sprintf("partition %d of activities", r.Partition), r.Stopped, r.Waiting)
	}
	corrupt := slices.Clone(n.Store.Corrupt)
	if l := n.Log; l != nil {
		note("embedded log", l.Stopped, l.Refusing)
		corrupt = append(corrupt, l.Corrupt...)
	}
	if k := n.Keys; k != nil {
		note("data keys", k.Stopped, k.Waiting)
		note("data keys", "", k.Refusing)
		corrupt = append(corrupt, k.Corrupt...)
	}
	for _, file := range corrupt {
		stopped = append(stopped, "damaged file: "+file)
	}
	for i := range n.Nodes {
		other := &n.Nodes[i]
		if other.Wrong != "" {
			stopped = append(stopped, strings.TrimSuffix(fmt.Sprintf("node %s: %s; %s", other.ID, other.Wrong, other.Do), "; "))
		}
	}
	note("node", "", n.Waiting)
	for _, more := range []string{n.Uncut, n.Links} {
		if more != "" {
			waiting = append(waiting, more)
		}
	}
	for _, p := range n.Apart.Pairs {
		waiting = append(waiting, fmt.Sprintf("shards %v disagree about members that were merged between them", p))
	}
	return append(stopped, waiting...)
}

func (n *Node) shards() string {
	serving, rows := 0, int64(0)
	for i := range n.Shards {
		rows += n.Shards[i].Rows
		if n.Shards[i].Behaviour == shard.Serving.String() {
			serving++
		}
	}
	return fmt.Sprintf("%d of %d serving, %d rows, lag %v", serving, len(n.Shards), rows, lag(n.LagMs))
}

func (n *Node) activities() string {
	here, taken, most := 0, int64(0), int64(0)
	for i := range n.Routers {
		r := &n.Routers[i]
		if r.Here {
			here++
		}
		taken += max(0, r.End-r.Next)
		most = max(most, r.LagMs)
	}
	return fmt.Sprintf("%d of %d partitions routed by this node, %d records to go, lag %v", here, len(n.Routers), taken, lag(most))
}

func (n *Node) nodes() string {
	if len(n.Nodes) == 0 {
		return "this one"
	}
	ready := 0
	for i := range n.Nodes {
		if n.Nodes[i].Ready {
			ready++
		}
	}
	return fmt.Sprintf("%d of %d ready", ready, len(n.Nodes))
}

func (n *Node) deadLetters() string {
	reasons := map[string]int64{}
	total := int64(0)
	for i := range n.Shards {
		for reason, count := range n.Shards[i].Dead {
			reasons[reason] += count
			total += count
		}
	}
	if total == 0 {
		return "0"
	}
	var parts []string
	for _, reason := range slices.Sorted(maps.Keys(reasons)) {
		parts = append(parts, fmt.Sprintf("%s %d", reason, reasons[reason]))
	}
	return fmt.Sprintf("%d: %s", total, strings.Join(parts, ", "))
}

func (n *Node) disk() string {
	text := "store " + bytes(n.Store.Disk)
	if n.Log != nil {
		text += ", log " + bytes(n.Log.Disk)
	}
	if n.Keys != nil {
		text += ", keys " + bytes(n.Keys.Disk)
	}
	return text + "; free " + bytes(n.Store.Free)
}

// behind is how far a reader is from the end of its log.
func behind(next, end, lagMs int64) string {
	if next >= end {
		return "at its end"
	}
	return fmt.Sprintf("%d records to go, lag %v", end-next, lag(lagMs))
}

func lag(ms int64) time.Duration { return time.Duration(ms) * time.Millisecond }

// bytes is a size to one decimal.
func bytes(n uint64) string {
	units := []string{"B", "KiB", "MiB", "GiB", "TiB"}
	size, unit := float64(n), 0
	for size >= 1024 && unit < len(units)-1 {
		size /= 1024
		unit++
	}
	if unit == 0 {
		return fmt.Sprintf("%d B", n)
	}
	return fmt.Sprintf("%.1f %s", size, units[unit])
}

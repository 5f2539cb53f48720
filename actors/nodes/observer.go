package nodes

import (
	"bytes"
	"slices"
	"time"

	"github.com/ovation-analytics/ovation/actors/domain"
)

const (
	// Every is how often a node beats and reads the beats of the others.
	Every = time.Second
	// AliveFor is how long a node counts as alive after its last beat.
	AliveFor = 5 * time.Second
	// longestStep is the most silence that two reads one after the other can show: a reader that
	// was paused between them has not listened.
	longestStep = 2 * Every
)

// Observer follows the beats of the listed nodes. It has one caller.
type Observer struct {
	self domain.NodeID
	at   time.Time // of the last read
	seen map[domain.NodeID]*Member
}

// NewObserver is an observer that has seen nothing.
func NewObserver(self domain.NodeID) *Observer {
	return &Observer{self: self, seen: map[domain.NodeID]*Member{}}
}

// Observe takes the beats that were read of the listed nodes, at a time of the reader's monotonic
// clock. A zero Beat: the node has none yet. A node that is not in the map could not be read: its
// silence is not counted.
func (o *Observer) Observe(now time.Time, listed []domain.NodeID, beats map[domain.NodeID]Beat) *Snapshot {
	step := min(now.Sub(o.at), longestStep)
	o.at = now
	seen := make(map[domain.NodeID]*Member, len(listed))
	for _, id := range listed {
		m := o.seen[id]
		if m == nil {
			m = &Member{ID: id}
		} else if _, read := beats[id]; read {
			m.Silent += step
		}
		if b := beats[id]; b != (Beat{}) {
			m.hear(b)
		}
		m.Alive = m.Silent < AliveFor && !(m.Beat.State == Ending && m.Silent > 0)
		seen[id] = m
	}
	o.seen = seen
	if own := seen[o.self]; own != nil && len(seen) == 1 {
		own.Silent = 0 // it does not beat
		own.Alive = true
	}
	return newSnapshot(o.self, o.members())
}

// hear takes a beat, which is new when it is another one than the last.
func (m *Member) hear(b Beat) {
	if m.Heard && (b.Incarnation != m.Beat.Incarnation || b.Counter != m.Beat.Counter) {
		m.Silent = 0
	}
	m.Beat = b
	m.Heard = true
}

// members are those seen, by id.
func (o *Observer) members() []Member {
	out := make([]Member, 0, len(o.seen))
	for _, m := range o.seen {
		out = append(out, *m)
	}
	slices.SortFunc(out, func(a, b Member) int { return bytes.Compare(a.ID[:], b.ID[:]) })
	return out
}

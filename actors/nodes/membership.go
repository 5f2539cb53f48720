package nodes

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"sync"
	"time"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/actors/internal/retry"
)

// Protocol is the version of what nodes say to each other that this program knows.
const Protocol = 1

// Directory is the list of nodes as the catalog has it at a moment.
type Directory interface {
	Node(id domain.NodeID) *domain.Node // one that is gone, too; nil: never listed
	Nodes() []*domain.Node              // those listed, by id
}

// Beats keeps the beats of nodes: for each the offset and the metadata of a consumer group. Any
// goroutine may call it; each call asks once.
type Beats interface {
	Commit(ctx context.Context, id domain.NodeID, offset int64, metadata string) error
	// Read gives what was committed last; an offset below zero: nothing.
	Read(ctx context.Context, id domain.NodeID) (offset int64, metadata string, err error)
}

// Self is a node as it takes part in its installation.
type Self struct {
	Up          domain.NodeUp // what the list is to say of it; At is filled in
	Incarnation uint64        // of the process
	IDFile      string        // where its id is kept, for what operators read
	Networks    string        // mark of the file of networks: all nodes are to have the same
}

// Ports are what a Membership needs of its node. They are called on the goroutine of Run.
type Ports struct {
	Beats     Beats
	Directory func() Directory
	// Append appends a command to the catalog and waits until it is applied.
	Append func(ctx context.Context, c domain.Command) (domain.Outcome, error)
	// State is what the node says of itself; Incarnation, Began and Counter are filled in.
	State func() Beat
	Now   func() time.Time // the time of day: for operators, and for the order of two processes with one id
	Clock *Clock           // is set by what most nodes show; nil: none is
	Log   *slog.Logger
}

// Membership keeps a node on the list of its installation, beats for it, and sees the others. Any
// goroutine may call it; Run has one caller.
type Membership struct {
	Current
	self    Self
	ports   Ports
	forget  time.Duration
	mayBeat time.Duration

	// Owned by Run.
	observer *Observer
	identity identity
	joined   bool // the node has applied its logs to their ends in this life
	counter  uint64
	looked   time.Time // when the own group was read last
	clocks   clockJudge

	listing, beating trial
}

// trial is what is tried again each second.
type trial struct {
	retry.State
	failures int
}

// note notes how it went.
func (t *trial) note(log *slog.Logger, err error) {
	if err == nil {
		t.failures = 0
		t.Recovered(log)
		return
	}
	t.failures++
	t.Failed(log, t.failures, err)
}

// NewMembership is a membership that has not begun: until Run sees other nodes, the node is alone.
func NewMembership(self Self, ports Ports) *Membership {
	if ports.Clock == nil {
		ports.Clock = new(Clock)
	}
	own := Beat{Incarnation: self.Incarnation, Began: ports.Now().UnixMilli()}
	return &Membership{
		self: self, ports: ports, forget: forget, mayBeat: mayBeat, observer: NewObserver(self.Up.ID), identity: identity{self: self, own: own},
		listing: trial{State: retry.State{What: "the node cannot be listed"}},
		beating: trial{State: retry.State{What: "the node cannot beat, or cannot see the beats of others"}},
	}
}

// EndedError says why a process must end: its id is another's, or no node's any more.
type EndedError struct{ Why string }

// Error is the reason, and what to do.
func (e *EndedError) Error() string { return e.Why }

// Run takes part until ctx ends, and says so to the others in a last beat. An *EndedError says that
// the process must end.
func (m *Membership) Run(ctx context.Context) error {
	for {
		if err := m.step(ctx); err != nil {
			return err
		}
		if !retry.Pause(ctx, Every) {
			m.leave()
			return nil
		}
	}
}

// step is what is done once a second.
func (m *Membership) step(ctx context.Context) error {
	state := m.ports.State()
	m.joined = m.joined || state.State.serves()
	if err := m.list(ctx); err != nil {
		return err
	}
	if err := m.beat(ctx, state); err != nil {
		return err
	}
	m.strike(ctx)
	return nil
}

// list sees to it that the list has this node as it is.
func (m *Membership) list(ctx context.Context) error {
	own := m.ports.Directory().Node(m.self.Up.ID)
	if own != nil && own.Removed() {
		return m.removed()
	}
	if !m.joined || !m.self.Up.Differs(own) {
		return nil
	}
	up := m.self.Up
	up.At = m.ports.Now().UnixMilli()
	err := m.append(ctx, &up)
	switch {
	case domain.CodeOf(err) == domain.Conflict:
		return m.removed()
	case ctx.Err() != nil:
		return nil
	case err == nil:
		m.ports.Log.Info("this node is listed", "node", up.ID.String(), "address", up.Address)
	}
	m.listing.note(m.ports.Log, err)
	return nil
}

func (m *Membership) append(ctx context.Context, c domain.Command) error {
	ctx, cancel := context.WithTimeout(ctx, within)
	defer cancel()
	out, err := m.ports.Append(ctx, c)
	if err != nil {
		return err
	}
	return out.Err()
}

func (m *Membership) removed() error {
	return &EndedError{fmt.Sprintf("node %s was removed from the installation by an operator: erase its data, "+
		"or delete %s to have it join as a new node", m.self.Up.ID, m.self.IDFile)}
}

// within bounds one exchange with the broker: the next second has its own.
const within = 2 * time.Second

// beat reads what is kept of the nodes, judges it and makes the own beat.
func (m *Membership) beat(node context.Context, state Beat) error {
	ctx, cancel := context.WithTimeout(node, within)
	defer cancel()
	id, now := m.self.Up.ID, time.Now()
	var listed []domain.NodeID
	for _, n := range m.ports.Directory().Nodes() {
		listed = append(listed, n.ID)
	}
	alone := len(listed) < 2
	quiet := freeAfter
	if alone {
		quiet = lookAlone + freeAfter
		if m.identity.free && now.Before(m.looked.Add(lookAlone)) && !now.Before(m.identity.answer) {
			m.Set(m.observer.Observe(now, listed, nil))
			return nil
		}
	}
	asked := listed
	if alone {
		asked = []domain.NodeID{id}
	}
	m.looked = now
	beats, err := m.read(ctx, asked)
	read := time.Now()
	if own, has := beats[id]; has {
		if ended := m.identity.see(now, own, quiet); ended != nil {
			return ended
		}
		if alone && !m.identity.free { // each time: a beat of the other may have overwritten it unread
			state.State = Watching
			err = errors.Join(err, m.commit(ctx, state))
		}
	}
	m.Set(m.observer.Observe(now, listed, beats))
	m.ports.Clock.set(m.ports.Log, m.clocks.judge(now, read, m.Get()))
	if m.identity.free && (!alone || now.Before(m.identity.answer)) {
		err = errors.Join(err, m.commit(ctx, state))
	}
	if node.Err() == nil {
		m.beating.note(m.ports.Log, err)
	}
	return nil
}

// read reads the beats of the nodes side by side. One that cannot be read is not in the map.
func (m *Membership) read(ctx context.Context, ids []domain.NodeID) (map[domain.NodeID]Beat, error) {
	all, errs := make([]Beat, len(ids)), make([]error, len(ids))
	var wg sync.WaitGroup
	for i, id := range ids {
		wg.Go(func() {
			offset, metadata, err := m.ports.Beats.Read(ctx, id)
			if err == nil && offset >= 0 {
				all[i], err = ReadBeat(offset, metadata)
			}
			if err != nil {
				errs[i] = fmt.Errorf("node %s: %w", id, err)
			}
		})
	}
	wg.Wait()
	beats := make(map[domain.NodeID]Beat, len(ids))
	for i, id := range ids {
		if errs[i] == nil {
			beats[id] = all[i]
		}
	}
	return beats, errors.Join(errs...)
}

// commit makes a beat of the state.
func (m *Membership) commit(ctx context.Context, state Beat) error {
	m.counter++
	state.Networks = m.self.Networks
	state.Incarnation, state.Began, state.Counter = m.identity.own.Incarnation, m.identity.own.Began, m.counter
	state.Clock = time.Now().UnixMilli()
	return m.ports.Beats.Commit(ctx, m.self.Up.ID, state.Catalog, state.Metadata())
}

// leave makes the last beat of a process that beats: its duties are those of the others from here on.
func (m *Membership) leave() {
	m.Set(m.Get().without(m.self.Up.ID))
	if !m.identity.free || m.counter == 0 {
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), within)
	defer cancel()
	state := m.ports.State()
	state.State = Ending
	state.Ready = false
	if err := m.commit(ctx, state); err != nil {
		m.ports.Log.Warn("the last beat of this node was not kept: others take over its duties in some seconds", "err", err)
	}
}

// forget is how long a node has been silent when it is taken off the list.
const forget = 7 * 24 * time.Hour

// maxSilent is how many nodes stay on the list that were silent for longer than manyAfter. There are more where a node
// starts with an empty --data again and again, each time as another one.
const (
	maxSilent = 16
	manyAfter = time.Minute
)

// strike takes those off the list that were silent for too long, and of too many silent ones those that were listed
// first. It is the duty of one node.
func (m *Membership) strike(ctx context.Context) {
	s := m.Get()
	if s.Rank(Listing, 0) != 0 {
		return
	}
	dir := m.ports.Directory()
	var silent []*domain.Node
	for _, other := range s.Others() {
		switch n := dir.Node(other.ID); {
		case n == nil || !n.Listed() || other.Silent < min(m.forget, manyAfter):
		case other.Silent >= m.forget:
			m.strikeOff(ctx, n.ID, "it was silent for 7 days")
		default:
			silent = append(silent, n)
		}
	}
	slices.SortFunc(silent, func(a, b *domain.Node) int {
		return cmp.Or(cmp.Compare(a.Since, b.Since), bytes.Compare(a.ID[:], b.ID[:]))
	})
	for _, n := range silent[:max(0, len(silent)-maxSilent)] {
		m.strikeOff(ctx, n.ID, fmt.Sprintf("more than %d nodes are away, and it was listed before them; keep the --data of a "+
			"node: with an empty one it starts as another node", maxSilent))
	}
}

// strikeOff takes a silent node off the list; it is listed again when it comes back.
func (m *Membership) strikeOff(ctx context.Context, id domain.NodeID, why string) {
	gone := &domain.NodeGone{ID: id, By: domain.GoneBySilence, At: m.ports.Now().UnixMilli()}
	if err := m.append(ctx, gone); err == nil {
		m.ports.Log.Warn("a node is not listed any more: "+why, "node", id.String())
	}
}

// Remove takes a node off the list for good, by an operator's word. One that is alive must be
// forced.
func (m *Membership) Remove(ctx context.Context, id domain.NodeID, force bool) error {
	n := m.ports.Directory().Node(id)
	if n == nil || n.Removed() {
		return domain.Bad(domain.NotFound, "id", "no such node is listed")
	}
	if !force && m.alive(id) {
		return domain.Bad(domain.Conflict, "id", "the node is alive: stop it first, or remove it by force")
	}
	return m.append(ctx, &domain.NodeGone{ID: id, By: domain.GoneByOperator, At: m.ports.Now().UnixMilli()})
}

func (m *Membership) alive(id domain.NodeID) bool {
	if id == m.self.Up.ID {
		return true
	}
	for _, other := range m.Get().Others() {
		if other.ID == id {
			return other.Alive
		}
	}
	return false
}

// mayBeat is how long a node that was silent may still come back with the program that it had.
const mayBeat = 24 * time.Hour

// AllKnow reports that this node is listed, and that the program of every other node that is listed knows rules of
// applying. A node that has not beaten for a day does not count: it is upgraded before it comes back, or does not
// start. Any goroutine.
func (m *Membership) AllKnow(rules uint32) bool {
	dir, s := m.ports.Directory(), m.Get()
	if own := dir.Node(m.self.Up.ID); own == nil || !own.Listed() {
		return false
	}
	for _, n := range dir.Nodes() {
		if n.ID == m.self.Up.ID {
			continue
		}
		known, seen := n.Rules, s.Member(n.ID)
		if seen != nil && seen.Heard { // a program says so in its first beat, and is listed later
			known = uint32(max(seen.Beat.Rules, 0))
		}
		if known < rules && (seen == nil || seen.Silent < m.mayBeat) {
			return false
		}
	}
	return true
}

// Differs says which node that is alive has another file of networks; empty: none. Any goroutine.
func (m *Membership) Differs() string {
	for _, other := range m.Get().Others() {
		if mark := other.Beat.Networks; other.Alive && mark != "" && mark != m.self.Networks {
			return fmt.Sprintf("node %s has another file of networks: what a member's token is worth depends on the node that "+
				"is asked; give each node the same --networks", other.ID)
		}
	}
	return ""
}

// Waiting is what cannot be done now and is tried again; empty: nothing. Any goroutine.
func (m *Membership) Waiting() string { return retry.Causes(&m.listing.State, &m.beating.State) }

package delivery

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/api/webhooks/egress"
	"github.com/ovation-analytics/ovation/api/webhooks/signature"
)

// world is a stream of some shards, a receiver and what is kept, all in memory.
type world struct {
	mu      sync.Mutex
	shards  [][]Event
	changed chan struct{} // closed by what comes
	erased  map[domain.MemberID]bool
	gone    map[domain.ActionID]bool

	answer  func(got) egress.Answer // nil: takes everything at once
	got     []got                   // requests that came, in order
	flying  int
	most    int // requests at once
	largest int // events of states that were kept at once, of a shard

	states   []State
	health   Health
	keeps    int
	refuses  int // how many of the next Keeps fail
	disabled Reason
	givenUp  []string
	taken    int  // messages
	lost     bool // another sender is at work
}

// got is a request that came.
type got struct {
	egress.Request
	id   string
	at   time.Time
	body struct {
		ID, Event, Time, Cursor string
		Data                    map[string]uint64
		Events                  []struct {
			ID, Event string
			Data      map[string]uint64
		}
	}
}

func newWorld(shards int) *world {
	return &world{
		shards: make([][]Event, shards), states: make([]State, shards), changed: make(chan struct{}),
		erased: map[domain.MemberID]bool{}, gone: map[domain.ActionID]bool{},
	}
}

// act has members act in a shard.
func (w *world) act(shard int, members ...domain.MemberID) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, m := range members {
		n := uint64(len(w.shards[shard])) + 1
		w.shards[shard] = append(w.shards[shard], Event{Sequence: n, Kind: domain.EventActivity, Member: m, Action: domain.ActionID(n)})
	}
	close(w.changed)
	w.changed = make(chan struct{})
}

// takeBack has an action removed, or with 0 its member erased.
func (w *world) takeBack(shard int, member domain.MemberID, action domain.ActionID) {
	w.mu.Lock()
	defer w.mu.Unlock()
	e := Event{Sequence: uint64(len(w.shards[shard])) + 1, Kind: domain.EventRemoved, Member: member, Action: action}
	if w.gone[action] = true; action == 0 {
		e.Kind, w.erased[member] = domain.EventErased, true
	}
	w.shards[shard] = append(w.shards[shard], e)
	close(w.changed)
	w.changed = make(chan struct{})
}

// Page is what comes after a place of each shard.
func (w *world) Page(_ context.Context, after []uint64, limit int) (Page, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	p := Page{Next: slices.Clone(after), Events: make([][]Event, len(after))}
	for i, events := range w.shards {
		if after[i] == Skip {
			continue
		}
		events = events[after[i]:]
		n := min(len(events), limit)
		p.Events[i], p.Next[i] = events[:n], after[i]+uint64(n)
		p.More = p.More || n < len(events)
		limit -= n
	}
	return p, nil
}

// Await returns when something came.
func (w *world) Await(ctx context.Context) error {
	w.mu.Lock()
	changed := w.changed
	w.mu.Unlock()
	select {
	case <-changed:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// Render is what events say now.
func (w *world) Render(_ context.Context, shard int, events []Event) (out []Rendered, err error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, e := range events {
		if e.Kind == domain.EventActivity && (w.gone[e.Action] || w.erased[e.Member]) {
			continue
		}
		r := Rendered{Event: e, Time: time.Unix(int64(e.Sequence), 0)}
		r.Data, err = json.Marshal(map[string]uint64{"shard": uint64(shard), "sequence": e.Sequence, "member": uint64(e.Member)})
		out = append(out, r)
	}
	return out, err
}

// Cursor names the places.
func (w *world) Cursor(after []uint64) string { return fmt.Sprint(after) }

// Post is the receiver.
func (w *world) Post(ctx context.Context, r egress.Request) egress.Answer {
	g := got{Request: r, id: r.Header.Get(signature.HeaderID), at: time.Now()}
	if err := json.Unmarshal(r.Body, &g.body); err != nil {
		panic(err)
	}
	w.mu.Lock()
	w.got = append(w.got, g)
	w.flying++
	w.most = max(w.most, w.flying)
	w.mu.Unlock()
	defer func() {
		w.mu.Lock()
		w.flying--
		w.mu.Unlock()
	}()
	if w.answer == nil {
		return egress.Answer{Status: 200}
	}
	return w.answer(g)
}

// Keep keeps states.
func (w *world) Keep(_ context.Context, states map[int]State, h Health) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.keeps++
	if w.lost {
		return ErrElsewhere
	}
	if w.refuses > 0 {
		w.refuses--
		return errors.New("the log is away")
	}
	for i, s := range states {
		w.states[i] = s
		n := len(s.Held)
		for _, m := range s.Messages {
			n += len(m.Events)
		}
		w.largest = max(w.largest, n)
	}
	w.health = h
	return nil
}

// Disable notes why.
func (w *world) Disable(_ context.Context, why Reason) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.disabled = why
	return nil
}

// Ended notes the message.
func (w *world) Ended(_ int, m *Message, _ time.Time, _ string, givenUp bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if givenUp {
		w.givenUp = append(w.givenUp, m.ID.String())
	} else {
		w.taken++
	}
}

var testSecret = signature.NewSecret()

// config is that of a Sender over what is kept.
func (w *world) config(batch int) Config {
	w.mu.Lock()
	defer w.mu.Unlock()
	return Config{
		Webhook: 7, URL: "https://a.example", Batch: batch, Source: w, Poster: w, Keeper: w,
		Secrets: func(context.Context, time.Time) ([]signature.Secret, error) {
			return []signature.Secret{testSecret}, nil
		},
		TimeOfDay: func(machine time.Time) time.Time { return machine },
		States:    slices.Clone(w.states), Health: w.health,
	}
}

// requests are those that came by now.
func (w *world) requests() []got {
	w.mu.Lock()
	defer w.mu.Unlock()
	return slices.Clone(w.got)
}

// sequences are those of a member in a shard that came, each once, in the order in which they came first.
func (w *world) sequences(shard int, member domain.MemberID) (out []uint64) {
	seen := map[uint64]bool{}
	take := func(data map[string]uint64) {
		if n := data["sequence"]; data["shard"] == uint64(shard) && data["member"] == uint64(member) && !seen[n] {
			seen[n] = true
			out = append(out, n)
		}
	}
	for _, g := range w.requests() {
		take(g.body.Data)
		for _, e := range g.body.Events {
			take(e.Data)
		}
	}
	return out
}

// why is why the webhook was disabled.
func (w *world) why() Reason {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.disabled
}

// keepCalls is how often Keep was called.
func (w *world) keepCalls() int {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.keeps
}

// largestState is how many events of a shard were pending in a state that was kept, at most.
func (w *world) largestState() int {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.largest
}

// keptStates are the states that were kept last.
func (w *world) keptStates() []State {
	w.mu.Lock()
	defer w.mu.Unlock()
	return slices.Clone(w.states)
}

// of are the sequences of a member in a shard.
func (w *world) of(shard int, member domain.MemberID) (out []uint64) {
	for _, e := range w.shards[shard] {
		if e.Member == member {
			out = append(out, e.Sequence)
		}
	}
	return out
}

func (w *world) members(shard int) []domain.MemberID {
	all := map[domain.MemberID]bool{}
	for _, e := range w.shards[shard] {
		all[e.Member] = true
	}
	return slices.Collect(maps.Keys(all))
}

package main

import (
	"context"
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"slices"
	"time"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/api/client"
	"github.com/ovation-analytics/ovation/api/wire"
)

// erasing is what happens in a run to erase members, by a source of its own: seeds keep their
// schedules.
type erasing struct {
	rng   *rand.Rand
	on    bool
	calls uint64 // requests given out
}

func newErasing(seed uint64) *erasing {
	rng := rand.New(rand.NewPCG(seed, 8))
	// What a found seed finds needs the members that it had.
	on := rng.IntN(4) > 0 && !slices.Contains(simFound, seed)
	return &erasing{rng: rng, on: on}
}

// erasure is a member that is being erased, or was, under the model's lock.
type erasure struct {
	of       *label
	token    string // its access token; empty: it was not seen
	answered int    // which of the erasures that were answered it is; 0: it was not answered
	doubtful bool   // only if it was merged in time into one that is erased
}

// eraseStep is one such thing, in one step of three.
func (w *simulation) eraseStep() {
	if !w.erasing.on {
		return
	}
	switch w.erasing.rng.IntN(18) {
	case 0, 1:
		w.eraseSomebody()
	case 2:
		w.registerAgain()
	case 3, 4, 5:
		w.actLate()
	}
}

// eraseSomebody erases a member, or one again. Two members of each label at least are not erased.
func (w *simulation) eraseSomebody() {
	m, rng := w.model, w.erasing.rng
	l := m.labels[rng.IntN(len(m.labels))]
	m.mu.Lock()
	defer m.mu.Unlock()
	var living, begun []domain.MemberID
	for _, i := range m.identities {
		if i.of == l && i.owner != 0 && m.erased[i.owner] == nil && !slices.Contains(living, i.owner) {
			living = append(living, i.owner)
		}
	}
	for id, e := range m.erased {
		if e.of == l && !e.doubtful {
			begun = append(begun, id)
		}
	}
	slices.Sort(begun) // of a map
	var id domain.MemberID
	switch {
	case len(begun) > 0 && rng.IntN(5) == 0:
		id = begun[rng.IntN(len(begun))]
	case len(living) < 3:
		return
	default:
		id = living[rng.IntN(len(living))]
		m.doubtErasure(l, id)
		m.erased[id].doubtful = false
	}
	w.erasing.calls++
	var request domain.RequestID
	binary.BigEndian.PutUint64(request[:], w.erasing.calls)
	request[15] = 8
	by := w.submitErasure(l, id, request)
	if rng.IntN(2) == 0 && !m.merges.mingled[id] { // the id of one that is merged is refused
		by = w.askErasure(l, id, by)
	}
	w.user(func() error { return w.erase(l, id, by) })
}

// submitErasure is an erasure by its command, beneath the API; it gives the position of the answer.
func (w *simulation) submitErasure(l *label, id domain.MemberID, request domain.RequestID) func() (string, error) {
	return func() (string, error) {
		out, err := w.submitted(domain.Submission{
			Account: l.id, Application: l.app, Slot: id.Slot(), Request: request, BodyHash: 1,
			Command: &domain.EraseMember{Member: id, At: time.Now().UnixMilli()},
		})
		if err == nil && (out.Code != domain.OK && out.Code != domain.Gone || out.Again) {
			err = fmt.Errorf("erase member %d: %+v", id, out)
		}
		return wire.EncodePosition(out.Position), err
	}
}

// askErasure is an erasure by the API; by otherwise where the member was merged meanwhile.
func (w *simulation) askErasure(l *label, id domain.MemberID, otherwise func() (string, error)) func() (string, error) {
	return func() (at string, err error) {
		err = w.demand(l, func(c *client.Client) error {
			out, meta, err := client.Do(context.Background(), c, client.DeleteMember{MemberID: id})
			at = meta.Position
			if err == nil && (!out.Deleted || out.Receipt == "") {
				return fmt.Errorf("member %d is deleted by %+v", id, out)
			}
			return err
		})
		if w.model.merged(id, err) {
			return otherwise()
		}
		if domain.CodeOf(codeOf(err)) == domain.Gone { // another one erased it; this one tells where
			return otherwise()
		}
		return at, err
	}
}

// erase has a member erased, by one request that is repeated until it is answered, and holds what
// is shown from then on to it.
func (w *simulation) erase(l *label, id domain.MemberID, by func() (at string, err error)) error {
	var token string
	since := w.model.since(id) // empty where it is erased already: a node that is behind may not know it
	err := w.insist(l, func(c *client.Client) error {
		e, _, err := client.Do(context.Background(), c.At(since), client.GetMember{MemberID: id})
		token = e.Data.AccessToken
		return err
	})
	unknown := since == "" && domain.CodeOf(codeOf(err)) == domain.NotFound
	if err != nil && !unknown && !w.model.isErased(id, err) {
		return fmt.Errorf("look at member %d: %w", id, err)
	}
	at, err := by()
	if err != nil {
		return fmt.Errorf("erase member %d: %w", id, err)
	}
	w.model.erasedNow(id, token)
	w.tell("member %d is erased", id)
	return w.vanished(l, id, at)
}

// submitted submits a command until its outcome is known, over however many lives of the engine.
func (w *simulation) submitted(s domain.Submission) (domain.Outcome, error) {
	for began := time.Now(); time.Since(began) < userPatience; time.Sleep(50 * time.Millisecond) {
		e := w.alive()
		if e == nil || w.failed() != nil {
			return domain.Outcome{}, errStopped
		}
		ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
		out, err := e.Actors.Submit(ctx, s)
		cancel()
		switch {
		case e.power.isOff(): // the answer is not out
		case err == nil:
			return out, nil
		case domain.CodeOf(err) != domain.Unavailable:
			return out, fmt.Errorf("%T: %w", s.Command, err)
		}
	}
	return domain.Outcome{}, fmt.Errorf("no outcome of a %T within %s", s.Command, userPatience)
}

// vanished requires that a member who is erased is shown nowhere at the position that the erasure
// was answered with (I4, I10).
func (w *simulation) vanished(l *label, id domain.MemberID, at string) error {
	shown := 0
	err := w.insist(l, func(c *client.Client) error {
		if at != "" {
			c = c.At(at)
		}
		shown = 0
		for _, in := range windows(time.Now()) {
			err := eachAction(c, in, func(i simItem) {
				if i.member == id {
					shown++
				}
			})
			if err != nil {
				return err
			}
		}
		_, _, err := client.Do(context.Background(), c, client.GetMember{MemberID: id})
		return err
	})
	if domain.CodeOf(codeOf(err)) != domain.Gone || shown > 0 {
		return fmt.Errorf("I10: of member %d, who is erased, %d actions are shown: %w", id, shown, err)
	}
	return nil
}

// registerAgain registers an identity again whose member was erased, in one case of four by two
// requests.
func (w *simulation) registerAgain() {
	m, rng := w.model, w.erasing.rng
	m.mu.Lock()
	var free []*identity
	for _, i := range m.identities {
		if i.owner == 0 && len(i.past) > 0 && !i.again {
			free = append(free, i)
		}
	}
	if len(free) == 0 {
		m.mu.Unlock()
		return
	}
	i := free[rng.IntN(len(free))]
	i.again = true
	times := 1
	if rng.IntN(4) == 0 {
		times, i.once = 2, false
	}
	m.mu.Unlock()
	for range times {
		w.register(i.of, i)
	}
}

// actLate publishes an action of a member who is erased, or about to be, by its id, or by an
// identity that was freed, whoever has it then.
func (w *simulation) actLate() {
	m, rng := w.model, w.erasing.rng
	m.mu.Lock()
	var freed []*identity
	for _, i := range m.identities {
		if m.touchedIdentity(i) {
			freed = append(freed, i)
		}
	}
	if len(freed) == 0 {
		m.mu.Unlock()
		return
	}
	i := freed[rng.IntN(len(freed))]
	a := &act{
		of: i.of, source: published, id: fmt.Sprint("a", len(m.acts)), who: i, sure: i.owner != 0,
		at: 1434000000 + rng.Int64N(86400),
	}
	a.definition = a.of.definitions[rng.IntN(len(a.of.definitions))]
	a.brand = a.of.brands[rng.IntN(len(a.of.brands))]
	if n := len(i.past); n > 0 && i.past[n-1] != 0 && rng.IntN(2) == 0 {
		a.member = i.past[n-1]
	}
	m.mu.Unlock()
	a.write(nil)
	w.noteSaid(a)
	w.publish(rng.IntN(simPartitions), []*act{a})
}

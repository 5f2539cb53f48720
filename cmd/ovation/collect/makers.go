package collect

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"github.com/ovation-analytics/ovation/cmd/ovation/collect/input"
)

// makers fills in the ids of what actions name, after it made what is missing. It
// belongs to one goroutine.
type makers struct {
	api     *API   // nil: nothing is made
	state   *State // nil: a dry run, in which everything is there
	refused map[thingKey]error
}

// making is how many things are made at once.
const making = 32

// wanted is a thing that an action names.
type wanted struct {
	thingKey
	create input.Params
}

// wants calls f with what an action names and what can be made.
func wants(a *input.Action, f func(wanted)) {
	if t := &a.Activity; t.ID == 0 {
		f(wanted{thingKey{aDefinition, t.Name}, t.Create})
	}
	if t := &a.Brand; t.ID == 0 && t.Name != "" {
		f(wanted{thingKey{aBrand, t.Name}, t.Create})
	}
	if w := &a.Member; w.Register != nil {
		f(wanted{thingKey{aMember, w.Key()}, w.Register})
	}
}

// make makes what the items name and the state does not know, and returns how many. What the
// API refuses is remembered for fill.
func (m *makers) make(ctx context.Context, items []item) (made int64, err error) {
	if m.api == nil || m.state == nil {
		return 0, nil
	}
	missing := map[thingKey]input.Params{}
	for i := range items {
		a := &items[i].action
		wants(a, func(w wanted) {
			_, known := m.state.Known(w.Kind, w.Name)
			_, again := missing[w.thingKey]
			if known || again || m.refused[w.thingKey] != nil {
				return
			}
			missing[w.thingKey] = w.create
		})
	}
	return m.makeAll(ctx, missing)
}

// makeAll makes things, many at once.
func (m *makers) makeAll(ctx context.Context, missing map[thingKey]input.Params) (made int64, err error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	var wg sync.WaitGroup
	var mu sync.Mutex // of what follows
	queue := make(chan thingKey)
	var failed error
	for range min(making, len(missing)) {
		wg.Go(func() {
			for k := range queue {
				id, err := m.api.make(ctx, k.Kind, missing[k])
				mu.Lock()
				_, refusal := errors.AsType[*Refusal](err)
				switch {
				case err == nil:
					made++
					err = m.state.Learn(k.Kind, k.Name, id)
				case refusal:
					m.refused[k], err = err, nil
				}
				if err != nil && failed == nil {
					failed = err
					cancel()
				}
				mu.Unlock()
			}
		})
	}
feed:
	for k := range missing {
		select {
		case queue <- k:
		case <-ctx.Done():
			break feed
		}
	}
	close(queue)
	wg.Wait()
	if failed == nil {
		failed = context.Cause(ctx)
	}
	return made, failed
}

// errUnknown says that a thing is not there and may not be made.
var errUnknown = errors.New("not known, and nothing is to be made")

// fill fills in the ids; an error concerns the row.
func (m *makers) fill(a *input.Action) (err error) {
	if m.state == nil {
		return nil
	}
	wants(a, func(w wanted) {
		id, known := m.state.Known(w.Kind, w.Name)
		switch {
		case known && w.Kind == aBrand:
			a.Brand.ID = id
		case known && w.Kind == aDefinition:
			a.Activity.ID = id
		case known || err != nil:
		case m.refused[w.thingKey] != nil:
			err = m.refused[w.thingKey]
		case w.Kind != aMember || m.api != nil: // members may be registered already
			err = fmt.Errorf("%s: %w", w.Kind, errUnknown)
		}
	})
	return err
}

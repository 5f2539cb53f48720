package collect

import (
	"cmp"
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

// maxRefused bounds what is remembered of what was refused before a chunk.
const maxRefused = 1 << 14

// registering is how many members are registered at once.
const registering = 32

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
	if len(m.refused) > maxRefused {
		clear(m.refused) // they are refused again
	}
	met := map[thingKey]bool{}
	missing := map[string][]wanted{} // by kind, in the order of the source
	for i := range items {
		wants(&items[i].action, func(w wanted) {
			_, known, wrong := m.state.Known(w.Kind, w.Name)
			err = cmp.Or(err, wrong)
			if known || met[w.thingKey] || m.refused[w.thingKey] != nil {
				return
			}
			met[w.thingKey] = true
			missing[w.Kind] = append(missing[w.Kind], w)
		})
	}
	if err != nil {
		return 0, err
	}
	return m.makeAll(ctx, missing)
}

// makeAll makes things. Brands and definitions are made one by one, so that the same source gives
// the same ones each time, the first of two names that are alike the plain slug; members many at once.
func (m *makers) makeAll(ctx context.Context, missing map[string][]wanted) (made int64, err error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	var wg sync.WaitGroup
	var mu sync.Mutex // of what follows
	var failed error
	do := func(w wanted) {
		id, err := m.api.make(ctx, w.Kind, w.create)
		mu.Lock()
		defer mu.Unlock()
		_, refusal := errors.AsType[*Refusal](err)
		switch {
		case err == nil:
			made++
			err = m.state.Learn(w.Kind, w.Name, id)
		case refusal:
			m.refused[w.thingKey], err = err, nil
		}
		if err != nil && failed == nil {
			failed = err
			cancel()
		}
	}
	for kind, list := range missing {
		queue := make(chan wanted)
		workers := 1
		if kind == aMember {
			workers = min(registering, len(list))
		}
		for range workers {
			wg.Go(func() {
				for w := range queue {
					do(w)
				}
			})
		}
		wg.Go(func() {
			defer close(queue)
			for _, w := range list {
				select {
				case queue <- w:
				case <-ctx.Done():
					return
				}
			}
		})
	}
	wg.Wait()
	if failed == nil {
		failed = context.Cause(ctx)
	}
	return made, failed
}

// errUnknown says that a thing is not there and may not be made: more a cause of the command line than
// of a row.
var errUnknown = errors.New("not known, and nothing is to be made: --create makes it, with --api and --key")

// fill fills in the ids. An error that is a Refusal concerns the row.
func (m *makers) fill(a *input.Action) (err error) {
	if m.state == nil {
		return nil
	}
	wants(a, func(w wanted) {
		id, known, wrong := m.state.Known(w.Kind, w.Name)
		switch {
		case wrong != nil:
			err = cmp.Or(err, wrong)
		case known && w.Kind == aBrand:
			a.Brand.ID = id
		case known && w.Kind == aDefinition:
			a.Activity.ID = id
		case known || err != nil:
		case m.refused[w.thingKey] != nil:
			err = m.refused[w.thingKey]
		case w.Kind != aMember: // members may be registered already
			err = fmt.Errorf("%s: %w", w.Kind, errUnknown)
		}
	})
	return err
}

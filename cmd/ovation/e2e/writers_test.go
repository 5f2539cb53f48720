package e2e

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/api/client"
	"github.com/ovation-analytics/ovation/api/wire"
)

// writers write over HTTP while the node is killed: each request until it has an
// answer, with the same Idempotency-Key or marker, and often once more after that.
type writers struct {
	t     testing.TB
	p     *model // only what does not change
	over  *front
	pace  func(share float64) (more bool) // waits until that share of the whole is done; false: it is over
	all   []*writer
	group sync.WaitGroup

	deaths atomic.Int64 // of the node or its log, so far
	heard  atomic.Int64 // answers so far, repeats counted

	answered int // requests with an answer, repeats not counted
	deleted  int // actions
}

// writer is one of them: one request at a time.
type writer struct {
	*writers
	rnd  *rand.Rand
	name string

	fans   []fan // registered by this writer
	acts   []written
	brands int
	err    error
	since  atomic.Int64 // 1 + the deaths before the request that waits; 0: none waits
}

// written is what a writer recorded, for one of the model's fans or its own.
type written struct {
	act
	own  bool
	item string // the feed item's id, where the answer had it
	gone bool   // the item was deleted

	params client.Params // it was recorded with
}

func writersOf(t testing.TB, p *model, seed uint64, size storm, over *front, pace func(float64) bool) *writers {
	w := &writers{t: t, p: p, over: over, pace: pace}
	t.Cleanup(w.group.Wait)
	for i := range size.writers {
		one := &writer{writers: w, rnd: rand.New(rand.NewPCG(seed, uint64(1<<40+i))), name: fmt.Sprintf("writer-%d", i)}
		w.all = append(w.all, one)
		w.group.Go(func() {
			for k := 0; k < size.writes && one.err == nil && pace(float64(k)/float64(size.writes)); k++ {
				one.err = one.write(k)
			}
		})
	}
	return w
}

// outlive is how many deaths a request may live through: who dies sooner than a recovery
// takes, again and again, keeps everybody from ever getting an answer, and shows nothing.
const outlive = 3

// starved reports that a request waits that has lived through as many.
func (w *writers) starved() bool {
	deaths := w.deaths.Load()
	return slices.ContainsFunc(w.all, func(one *writer) bool {
		since := one.since.Load()
		return since > 0 && deaths-(since-1) >= outlive
	})
}

// wait waits until every writer has all its answers.
func (w *writers) wait() {
	w.t.Helper()
	w.group.Wait()
	for _, one := range w.all {
		if one.err != nil {
			w.t.Fatalf("%s: %v", one.name, one.err)
		}
		w.answered += len(one.acts) + len(one.fans) + one.brands
	}
}

// tell adds to the model what was written, and that brands were made once each.
func (w *writers) tell(p *model) {
	w.t.Helper()
	made := len(p.brands)
	for _, one := range w.all {
		first := int32(len(p.fans))
		p.fans = append(p.fans, one.fans...)
		made += one.brands
		items := map[string]string{}
		for _, a := range one.acts {
			if a.own {
				a.fan += first
			}
			p.note(a.act)
			if a.gone {
				p.gone(a.act)
				w.deleted++
			}
			if other, twice := items[a.item]; twice && a.item != "" && !p.definitions[a.definition].oneTime {
				w.t.Errorf("%s: %s and %s have the same item", one.name, other, a.id)
			}
			items[a.item] = a.id
		}
	}
	if w.deleted == 0 {
		w.t.Error("nothing was deleted")
	}
	list, _, err := client.Do(ctx(w.t), w.over.now(), client.ListBrands{Limit: "1"})
	if err != nil {
		w.t.Fatal(err)
	}
	if list.TotalSize != strconv.Itoa(made) {
		w.t.Errorf("there are %s brands, %d were made", list.TotalSize, made)
	}
}

func (w *writer) write(k int) error {
	name := fmt.Sprintf("%s-%d", w.name, k)
	switch w.rnd.IntN(10) {
	case 0, 1:
		return w.register(name)
	case 2:
		return w.brand(name)
	case 3:
		return w.withdraw(name)
	}
	return w.record(name)
}

// contradiction is an answer that does not fit the one before.
type contradiction string

func (c contradiction) Error() string { return string(c) }

// until repeats a request while its outcome is unknown: the node is gone, or says
// that it cannot tell. Another error is an answer.
func (w *writer) until(request func(api *client.Client) error) error {
	w.since.Store(1 + w.deaths.Load())
	defer w.since.Store(0)
	defer w.heard.Add(1)
	for deadline := time.Now().Add(patience); ; {
		err := request(w.over.now())
		_, wrong := errors.AsType[contradiction](err)
		code := codeOf(err)
		if err == nil || wrong || code != 0 && code != domain.Unavailable || w.t.Failed() {
			return err
		}
		if time.Now().After(deadline) {
			return fmt.Errorf("no answer within %s: %w", patience, err)
		}
		time.Sleep(5 * time.Millisecond) // between tries to reach another process
	}
}

// twice makes a request until it is answered and, half the time, once more: the
// second answer must be marked as a repeat where it has the same key.
func (w *writer) twice(keyed bool, request func(api *client.Client) (meta client.Meta, err error)) error {
	if err := w.until(func(api *client.Client) error { _, err := request(api); return err }); err != nil {
		return err
	}
	if w.rnd.IntN(2) == 0 {
		return nil
	}
	return w.until(func(api *client.Client) error {
		meta, err := request(api)
		if err == nil && keyed && !meta.Replayed {
			return contradiction("a repeat under the same Idempotency-Key was answered as if it were new")
		}
		return err
	})
}

// same notes an id, or compares it with the one that the first answer had.
func same(what string, have *string, got string) error {
	if *have != "" && *have != got {
		return contradiction(fmt.Sprintf("%s: the repeat was answered with %s, the first was %s", what, got, *have))
	}
	*have = got
	return nil
}

func (w *writer) register(name string) error {
	f := newFan(w.rnd, name)
	f.optsIn, f.optsOut = [toSegments + 4]bool{}, [toSegments + 4]bool{} // that is done on enter only
	var got string
	err := w.twice(true, func(api *client.Client) (client.Meta, error) {
		e, meta, err := client.Do(ctx(w.t), api.With("Idempotency-Key", name), client.RegisterMember{More: f.params()})
		if err == nil {
			err = same("register "+name, &got, id(e.Data.ID))
			f.id = domain.MemberID(e.Data.ID)
		}
		return meta, err
	})
	w.fans = append(w.fans, f)
	return err
}

func (w *writer) brand(name string) error {
	var got string
	w.brands++
	return w.twice(true, func(api *client.Client) (client.Meta, error) {
		b, meta, err := client.Do(ctx(w.t), api.With("Idempotency-Key", name), client.CreateBrand{Name: name, Type: "Music"})
		if err == nil {
			err = same("create brand "+name, &got, id(b.ID))
		}
		return meta, err
	})
}

// record records an action of a random fan, identified by a marker, or only by the
// request's key.
func (w *writer) record(name string) error {
	a := written{act: w.p.act(w.rnd, "http "+name, last(28))}
	f := &w.p.fans[a.fan]
	if n := len(w.fans); n > 0 && w.rnd.IntN(3) == 0 {
		a.fan, a.own = int32(w.rnd.IntN(n)), true
		f = &w.fans[a.fan]
	}
	params := client.Params{"activityid": id(w.p.definitions[a.definition].id), "brandid": id(w.p.brands[a.brand].id), "timestamp": wire.Seconds(a.at)}
	f.named(w.rnd, params)
	a.params = params
	keyed, marked, async := true, w.rnd.IntN(2) == 0, w.rnd.IntN(2) == 0
	if marked {
		params["marker"] = name
		keyed = w.rnd.IntN(2) == 0
	}
	err := w.twice(keyed, func(api *client.Client) (client.Meta, error) {
		if keyed {
			api = api.With("Idempotency-Key", name)
		}
		if async {
			_, meta, err := client.Do(ctx(w.t), api, client.RecordActivity{More: params})
			return meta, err
		}
		item, meta, err := client.Do(ctx(w.t), api, client.RecordActivity{Async: new(false), More: params})
		switch {
		case err != nil:
		case w.p.definitions[a.definition].oneTime && !keyed: // the item there is: of an earlier action that came since
			a.item = item.ID
		default:
			err = same("record "+name, &a.item, item.ID)
		}
		return meta, err
	})
	// Another writer may have deleted the one action of a one-time pair: then it is closed.
	if closed := w.p.definitions[a.definition].oneTime && codeOf(err) == domain.NotFound; err != nil && !closed {
		return fmt.Errorf("record %v: %w", params, err)
	}
	w.acts = append(w.acts, a)
	return nil
}

// named says in one of the ways that there are who did it.
func (f *fan) named(rnd *rand.Rand, params client.Params) {
	switch who := rnd.IntN(3); {
	case who == 0:
		params["id"] = id(f.id)
	case who == 1 && f.partner != "":
		params["partnerCode"], params["partnerID"] = partnerCode, f.partner
	default:
		params["service"], params["uid"] = f.service.String(), f.uid
	}
}

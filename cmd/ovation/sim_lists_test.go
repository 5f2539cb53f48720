package main

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/api/client"
)

// Lists of segments that webhooks follow. Their events are taken at any node meanwhile, and rules are edited; when all is
// drained, who is on a list by its events is who has done enough by the feed, and whom the API gives.

// lists is what happens in a run to lists, by a source of its own: seeds keep their schedules.
type lists struct {
	rng *rand.Rand
	on  bool
	all []*simList
}

func newLists(seed uint64) *lists {
	rng := rand.New(rand.NewPCG(seed, 17))
	on := rng.IntN(2) == 0 && !slices.Contains(simFound, seed)
	return &lists{rng: rng, on: on}
}

// simList is a list of the members who did something of its definitions so often.
type simList struct {
	of          *label
	definitions []domain.DefinitionID
	begin       []uint64

	editing   turn
	threshold int // as was answered
	taking    turn
	hook      *listHook
}

// turn is held by one at a time. Who meets it held does nothing: the clock of a bubble stands while a mutex is waited for.
type turn struct{ held atomic.Bool }

func (t *turn) do(f func() error) error {
	if !t.held.CompareAndSwap(false, true) {
		return nil
	}
	defer t.held.Store(false)
	return f()
}

// makeLists makes the lists of each label, in fair weather. Nobody has done anything yet.
func (w *simulation) makeLists() error {
	if !w.lists.on {
		return nil
	}
	ctx := context.Background()
	for _, l := range w.model.labels {
		c := w.engine.speaks(l.key)
		for range 1 + w.lists.rng.IntN(2) {
			s := &simList{of: l, threshold: 1 + w.lists.rng.IntN(3)}
			var names []string
			for _, d := range l.definitions {
				if len(names) == 0 || w.lists.rng.IntN(2) == 0 {
					s.definitions = append(s.definitions, d.id)
					names = append(names, fmt.Sprint(d.id))
				}
			}
			var made struct{ ID json.Number }
			_, err := c.Post(ctx, "/v1.1/segment/create", client.Params{
				"name": fmt.Sprint("list ", len(w.lists.all)), "rule": "1", "activities": strings.Join(names, ","), "threshold": fmt.Sprint(s.threshold),
			}, &made)
			if err != nil {
				return err
			}
			events := []string{"enter,leave", "enter,leave,activity,removed,erased,merged,unmerged"}[w.lists.rng.IntN(2)]
			if s.hook, err = newListHook(ctx, w.engine, c, made.ID.String(), events, rand.New(rand.NewPCG(w.lists.rng.Uint64(), 1))); err != nil {
				return err
			}
			s.begin = s.hook.after
			w.lists.all = append(w.lists.all, s)
		}
	}
	return nil
}

// listStep takes some events of a list, or edits its rule, in one step of two.
func (w *simulation) listStep() {
	if !w.lists.on {
		return
	}
	s, n := w.lists.all[w.lists.rng.IntN(len(w.lists.all))], w.lists.rng.IntN(12)
	threshold := 1 + w.lists.rng.IntN(4)
	switch {
	case n < 5:
		w.user(func() error {
			e := w.someNode()
			if e == nil {
				return nil
			}
			return s.taking.do(func() error { return s.take(e, 1+threshold) })
		})
	case n < 6:
		w.user(func() error { return s.editing.do(func() error { return w.editList(s, threshold) }) })
	}
}

// editList has a list take another threshold.
func (w *simulation) editList(s *simList, threshold int) error {
	err := w.demand(s.of, func(c *client.Client) error {
		_, err := c.Post(context.Background(), "/v1.1/segment/"+s.hook.segment+"/edit", client.Params{"threshold": fmt.Sprint(threshold)}, new(json.RawMessage))
		return err
	})
	if err != nil {
		return fmt.Errorf("edit a list: %w", err)
	}
	s.threshold = threshold
	return nil
}

// take takes so many pages of events at a node, or all that there are.
func (s *simList) take(e *engineLife, pages int) error {
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	source, err := s.hook.source(ctx, e)
	for ; err == nil && source != nil && pages > 0; pages-- {
		var page *listPage
		page, err = s.hook.read(ctx, source)
		if err != nil || e.power.isOff() { // what a machine without power said reached nobody
			break
		}
		if err := s.hook.apply(page); err != nil {
			return fmt.Errorf("list %s: %w", s.hook.segment, err)
		}
		if !page.more {
			return nil
		}
	}
	if err != nil && !e.power.isOff() && domain.CodeOf(err) != domain.Unavailable && ctx.Err() == nil {
		return fmt.Errorf("list %s: %w", s.hook.segment, err)
	}
	return nil
}

// settleLists waits, when all is drained, until the events of each list say who is on it, also those taken again from the
// list's beginning, and until shards have applied that they follow it by its last rule.
func (w *simulation) settleLists() error {
	if !w.lists.on || w.journalCut {
		return nil
	}
	ctx := context.Background()
	for _, s := range w.lists.all {
		c := w.engine.speaks(s.of.key)
		want, err := w.whoDid(c, s)
		if err != nil {
			return err
		}
		api, err := onList(ctx, c, s.hook.segment)
		if err != nil {
			return err
		}
		if !maps.Equal(want, api) {
			return fmt.Errorf("the API has %v on list %s, %v did %v %d times", api, s.hook.segment, want, s.definitions, s.threshold)
		}
		again := *s.hook
		again.after, again.last, again.on = s.begin, slices.Clone(again.last), map[string]bool{}
		clear(again.last)
		for _, h := range []*listHook{s.hook, &again} {
			taken := simList{hook: h}
			for began := time.Now(); ; time.Sleep(100 * time.Millisecond) {
				if err := taken.take(w.engine, 1<<20); err != nil {
					return err
				}
				if maps.Equal(h.on, want) {
					break
				}
				if time.Since(began) > time.Minute {
					return fmt.Errorf("the events of list %s say that %v are on it, it has %v", s.hook.segment, h.on, want)
				}
			}
		}
	}
	time.Sleep(2 * time.Second)
	return w.drain()
}

// whoDid are the members who have done enough for a list, by the feed.
func (w *simulation) whoDid(c *client.Client, s *simList) (map[string]bool, error) {
	items, err := w.items(c, s.of)
	if err != nil {
		return nil, err
	}
	did, out := map[domain.MemberID]int{}, map[string]bool{}
	for _, i := range items {
		if slices.Contains(s.definitions, i.definition) {
			if did[i.member]++; did[i.member] >= s.threshold {
				out[fmt.Sprint(i.member)] = true
			}
		}
	}
	return out, nil
}

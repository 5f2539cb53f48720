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

// Lists of segments that webhooks follow. During the run, events are read at any node and rules are edited. When all is drained,
// three sets of members are equal: those on the list by its events, those with enough actions in the feed, and those of the API.

// lists are the lists of a run. They have a random source of their own, so that the other steps of a seed do not change.
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

// simList is the list of the members with at least threshold actions of the definitions.
type simList struct {
	of          *label
	definitions []domain.DefinitionID
	begin       []uint64 // by shard: where the webhook began

	editing   exclusive
	threshold int // of the last edit that was answered
	reading   exclusive
	hook      *listHook
}

// exclusive runs one function at a time and skips a second one. A mutex would not do: while a goroutine waits for a mutex, the fake
// clock of the test does not advance.
type exclusive struct{ running atomic.Bool }

func (x *exclusive) do(f func() error) error {
	if !x.running.CompareAndSwap(false, true) {
		return nil
	}
	defer x.running.Store(false)
	return f()
}

// makeLists makes the lists of each label before the first fault and the first action.
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
			if s.hook, err = newListHook(ctx, w.engine, c, made.ID.String(), rand.New(rand.NewPCG(w.lists.rng.Uint64(), 1))); err != nil {
				return err
			}
			s.begin = s.hook.after
			w.lists.all = append(w.lists.all, s)
		}
	}
	return nil
}

// listStep reads some pages of events, or edits a rule, in one step of two.
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
			return s.reading.do(func() error { return s.hook.readAt(e, 1+threshold) })
		})
	case n < 6:
		w.user(func() error { return s.editing.do(func() error { return w.editList(s, threshold) }) })
	}
}

// editList changes the threshold of a list.
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

// settleLists waits, when all is drained, until the events of each list give the members on it, also when they are read again from
// the list's beginning. Then it waits until no node has a FollowList to append: the replay is compared with what is there now.
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
			return fmt.Errorf("the API has %v on list %s; by the feed %v have actions of %v at least %d times", api, s.hook.segment, want, s.definitions, s.threshold)
		}
		again := *s.hook
		again.after, again.last, again.on = s.begin, slices.Clone(again.last), map[string]bool{}
		clear(again.last)
		for _, h := range []*listHook{s.hook, &again} {
			for began := time.Now(); ; time.Sleep(100 * time.Millisecond) {
				if err := h.readAt(w.engine, 1<<20); err != nil {
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
	time.Sleep(2 * time.Second) // nodes look every 200 ms whether a shard follows by the last rule
	return w.drain()
}

// whoDid are the members with enough actions in the feed.
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

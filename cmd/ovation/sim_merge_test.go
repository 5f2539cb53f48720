package main

import (
	"cmp"
	"context"
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"slices"
	"time"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/api/client"
)

// merging is what happens in a run to merge members and to take merges back, by a source of its own:
// seeds keep their schedules.
type merging struct {
	rng   *rand.Rand
	on    bool
	stays bool   // what is merged at the end is not parted
	calls uint64 // requests given out
}

func newMerging(seed uint64) *merging {
	rng := rand.New(rand.NewPCG(seed, 9))
	on := rng.IntN(2) == 0 && !slices.Contains(simFound, seed)
	return &merging{rng: rng, on: on, stays: rng.IntN(3) == 0}
}

// mergeStep is one thing about merges, in three steps of five.
func (w *simulation) mergeStep() {
	if !w.merging.on {
		return
	}
	switch w.merging.rng.IntN(20) {
	case 0, 1, 2:
		w.mergeSomebody()
	case 3, 4:
		w.unmergeSomebody()
	case 5:
		w.mergeTwo(func(a, b, _ domain.MemberID) [2][2]domain.MemberID { return [2][2]domain.MemberID{{a, b}, {b, a}} })
	case 6:
		w.mergeTwo(func(a, b, c domain.MemberID) [2][2]domain.MemberID { return [2][2]domain.MemberID{{b, c}, {a, b}} })
	case 7:
		w.actMerged()
	case 8:
		w.removeCopied()
	case 9:
		w.optOutSomebody()
	case 10, 11:
		w.lookMerged()
	case 12:
		w.register(w.model.labels[0], w.newIdentity(w.model.labels[0], "spotify"))
	}
}

func (w *simulation) mergingLabel() *label {
	return w.model.labels[w.merging.rng.IntN(len(w.model.labels))]
}

// mergeSomebody merges two members, now and then one who is being erased, or one with itself.
func (w *simulation) mergeSomebody() {
	l, m, rng := w.mergingLabel(), w.model, w.merging.rng
	m.mu.Lock()
	all := m.living(l)
	if rng.IntN(6) == 0 {
		for id, e := range m.erased {
			if e.of == l {
				all = append(all, id)
			}
		}
		slices.Sort(all) // of a map
	}
	m.mu.Unlock()
	if len(all) > 1 {
		w.mergeThem(l, all[rng.IntN(len(all))], all[rng.IntN(len(all))], false)
	}
}

// unmergeSomebody takes a merge back, also one that is not known to be there.
func (w *simulation) unmergeSomebody() {
	m, rng := w.model, w.merging.rng
	m.mu.Lock()
	if len(m.merges.ops) == 0 {
		m.mu.Unlock()
		return
	}
	op := m.merges.ops[rng.IntN(len(m.merges.ops))]
	l := m.labelOf(op.into)
	m.mu.Unlock()
	if l != nil {
		w.mergeThem(l, op.into, op.from, true)
	}
}

// mergeTwo asks for two merges at once among three members.
func (w *simulation) mergeTwo(pairs func(a, b, c domain.MemberID) [2][2]domain.MemberID) {
	l, rng := w.mergingLabel(), w.merging.rng
	w.model.mu.Lock()
	all := w.model.living(l)
	w.model.mu.Unlock()
	if len(all) < 3 {
		return
	}
	rng.Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
	for _, p := range pairs(all[0], all[1], all[2]) {
		w.mergeThem(l, p[0], p[1], false)
	}
}

// mergeThem submits a merge, or takes one back, and holds the outcome to what may be; half of the time
// it asks once more under the same request.
func (w *simulation) mergeThem(l *label, into, from domain.MemberID, unmerge bool) {
	again := w.merging.rng.IntN(2) == 0
	op := w.model.begin(l, into, from, unmerge)
	s := w.mergeRequest(l, into)
	if s.Command = domain.Command(&domain.MergeMembers{Member: into, From: from}); unmerge {
		s.Command = &domain.UnmergeMember{Member: into, From: from}
	}
	if op.byAPI = w.merging.rng.IntN(2) == 0 && into != from; op.byAPI {
		w.user(func() error { return w.askMerge(l, op) })
		return
	}
	w.user(func() error {
		out, err := w.submitted(s)
		if err != nil {
			return fmt.Errorf("merge %+v: %w", *op, err)
		}
		if err := w.model.end(op, out); err != nil {
			return err
		}
		w.tell("%d of %d, taken back %v: code %d", from, into, unmerge, out.Code)
		if !again {
			return nil
		}
		repeated, err := w.submitted(s)
		if err == nil && (repeated.Code != out.Code || !repeated.Replayed) {
			err = fmt.Errorf("answered with %+v, and again with %+v", out, repeated)
		}
		if err != nil {
			return fmt.Errorf("merge %+v again: %w", *op, err)
		}
		return nil
	})
}

// askMerge is a merge by the API, or the end of one. A node that is behind gives an access token that is not valid any more:
// then it is asked for again.
func (w *simulation) askMerge(l *label, op *mergeOp) error {
	err := w.askMergeOnce(l, op)
	for w.fleet.size > 1 && domain.CodeOf(codeOf(err)) == domain.WrongPassword {
		time.Sleep(50 * time.Millisecond)
		err = w.askMergeOnce(l, op)
	}
	if _, said := err.(*client.Error); err != nil && !said {
		return fmt.Errorf("merge %+v: %w", *op, err)
	}
	w.tell("%d of %d by the API, taken back %v: %v", op.into, op.from, op.unmerge, err)
	return w.model.end(op, domain.Outcome{Code: domain.CodeOf(codeOf(err)), Member: op.into})
}

func (w *simulation) askMergeOnce(l *label, op *mergeOp) error {
	var token string
	since := w.model.since(op.from) // empty where it is erased: a node that is behind may not know it
	err := w.insist(l, func(c *client.Client) error {
		e, _, err := client.Do(context.Background(), c.At(since), client.GetMember{MemberID: op.from})
		token = e.Data.AccessToken
		if code := domain.CodeOf(codeOf(err)); op.unmerge || code == domain.Gone || code == domain.NotFound && since == "" {
			err = nil
		}
		return err
	})
	if err == nil && (op.unmerge || token != "") {
		err = w.demand(l, func(c *client.Client) error {
			if op.unmerge {
				_, _, err := client.Do(context.Background(), c, client.UnmergeMembers{MemberID: op.into, From: op.from})
				return err
			}
			_, _, err := client.Do(context.Background(), c, client.MergeMembers{MemberID: op.into, From: op.from, AccessToken: token})
			return err
		})
	} else if err == nil {
		err = &client.Error{Code: domain.Conflict} // there is no token to ask with
	}
	return err
}

// mergeRequest is a submission for a member without its command.
func (w *simulation) mergeRequest(l *label, id domain.MemberID) domain.Submission {
	w.merging.calls++
	s := domain.Submission{Account: l.id, Application: l.app, Slot: id.Slot(), BodyHash: 1}
	binary.BigEndian.PutUint64(s.Request[:], w.merging.calls)
	s.Request[15] = 9
	return s
}

// actMerged publishes actions of members who have part in merges, one-time ones above all, of few
// brands, so that several have the same.
func (w *simulation) actMerged() {
	m, rng := w.model, w.merging.rng
	m.mu.Lock()
	var of []*identity
	for _, i := range m.identities {
		if m.merges.mingled[i.owner] && m.erased[i.owner] == nil {
			of = append(of, i)
		}
	}
	var batch []*act
	for range min(len(of), 1+rng.IntN(6)) {
		i := of[rng.IntN(len(of))]
		a := &act{
			of: i.of, source: published, id: fmt.Sprint("a", len(m.acts)), who: i, sure: true,
			at: 1434000000 + rng.Int64N(86400), brand: i.of.brands[rng.IntN(2)],
		}
		a.definition = i.of.definitions[rng.IntN(len(i.of.definitions))]
		for _, d := range i.of.definitions {
			if d.oneTime && rng.IntN(3) > 0 {
				a.definition = d
			}
		}
		if rng.IntN(4) == 0 {
			a.member = i.owner
		}
		a.write(nil)
		m.say(a)
		w.said = append(w.said, a)
		batch = append(batch, a)
	}
	m.mu.Unlock()
	if len(batch) > 0 {
		w.publish(rng.IntN(simPartitions), batch)
	}
}

// removeCopied deletes an action that the engine lists, at the member that did it, as whosever it counts.
func (w *simulation) removeCopied() {
	l, n, s := w.mergingLabel(), w.merging.rng.Int(), w.mergeRequest(w.model.labels[0], 0)
	s.Account, s.Application = l.id, l.app
	w.user(func() error {
		a, action := w.listed(l, n)
		if a == nil {
			return nil
		}
		w.model.mu.Lock()
		home := a.owner()
		k := ofMember{home, a.source, a.id}
		w.model.tried[k]++
		w.model.mu.Unlock()
		if home == 0 {
			return nil
		}
		s.Slot, s.Command = home.Slot(), &domain.DeleteAction{Member: home, Action: action}
		return w.removed(k, a, s)
	})
}

// removed submits a deletion.
func (w *simulation) removed(k ofMember, a *act, s domain.Submission) error {
	out, err := w.submitted(s)
	if err != nil {
		return err
	}
	w.model.mu.Lock()
	defer w.model.mu.Unlock()
	switch {
	case out.Code == domain.OK:
		w.model.deleted[k] = true
	case out.Code == domain.NotFound && (a.definition.oneTime || w.model.tried[k] > 1):
	case w.model.touched(a) && (out.Code == domain.Gone || out.Code == domain.NotFound):
	default:
		return fmt.Errorf("delete %s of %d: %+v", a.link(), k.member, out)
	}
	return nil
}

// listed is one of the actions that the engine lists, and its id where it was done; nil: none, or the
// engine does not answer.
func (w *simulation) listed(l *label, n int) (*act, domain.ActionID) {
	e := w.alive()
	if e == nil {
		return nil, 0
	}
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	q := &domain.Question{
		Account: l.id, Shape: domain.ShapeFeed, Range: domain.AllTime, Listing: domain.Listing{Every: true, Limit: 1000},
	}
	w.model.mu.Lock()
	for _, d := range l.definitions {
		q.Groups = append(q.Groups, domain.Group{Definition: d.id, Group: uint32(d.id)})
	}
	w.model.mu.Unlock()
	answer, err := e.Actors.Ask(ctx, q, domain.Position{})
	if err != nil || len(answer.Feed.Items) == 0 {
		return nil, 0
	}
	item := answer.Feed.Items[n%len(answer.Feed.Items)]
	shown, err := e.Actors.Show(ctx, l.id, []domain.FeedItem{item}, domain.Position{})
	if err != nil || shown[0].Content == nil {
		return nil, 0
	}
	w.model.mu.Lock()
	defer w.model.mu.Unlock()
	return w.model.byLink[shown[0].Content.Link], cmp.Or(shown[0].Content.Action, item.Row.ID())
}

// optOutSomebody opts a member out that opted in, and with it those who are merged into it.
func (w *simulation) optOutSomebody() {
	m, rng := w.model, w.merging.rng
	m.mu.Lock()
	all := m.optIns()
	m.mu.Unlock()
	if len(all) > 0 {
		w.optOut(all[rng.IntN(len(all))])
	}
}

func (w *simulation) optOut(o opted) {
	m, l := w.model, w.labelOf(o.brand)
	doubt := func() {
		for _, id := range m.below(o.member) {
			m.merges.outs[opted{o.brand, id}] = perhapsOut
		}
	}
	m.mu.Lock()
	doubt()
	before, quiet := m.merges.optIns[o], m.merges.opting[o] == 0
	m.mu.Unlock()
	w.user(func() error {
		err := w.demand(l, func(c *client.Client) error {
			_, _, err := client.Do(context.Background(), c, client.OptOutOfBrand{BrandID: o.brand, ID: o.member})
			return err
		})
		if m.merged(o.member, err) || m.isErased(o.member, err) {
			return nil
		}
		if err != nil {
			return fmt.Errorf("opt member %d out: %w", o.member, err)
		}
		m.mu.Lock()
		defer m.mu.Unlock()
		doubt() // of who came under it meanwhile
		if quiet && m.merges.optIns[o] == before {
			m.merges.outs[o] = surelyOut
		}
		return nil
	})
}

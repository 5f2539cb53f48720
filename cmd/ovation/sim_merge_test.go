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

// merges is what was asked of merges, and at the end what came of it, under the model's lock.
type merges struct {
	mingled map[domain.MemberID]bool              // has part in a merge, or had, or may have
	under   map[domain.MemberID][]domain.MemberID // by survivor: those asked to be merged into it, ever
	ops     []*mergeOp
	now     int                                 // begins and ends of operations so far
	into    map[domain.MemberID]domain.MemberID // once all is drained, of those who are merged
	optIns  map[opted]int                       // opt-ins begun
	opting  map[opted]int                       // and under way
	outs    map[opted]optedOut
	present map[*label]*presence
	visits  map[*label]uint64 // that may have been made beside those that were answered
}

func newMerges() merges {
	return merges{
		mingled: map[domain.MemberID]bool{}, under: map[domain.MemberID][]domain.MemberID{}, into: map[domain.MemberID]domain.MemberID{},
		optIns: map[opted]int{}, opting: map[opted]int{}, outs: map[opted]optedOut{}, present: map[*label]*presence{}, visits: map[*label]uint64{},
	}
}

// optedOut is whether a member that opted in is out again.
type optedOut int

const (
	perhapsOut optedOut = iota + 1
	surelyOut
)

// mergeOp is a merge, or one that is taken back.
type mergeOp struct {
	into, from   domain.MemberID
	unmerge      bool
	byAPI        bool
	began, ended int // of merges.now; 0: it goes on
	code         domain.Code
}

// presence is what an answer showed, and its position: later ones show it too.
type presence struct {
	at    string
	shown []*act
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

// living are the members of a label that may be merged, for those who hold the lock.
func (m *model) living(l *label) (all []domain.MemberID) {
	for _, i := range m.identities {
		if i.of == l && i.owner != 0 && m.erased[i.owner] == nil && !slices.Contains(all, i.owner) {
			all = append(all, i.owner)
		}
	}
	return all
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
	if s.Command = domain.Command(&domain.MergeMembers{Member: into, From: from, At: time.Now().UnixMilli()}); unmerge {
		s.Command = &domain.UnmergeMember{Member: into, From: from, At: time.Now().UnixMilli()}
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

// askMerge is a merge by the API, or the end of one.
func (w *simulation) askMerge(l *label, op *mergeOp) error {
	var token string
	err := w.insist(l, func(c *client.Client) error {
		e, _, err := c.Member(context.Background(), op.from, nil)
		token = e.Data.AccessToken
		if op.unmerge || domain.CodeOf(codeOf(err)) == domain.Gone {
			err = nil
		}
		return err
	})
	if err == nil && (op.unmerge || token != "") {
		err = w.demand(l, func(c *client.Client) error {
			if op.unmerge {
				_, _, err := c.UnmergeMembers(context.Background(), op.into, op.from)
				return err
			}
			_, _, err := c.MergeMembers(context.Background(), op.into, op.from, token)
			return err
		})
	} else if err == nil {
		err = &client.Error{Code: domain.Conflict} // there is no token to ask with
	}
	if _, said := err.(*client.Error); err != nil && !said {
		return fmt.Errorf("merge %+v: %w", *op, err)
	}
	w.tell("%d of %d by the API, taken back %v: %v", op.into, op.from, op.unmerge, err)
	return w.model.end(op, domain.Outcome{Code: domain.CodeOf(codeOf(err)), Member: op.into})
}

// mergeRequest is a submission for a member without its command.
func (w *simulation) mergeRequest(l *label, id domain.MemberID) domain.Submission {
	w.merging.calls++
	s := domain.Submission{Account: l.id, Application: l.app, Slot: id.Slot(), BodyHash: 1}
	binary.BigEndian.PutUint64(s.Request[:], w.merging.calls)
	s.Request[15] = 9
	return s
}

// begin notes that a merge is about to be asked for.
func (m *model) begin(l *label, into, from domain.MemberID, unmerge bool) *mergeOp {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.merges.now++
	op := &mergeOp{into: into, from: from, unmerge: unmerge, began: m.merges.now}
	m.merges.ops = append(m.merges.ops, op)
	if unmerge {
		return op
	}
	m.merges.mingled[into], m.merges.mingled[from] = true, true
	m.merges.under[into] = append(m.merges.under[into], from)
	if m.erased[into] != nil { // who is merged into it in time is erased with it
		m.doubtErasure(l, from)
	}
	for _, i := range m.identities {
		if i.owner == into || i.owner == from {
			i.once = false // which record of a service is refreshed depends on the merge
		}
	}
	return op
}

// doubtErasure notes that a member, and those below it, may be erased with another.
func (m *model) doubtErasure(l *label, id domain.MemberID) {
	for _, id := range m.below(id) {
		if m.erased[id] == nil {
			m.erased[id] = &erasure{of: l, doubtful: true}
		}
	}
}

// below are a member and all that may be merged into it, or into those.
func (m *model) below(id domain.MemberID) []domain.MemberID {
	all := []domain.MemberID{id}
	for i := 0; i < len(all); i++ {
		for _, from := range m.merges.under[all[i]] {
			if !slices.Contains(all, from) {
				all = append(all, from)
			}
		}
	}
	return all
}

// end notes an outcome.
func (m *model) end(op *mergeOp, out domain.Outcome) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.merges.now++
	op.ended, op.code = m.merges.now, out.Code
	may := []domain.Code{domain.OK, domain.Conflict, domain.Gone}
	switch {
	case op.unmerge:
		may = append(may, domain.NotFound)
	case op.into == op.from:
		may = []domain.Code{domain.InvalidParameter, domain.Gone}
	case m.alone(op):
		may = may[:1]
	}
	if !slices.Contains(may, out.Code) || out.Again || out.Code == domain.OK && !op.unmerge && out.Member != op.into {
		return fmt.Errorf("%+v is answered with %+v", *op, out)
	}
	return nil
}

// alone reports a merge of two members that nothing else was ever asked of but the same merge.
func (m *model) alone(op *mergeOp) bool {
	if m.erased[op.into] != nil || m.erased[op.from] != nil {
		return false
	}
	return !slices.ContainsFunc(m.merges.ops, func(o *mergeOp) bool {
		touches := o.into == op.into || o.from == op.into || o.into == op.from || o.from == op.from
		return touches && o != op && (o.began < op.ended && (o.ended == 0 || o.ended > op.began) || o.code == domain.OK)
	})
}

// doubt notes that an identity may have got an owner, or a visit, whichever is asked at the end.
func (m *model) doubt(i *identity) {
	m.mu.Lock()
	i.unsure = true
	m.mu.Unlock()
	m.doubtVisit(i.of)
}

// doubtVisit notes a visit that may have been made: it was refused, perhaps only when it was asked for
// again.
func (m *model) doubtVisit(l *label) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if len(m.merges.mingled) > 0 {
		m.merges.visits[l]++
	}
}

// home is the member that an answer for an identity is of: one that is merged is answered for by its
// survivor.
func (m *model) home(i *identity, answered domain.MemberID) domain.MemberID {
	m.mu.Lock()
	defer m.mu.Unlock()
	if i.owner != 0 && m.merges.mingled[i.owner] && m.merges.mingled[answered] {
		return i.owner
	}
	return answered
}

// mingled reports that a member has part in a merge, or had.
func (m *model) mingled(id domain.MemberID) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.merges.mingled[id]
}

// merged reports a request that failed since the member that it names is merged into another, or one
// that named an address or a token of it.
func (m *model) merged(id domain.MemberID, err error) bool {
	code := domain.CodeOf(codeOf(err))
	return err != nil && (code == domain.Gone || code == domain.NoAccount) && m.mingled(id)
}

// labelOf is the label of a member that has an identity, or had.
func (m *model) labelOf(id domain.MemberID) *label {
	for _, i := range m.identities {
		if i.owner == id || slices.Contains(i.past, id) {
			return i.of
		}
	}
	return nil
}

// root is the member that one counts as, once all is drained.
func (m *model) root(id domain.MemberID) domain.MemberID {
	for m.merges.into[id] != 0 {
		id = m.merges.into[id]
	}
	return id
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
			at: 1434000000 + rng.Int64N(86400), settled: map[domain.MemberID]bool{}, brand: i.of.brands[rng.IntN(2)],
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
	answer, err := e.node.Ask(ctx, q, domain.Position{})
	if err != nil || len(answer.Feed.Items) == 0 {
		return nil, 0
	}
	item := answer.Feed.Items[n%len(answer.Feed.Items)]
	shown, err := e.node.Show(ctx, l.id, []domain.FeedItem{item}, domain.Position{})
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

// optIns are those that were answered, of members who are not erased.
func (m *model) optIns() (all []opted) {
	for o := range m.opted {
		if m.erased[o.member] == nil {
			all = append(all, o)
		}
	}
	slices.SortFunc(all, func(a, b opted) int { return cmp.Or(cmp.Compare(a.brand, b.brand), cmp.Compare(a.member, b.member)) })
	return all
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
			_, _, err := c.OptOut(context.Background(), fmt.Sprint("brand/", o.brand), client.Params{"id": fmt.Sprint(o.member)})
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

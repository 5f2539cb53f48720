package query

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math/bits"
	"math/rand/v2"
	"slices"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/actors/internal/yield"
)

// audienceModel is a model of members that merge: what each of them did is one bit of a score. Shards are
// views with counters, and what is between two of them waits in a queue. A little happens whenever a
// shard is asked.
type audienceModel struct {
	rnd     *rand.Rand
	ids     []domain.MemberID
	shards  []*shardModel
	between [][][]switched // by sender and receiver
	loans   []loan         // in force or on their way, in order
	parents [][]int        // by member: itself, or the one it was merged into, after each of its switches
	arrived []int          // by member: of how many of its switches the receiver knows
	left    int            // switches that may still begin
	blind   bool           // shards do not show their counters
}

// loan is a member merged into another.
type loan struct{ of, to int }

// switched is what the sender of a switch tells its receiver.
type switched struct {
	member, at int // whose rows they are, and where they count from now on
	score      uint64
}

// shardModel is one shard; what is published is not changed any more.
type shardModel struct {
	Shard
	audience  *audienceModel
	id        int
	next      int64
	scores    map[domain.MemberID]uint64
	into      map[domain.MemberID]domain.MemberID
	handovers []domain.Handover
	asked     int
}

func newAudience(seed uint64, shards, members int) *audienceModel {
	w := &audienceModel{rnd: rand.New(rand.NewPCG(seed, 2)), between: make([][][]switched, shards)}
	for i := range shards {
		w.between[i] = make([][]switched, shards)
		w.shards = append(w.shards, &shardModel{
			audience: w, id: i, scores: map[domain.MemberID]uint64{}, into: map[domain.MemberID]domain.MemberID{},
		})
	}
	for i := range members {
		id := domain.MemberIDOf(uint64(1+i), domain.Slot(w.rnd.IntN(domain.Slots)))
		w.ids = append(w.ids, id)
		w.home(i).scores[id] = 1 << i
		w.parents = append(w.parents, []int{i})
	}
	w.arrived = make([]int, members)
	return w
}

func (w *audienceModel) home(member int) *shardModel {
	return w.shards[w.ids[member].Slot().Shard(len(w.shards))]
}

// count counts a switch in a new commit of a shard.
func (s *shardModel) count(with int, sent, received uint64) {
	s.next++
	s.handovers = slices.Clone(s.handovers)
	i, there := slices.BinarySearchFunc(s.handovers, with, func(h domain.Handover, shard int) int { return h.Shard - shard })
	if !there {
		s.handovers = slices.Insert(s.handovers, i, domain.Handover{Shard: with})
	}
	s.handovers[i].Sent += sent
	s.handovers[i].Received += received
}

// step has one thing happen: what is on its way arrives, or members begin to merge, or to part.
func (w *audienceModel) step(begin bool) {
	if begin && w.left > 0 && w.rnd.IntN(3) == 0 {
		w.left--
		if w.rnd.IntN(3) > 0 {
			w.merge(w.rnd.IntN(len(w.ids)), w.rnd.IntN(len(w.ids)))
		} else if len(w.loans) > 0 {
			w.part(w.loans[w.rnd.IntN(len(w.loans))])
		}
		return
	}
	var due [][2]int
	for from := range w.between {
		for to := range w.between[from] {
			if len(w.between[from][to]) > 0 {
				due = append(due, [2]int{from, to})
			}
		}
	}
	if len(due) > 0 {
		at := due[w.rnd.IntN(len(due))]
		w.receive(at[0], at[1])
	}
}

// rests reports that nothing of the member is on its way.
func (w *audienceModel) rests(member int) bool { return w.arrived[member] == len(w.parents[member])-1 }

func (w *audienceModel) parent(member int) int { return w.parents[member][len(w.parents[member])-1] }

// merge is the sender's commit of a merge. One whose rows are on their way, or who is merged, lends
// and absorbs nothing.
func (w *audienceModel) merge(of, to int) {
	for _, l := range w.loans {
		if !w.rests(l.of) && (l.to == of || l.to == to) {
			return
		}
	}
	if of == to || w.parent(of) != of || w.parent(to) != to || !w.rests(of) || !w.rests(to) {
		return
	}
	s := w.home(of)
	score := s.scores[w.ids[of]]
	delete(s.scores, w.ids[of])
	s.into[w.ids[of]] = w.ids[to]
	w.loans = append(w.loans, loan{of, to})
	w.send(s, of, to, w.home(to), switched{of, to, score})
}

// part is the sender's commit of the end of a merge: of those of one member the last ends first.
func (w *audienceModel) part(l loan) {
	last := l
	for _, o := range w.loans {
		if o.to == l.to {
			last = o
		}
	}
	if last != l || w.parent(l.to) != l.to || !w.rests(l.of) || !w.rests(l.to) {
		return
	}
	s := w.home(l.to)
	score := w.scoreOf(l.of)
	s.scores[w.ids[l.to]] &^= score
	w.loans = slices.DeleteFunc(w.loans, func(o loan) bool { return o == l })
	w.send(s, l.of, l.of, w.home(l.of), switched{l.of, l.of, score})
}

// scoreOf is what a member and those merged into it did.
func (w *audienceModel) scoreOf(member int) uint64 {
	score := uint64(1) << member
	for _, l := range w.loans {
		if l.to == member {
			score |= w.scoreOf(l.of)
		}
	}
	return score
}

func (w *audienceModel) send(s *shardModel, member, parent int, to *shardModel, m switched) {
	w.parents[member] = append(w.parents[member], parent)
	s.count(to.id, 1, 0)
	w.between[s.id][to.id] = append(w.between[s.id][to.id], m)
}

// receive is the receiver's commit of a switch.
func (w *audienceModel) receive(from, to int) {
	m, s := w.between[from][to][0], w.shards[to]
	w.between[from][to] = w.between[from][to][1:]
	s.count(from, 0, 1)
	s.scores[w.ids[m.at]] |= m.score
	if m.at == m.member {
		delete(s.into, w.ids[m.member])
	}
	w.arrived[m.member]++
}

// happens is what happens beside a question, until a shard has handovers.
func (w *audienceModel) happens(s *shardModel, floor []domain.Handover) {
	for range w.rnd.IntN(3) {
		w.step(true)
	}
	for !reached(s.handovers, floor) {
		w.step(false)
	}
}

func (s *shardModel) shown() []domain.Handover {
	if s.audience.blind {
		return nil
	}
	return s.handovers
}

// Survivors is that of the newest view.
func (s *shardModel) Survivors(_ context.Context, m Named) (out Survivors, err error) {
	s.audience.happens(s, m.Handovers)
	out = Survivors{AsOf: AsOf{s.next, s.shown()}}
	for _, id := range m.Members {
		if to, merged := s.into[id]; merged {
			out.Merged = append(out.Merged, domain.MergedMember{Member: id, Into: to})
		}
	}
	return out, nil
}

// Answer is that of the newest view.
func (s *shardModel) Answer(_ context.Context, m *Ask, done func(*Part)) {
	s.asked++
	s.audience.happens(s, m.Handovers)
	f := &m.Question.Filter
	l := &domain.Leaders{}
	for _, id := range slices.Sorted(maps.Keys(s.scores)) {
		if (len(f.Members) == 0 || slices.Contains(f.Members, id)) && !slices.Contains(f.Exclude, id) {
			l.Members = append(l.Members, domain.Leader{Member: id, Score: s.scores[id]})
			l.Total.Members++
		}
	}
	slices.SortFunc(l.Members, func(a, b domain.Leader) int { return int(bits.LeadingZeros64(a.Score)) - bits.LeadingZeros64(b.Score) })
	done(&Part{Shard: s.id, AsOf: AsOf{s.next, s.shown()}, Leaders: l})
}

// some are a few members, as a filter names them.
func (w *audienceModel) some() (ids []domain.MemberID) {
	for range 1 + w.rnd.IntN(3) {
		ids = append(ids, w.ids[w.rnd.IntN(len(w.ids))])
	}
	slices.Sort(ids)
	return slices.Compact(ids)
}

// ask asks a random question, and reports an answer that is of no serial history: each member has
// made some of its switches, at least those that had arrived before the question.
func (w *audienceModel) ask(c *Coordinator) error {
	q := &domain.Question{
		Account: 1, Shape: domain.ShapeLeaders, Range: domain.AllTime, Top: domain.Top{Limit: len(w.ids)},
	}
	switch w.rnd.IntN(5) {
	case 0, 1:
		q.Filter.Members = w.some()
	case 2:
		q.Filter.Exclude = w.some()
	}
	before := slices.Clone(w.arrived)
	w.left = w.rnd.IntN(8)
	a, err := c.Ask(context.Background(), q, domain.Position{})
	if err != nil {
		return err
	}
	if err := w.serial(q, a.Leaders, before); err != nil {
		return fmt.Errorf("members %v, without %v: %v of %d: %w", q.Filter.Members, q.Filter.Exclude, a.Leaders.Members, a.Leaders.Total.Members, err)
	}
	return nil
}

// serial reports what an answer cannot show.
func (w *audienceModel) serial(q *domain.Question, l *domain.Leaders, before []int) error {
	at := make([]int, len(w.ids)) // where a member counts, by the answer; -1: nowhere
	for i := range at {
		at[i] = -1
	}
	for _, m := range l.Members {
		own := slices.Index(w.ids, m.Member)
		if m.Score>>own&1 == 0 {
			return fmt.Errorf("%d lost its own", own)
		}
		for s := m.Score; s != 0; s &= s - 1 {
			i := bits.TrailingZeros64(s)
			if at[i] >= 0 {
				return fmt.Errorf("%d counts twice", i)
			}
			at[i] = own
		}
	}
	if l.Total.Members != uint64(len(l.Members)) {
		return errors.New("the total is another")
	}
	named := func(ids []domain.MemberID, i int) bool { return slices.Contains(ids, w.ids[i]) }
	for i := range at {
		could := w.parents[i][before[i]:] // what it may have been in
		switch {
		case at[i] == i:
			if !slices.Contains(could, i) {
				return fmt.Errorf("%d was merged all the time", i)
			}
		case at[i] >= 0:
			if !slices.ContainsFunc(could, func(p int) bool { return p != i && at[p] == at[i] }) {
				return fmt.Errorf("%d was never merged into %d", i, at[i])
			}
		case len(q.Filter.Members) > 0:
			if named(q.Filter.Members, i) {
				return fmt.Errorf("%d is named and counts nowhere", i)
			}
			if !slices.ContainsFunc(could, func(p int) bool { return p == i || at[p] < 0 }) {
				return fmt.Errorf("%d was merged into one who is named", i)
			}
		case len(q.Filter.Exclude) > 0:
			if !named(q.Filter.Exclude, i) && !w.together(i, q.Filter.Exclude, before) {
				return fmt.Errorf("%d counts nowhere", i)
			}
		default:
			return fmt.Errorf("%d counts nowhere", i)
		}
		if at[i] >= 0 && named(q.Filter.Exclude, i) {
			return fmt.Errorf("%d is excluded", i)
		}
	}
	return w.onlyNamed(q, l)
}

// onlyNamed reports one that a question did not name, nor any that stands for it.
func (w *audienceModel) onlyNamed(q *domain.Question, l *domain.Leaders) error {
	if len(q.Filter.Members) == 0 {
		return nil
	}
	for _, m := range l.Members {
		named := func(id domain.MemberID) bool { return m.Score>>slices.Index(w.ids, id)&1 == 1 }
		if !slices.ContainsFunc(q.Filter.Members, named) {
			return fmt.Errorf("%d is not named", m.Member)
		}
	}
	return nil
}

// together reports that a member may have been of one with one of others, by whatever merges there
// may have been.
func (w *audienceModel) together(member int, others []domain.MemberID, before []int) bool {
	with := make([]bool, len(w.ids))
	for _, id := range others {
		with[slices.Index(w.ids, id)] = true
	}
	for range w.ids {
		for i := range with {
			for _, p := range w.parents[i][before[i]:] {
				with[i] = with[i] || with[p]
				with[p] = with[i]
			}
		}
	}
	return with[member]
}

func (w *audienceModel) coordinator() *Coordinator {
	o := Options{Logs: fakeLogs{}, Yield: &yield.Questions{}}
	for _, s := range w.shards {
		o.Shards = append(o.Shards, s)
	}
	return New(o)
}

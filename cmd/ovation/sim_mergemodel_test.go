package main

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/ovation-analytics/ovation/actors/domain"
)

// What the model knows of merges while they are asked for.

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
		mingled: map[domain.MemberID]bool{}, under: map[domain.MemberID][]domain.MemberID{},
		into: map[domain.MemberID]domain.MemberID{}, optIns: map[opted]int{}, opting: map[opted]int{},
		outs: map[opted]optedOut{}, present: map[*label]*presence{}, visits: map[*label]uint64{},
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

// living are the members of a label that may be merged, for those who hold the lock.
func (m *model) living(l *label) (all []domain.MemberID) {
	for _, i := range m.identities {
		if i.of == l && i.owner != 0 && m.erased[i.owner] == nil && !slices.Contains(all, i.owner) {
			all = append(all, i.owner)
		}
	}
	return all
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
	case len(m.below(op.from)) > domain.DeepestMerge:
		may = append(may, domain.PlanLimit)
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

// optIns are those that were answered, of members who are not erased.
func (m *model) optIns() (all []opted) {
	for o := range m.opted {
		if m.erased[o.member] == nil {
			all = append(all, o)
		}
	}
	slices.SortFunc(all, func(a, b opted) int {
		return cmp.Or(cmp.Compare(a.brand, b.brand), cmp.Compare(a.member, b.member))
	})
	return all
}

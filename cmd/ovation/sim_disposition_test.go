package main

import (
	"fmt"
	"slices"

	"github.com/ovation-analytics/ovation/actors/domain"
)

// What becomes of actions of members who are erased, as far as the model can know: an action that
// is on its way when its member is erased may be applied before or after.

// had notes a member who may have had an identity, and is erased; 0: one whom no answer named.
func (i *identity) had(member domain.MemberID) {
	if member == 0 || !slices.Contains(i.past, member) {
		i.past = append(i.past, member)
	}
}

// free notes that an identity has no owner any more, for those who hold mu.
func (m *model) free(i *identity) {
	i.had(i.owner)
	i.owner, i.there, i.again, i.fresh = 0, false, false, 0
	delete(m.updates.asked, i)
	delete(m.updates.verified, i)
}

// erasedNow notes that the erasure of a member was answered.
func (m *model) erasedNow(id domain.MemberID, token string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	e := m.erased[id]
	if e.answered == 0 {
		m.erasures++
		e.answered = m.erasures
	}
	if token != "" {
		e.token = token
	}
	for _, i := range m.identities {
		if i.owner == id {
			m.free(i)
		}
	}
	delete(e.of.visits, id)
}

// isErased reports a request that failed since the member that it names is erased.
func (m *model) isErased(id domain.MemberID, err error) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	code := domain.CodeOf(codeOf(err))
	return m.erased[id] != nil && (code == domain.Gone || code == domain.NoAccount)
}

// leaves reports that a member is erased, or about to be.
func (m *model) leaves(id domain.MemberID) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.erased[id] != nil
}

// lost reports a request for an identity that failed since the member that it names, or that had
// the identity (0), is erased.
func (m *model) lost(i *identity, id domain.MemberID, err error) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	code := domain.CodeOf(codeOf(err))
	if code != domain.Gone || id != 0 && (m.erased[id] == nil || m.erased[id].doubtful) || id == 0 && !m.touchedIdentity(i) {
		return false
	}
	i.had(id)
	i.again = false
	return true
}

// unowned reports a login that failed since the member that had the identity is erased.
func (m *model) unowned(i *identity, err error) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	code := domain.CodeOf(codeOf(err))
	return m.touchedIdentity(i) && (code == domain.NoAccount || code == domain.Gone)
}

// unnamed reports an action that was not recorded since its member is erased.
func (m *model) unnamed(a *act, err error) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	code := domain.CodeOf(codeOf(err))
	return m.touched(a) && (code == domain.Gone || a.member == 0 && code == domain.NotFound)
}

// touchedIdentity reports that a member who has the identity, or had it, or may have it, is being erased.
func (m *model) touchedIdentity(i *identity) bool {
	erased := func(id domain.MemberID) bool { return m.erased[id] != nil }
	return len(i.past) > 0 || erased(i.owner) || i.owner == 0 && i.unsure && slices.ContainsFunc(i.asked, erased)
}

// touched reports that the member whose action it is may be being erased.
func (m *model) touched(a *act) bool {
	if a.member != 0 {
		return m.erased[a.member] != nil
	}
	return m.touchedIdentity(a.who)
}

// sending is what is known of an action when it is published.
type sending struct {
	owner domain.MemberID // 0: not known, or no member
	past  int             // how many owners of its identity are erased by then
	gone  bool            // the erasure of the member that it names was answered
}

// sending notes that actions are about to be published.
func (m *model) sending(batch []*act) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, a := range batch {
		s := sending{owner: a.owner(), past: len(a.who.past)}
		if e := m.erased[a.member]; e != nil {
			s.gone = e.answered > 0
		}
		a.sent = append(a.sent, s)
	}
}

// disposition is what became of an action that was published: it counts, or is a dead letter for one of
// the reasons.
type disposition struct {
	counts expectation
	letter letterOf
}

var certain = expectation{must: true, may: true}

// dispositionOf is what became of one sending, when all erasures are answered.
func (m *model) dispositionOf(a *act, s sending) (f disposition) {
	conflicting := a.reason == domain.ConflictingDuplicate
	letter := func(e expectation, reasons ...domain.Reason) {
		if conflicting {
			reasons = append(reasons, domain.ConflictingDuplicate)
		}
		f.letter = letterOf{e, reasons}
	}
	owner, freed := a.owner(), len(a.who.past)
	switch {
	case a.reason != domain.Accepted && !conflicting:
		letter(certain, a.reason)
	case a.member != 0 && m.erased[a.member] != nil:
		letter(expectation{must: s.gone || conflicting, may: true}, domain.GoneMember)
	case owner != 0 && s.owner == owner && conflicting:
		letter(certain)
	case owner != 0 && s.owner == owner:
		f.counts = certain
	case freed == 0:
		f.counts.may = owner != 0
		letter(expectation{must: owner == 0, may: true}, domain.UnknownMember)
	default: // by an identity that was freed, or was asked for in vain
		before := conflicting && s.owner != 0 && s.past+1 == freed
		f.counts.may = owner != 0 || a.who.unsure // what came between the claim and the refusal counts
		letter(expectation{must: owner == 0 && (before || s.past == freed), may: true}, domain.UnknownMember, domain.GoneMember)
	}
	return f
}

// dispositions is what became of an action that was published, however often: every copy of it counts for
// certain, or one of them, which all must be in the log for.
func (m *model) dispositions(a *act) (all disposition, one bool) {
	all = m.dispositionOf(a, a.sent[0])
	one = all.counts.must
	for _, s := range a.sent[1:] {
		f := m.dispositionOf(a, s)
		one = one || f.counts.must
		all.counts.must = all.counts.must && f.counts.must
		all.counts.may = all.counts.may || f.counts.may
		all.letter.must = all.letter.must && f.letter.must
		all.letter.may = all.letter.may || f.letter.may
		all.letter.reasons = append(all.letter.reasons, f.letter.reasons...)
	}
	return all, one
}

// expectations says of every action what must have become of it, and which dead letters
// there must be, or may.
func (w *simulation) expectations() (acts map[*act]expectation, letters map[origin]letterOf, err error) {
	acts, letters = map[*act]expectation{}, map[origin]letterOf{}
	there, lost := map[*act]bool{}, map[*act]bool{}
	for o, value := range w.archive {
		a := w.model.byValue[value]
		if a == nil {
			return nil, nil, fmt.Errorf("the public topic holds at %s what nobody published: %q", o, value)
		}
		there[a] = true
		lost[a] = lost[a] || w.isLost(o)
	}
	for o, value := range w.archive {
		a := w.model.byValue[value]
		f, one := w.model.dispositions(a)
		kept := !w.isLost(o)
		was := acts[a]
		counts := kept && f.counts.must || !lost[a] && one
		acts[a] = expectation{must: was.must || counts, may: was.may || f.counts.may}
		if f.letter.may {
			f.letter.must = f.letter.must && kept
			letters[o] = f.letter
		}
	}
	for o, f := range w.foreign {
		letters[o] = letterOf{f, []domain.Reason{domain.Foreign}}
	}
	for _, a := range w.model.acts {
		if a.value != "" && !there[a] {
			return nil, nil, fmt.Errorf("I4: %s was acknowledged and is not in the public topic", a.link())
		}
		if a.value == "" {
			if acts[a], err = w.model.recordedFor(a); err != nil {
				return nil, nil, err
			}
		}
	}
	w.rivals(acts, letters)
	return acts, letters, nil
}

// rivals weakens what is known of an action where one with its name may have come before it, for a
// member who got its identity.
func (w *simulation) rivals(acts map[*act]expectation, letters map[origin]letterOf) {
	for o, value := range w.archive {
		a := w.model.byValue[value]
		if a.rival == nil || !acts[a.rival].may {
			continue
		}
		acts[a] = expectation{may: acts[a].may}
		f := letters[o]
		f.may, f.must = true, false
		f.reasons = append(f.reasons, domain.ConflictingDuplicate)
		letters[o] = f
	}
}

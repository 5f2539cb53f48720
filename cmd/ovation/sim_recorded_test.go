package main

import (
	"context"
	"fmt"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/api/client"
)

// Whose an answer is that names a member, to a request by an identity. An answer names the member who had the
// identity when the request was applied, or the member into which that one was merged by then. The identity
// may have changed hands before the answer is out: its member was erased, and another one registered again.

// ownership is what is known of the members of an identity when a request by it begins.
type ownership struct {
	owner    domain.MemberID // of the identity; 0: not known, or no member
	past     int             // how many owners before are known
	erasures int             // how many were answered
}

// answer is one that named a member.
type answer struct {
	ownership
	member domain.MemberID
	merges int // begins and ends of merges by then
}

// ownership is what is known now of the members of an identity.
func (m *model) ownership(i *identity) ownership {
	m.mu.Lock()
	defer m.mu.Unlock()
	return ownership{owner: i.owner, past: len(i.past), erasures: m.erasures}
}

// answered is an answer that comes now, for those who hold mu.
func (m *model) answered(s ownership, member domain.MemberID) answer {
	return answer{ownership: s, member: member, merges: m.merges.now}
}

// homes are the members whose an answer may be, by what is known now, for those who hold mu: each may have had the
// identity when the request was applied, and is the member that was named, or may have been merged into it.
func (m *model) homes(i *identity, r answer) (of []domain.MemberID) {
	if i.owner != 0 {
		of = append(of, i.owner)
	}
	if r.owner == 0 || r.owner != i.owner { // else the identity had one owner all the time: no member registers an identity a second time
		before := i.past
		if r.owner != 0 { // those before that one had lost it
			before = i.past[r.past:]
		}
		of = append(append(of, r.owner), before...)
		of = append(of, i.asked...) // an identity counts for a member from the claim on
	}
	of = slices.DeleteFunc(of, func(id domain.MemberID) bool {
		return id == 0 || m.wasErased(id, r.ownership) || !m.standsFor(id, r)
	})
	slices.Sort(of)
	return slices.Compact(of)
}

// wasErased reports that the erasure of a member was answered when a request began.
func (m *model) wasErased(id domain.MemberID, s ownership) bool {
	e := m.erased[id]
	return e != nil && e.answered > 0 && e.answered <= s.erasures
}

// standsFor reports that the member which an answer names is a given one, or that the given one may have been
// merged into it by then, however far.
func (m *model) standsFor(id domain.MemberID, r answer) bool {
	into := []domain.MemberID{id}
	for n := 0; n < len(into); n++ {
		for _, o := range m.merges.ops {
			begun := !o.unmerge && o.began <= r.merges && (o.ended == 0 || o.perhaps())
			if begun && o.from == into[n] && !slices.Contains(into, o.into) {
				into = append(into, o.into)
			}
		}
	}
	return slices.Contains(into, r.member)
}

// met notes the answer to a registration or a login by an identity.
func (m *model) met(i *identity, s ownership, named domain.MemberID) error {
	m.mu.Lock()
	owner, mingled := i.owner, m.merges.mingled[named]
	homes := m.homes(i, m.answered(s, named))
	steady := owner != 0 && s.owner == owner && m.erased[owner] == nil
	remains := func(id domain.MemberID) bool { return id == owner || !slices.Contains(i.past, id) }
	visits := len(homes) == 0 || slices.ContainsFunc(homes, remains)
	m.mu.Unlock()
	switch {
	case !mingled:
		return m.owned(i, named)
	case slices.Equal(homes, []domain.MemberID{owner}):
		return m.owned(i, owner)
	case len(homes) == 0 && steady:
		return fmt.Errorf("%s %s is member %d's, and was answered with %d, into which that one is not merged", i.service, i.uid, owner, named)
	case visits: // those of a member who is erased go with the member
		m.doubt(i)
	}
	return nil
}

// recordedFor is what must have become of an action that was recorded over HTTP, when all is drained. Each answer must
// be that of a member who had the identity, or who was named.
func (m *model) recordedFor(a *act) (f expectation, err error) {
	for _, r := range a.answers {
		homes := m.homesOf(a, r)
		if len(homes) == 0 {
			return f, fmt.Errorf("%s was recorded for member %d, it is %d's", a.link(), r.member, a.owner())
		}
		f.may = f.may || slices.Contains(homes, a.owner())
		f.must = f.must || len(homes) == 1 && homes[0] == a.owner()
	}
	f.may = f.may || a.unsure
	if m.erased[a.owner()] != nil {
		return expectation{}, nil
	}
	return f, nil
}

// homesOf are the members for whom an action may have been recorded, by an answer.
func (m *model) homesOf(a *act, r answer) []domain.MemberID {
	switch {
	case a.member == 0:
		return m.homes(a.who, r)
	case m.wasErased(a.member, r.ownership) || !m.standsFor(a.member, r):
		return nil
	}
	return []domain.MemberID{a.member}
}

// TestRecordedFor holds the model to what an answer may name: member 1 has an identity and is merged into 2; members 3
// and 4 are others. What happens between the beginning of a request and the end of the run comes in order.
func TestRecordedFor(t *testing.T) {
	t.Parallel()
	merge := func(into, from domain.MemberID, code domain.Code) func(*modelRun) {
		return func(r *modelRun) {
			op := r.model.begin(r.of, into, from, false)
			op.code = code
			r.model.merges.now++
			op.ended = r.model.merges.now
		}
	}
	erase := func(id domain.MemberID) func(*modelRun) {
		return func(r *modelRun) {
			r.model.erased[id] = &erasure{of: r.of}
			r.model.erasedNow(id, "")
		}
	}
	register := func(id domain.MemberID) func(*modelRun) {
		return func(r *modelRun) { r.err = r.model.owned(r.identity, id) }
	}
	doom := func(id domain.MemberID) func(*modelRun) {
		return func(r *modelRun) { r.model.erased[id] = &erasure{of: r.of} }
	}
	claim := func(id domain.MemberID) func(*modelRun) {
		return func(r *modelRun) { r.identity.asked = append(r.identity.asked, id) }
	}
	begin := func(r *modelRun) { r.ownership = r.model.ownership(r.identity) }
	names := func(id domain.MemberID) func(*modelRun) {
		return func(r *modelRun) { r.act.answers = append(r.act.answers, r.model.answered(r.ownership, id)) }
	}
	byID := func(member domain.MemberID) func(*modelRun) {
		return func(r *modelRun) { r.act.member = member }
	}
	merged := merge(2, 1, domain.OK)
	must, may, not := expectation{true, true}, expectation{may: true}, expectation{}
	for name, c := range map[string]struct {
		steps []func(*modelRun)
		want  expectation
		wrong bool
	}{
		"the owner":                                      {[]func(*modelRun){begin, names(1)}, must, false},
		"the survivor":                                   {[]func(*modelRun){merged, begin, names(2)}, must, false},
		"the survivor of the survivor":                   {[]func(*modelRun){merged, merge(3, 2, domain.OK), begin, names(3)}, must, false},
		"merged after the request began":                 {[]func(*modelRun){begin, merged, names(2)}, must, false},
		"merged after the answer":                        {[]func(*modelRun){begin, names(2), merged}, not, true},
		"the merge was refused":                          {[]func(*modelRun){merge(2, 1, domain.Conflict), begin, names(2)}, not, true},
		"another member":                                 {[]func(*modelRun){merged, begin, names(3)}, not, true},
		"another survivor":                               {[]func(*modelRun){merged, merge(3, 4, domain.OK), begin, names(3)}, not, true},
		"another member, who is erased":                  {[]func(*modelRun){begin, names(3), erase(3)}, not, true},
		"erased after the answer":                        {[]func(*modelRun){merged, begin, names(2), erase(1)}, not, false},
		"erased before the answer":                       {[]func(*modelRun){merged, begin, erase(1), names(2)}, not, false},
		"erased before the answer, its own":              {[]func(*modelRun){begin, erase(1), names(1)}, not, false},
		"erased before the answer, another survivor":     {[]func(*modelRun){merged, begin, erase(1), names(3)}, not, true},
		"erased before the request":                      {[]func(*modelRun){merged, erase(1), begin, names(2)}, not, true},
		"erased before the request, its own":             {[]func(*modelRun){erase(1), begin, names(1)}, not, true},
		"registered again before the answer":             {[]func(*modelRun){merged, begin, erase(1), register(3), names(2)}, not, false},
		"registered again before the answer, the new":    {[]func(*modelRun){merged, begin, erase(1), register(3), names(3)}, must, false},
		"registered again after the answer":              {[]func(*modelRun){merged, begin, erase(1), names(2), register(3)}, not, false},
		"registered again after the answer, the new":     {[]func(*modelRun){merged, begin, erase(1), names(3), register(3)}, must, false},
		"registered again before the request":            {[]func(*modelRun){merged, erase(1), register(3), begin, names(2)}, not, true},
		"registered again before the request, the new":   {[]func(*modelRun){merged, erase(1), register(3), begin, names(3)}, must, false},
		"registered again, the erasure is answered late": {[]func(*modelRun){merged, doom(1), register(3), begin, names(2), erase(1), erase(3)}, not, true},
		"both are merged into the one that is named":     {[]func(*modelRun){merged, begin, erase(1), register(3), merge(2, 3, domain.OK), names(2)}, may, false},
		"the new one is merged into the one named":       {[]func(*modelRun){merged, begin, erase(1), register(3), merge(4, 3, domain.OK), names(4)}, must, false},
		"erased, and so is the new one":                  {[]func(*modelRun){merged, begin, erase(1), register(3), names(2), erase(3)}, not, false},
		"claimed for another, who does not get it":       {[]func(*modelRun){claim(3), begin, names(3)}, not, true},
		"claimed for another when it was free":           {[]func(*modelRun){begin, claim(3), erase(1), names(3)}, not, false},
		"by its id":                                      {[]func(*modelRun){byID(1), merged, begin, names(2)}, must, false},
		"by its id, erased before the answer":            {[]func(*modelRun){byID(1), merged, begin, erase(1), register(3), names(2)}, not, false},
		"by its id, and the new one is named":            {[]func(*modelRun){byID(1), merged, begin, erase(1), register(3), names(3)}, not, true},
		"by its id, erased before the request":           {[]func(*modelRun){byID(1), merged, erase(1), begin, names(2)}, not, true},
		"by its id, and another survivor is named":       {[]func(*modelRun){byID(1), merged, merge(4, 3, domain.OK), begin, names(4)}, not, true},
		"two answers, of which one is another member's":  {[]func(*modelRun){begin, names(1), names(3)}, not, true},
	} {
		l := &label{visits: map[domain.MemberID]int{}}
		r := &modelRun{model: newModel(), of: l, identity: &identity{of: l, service: "spotify", uid: "u0"}}
		r.model.identities = []*identity{r.identity}
		r.act = &act{of: l, who: r.identity, source: "http", id: "a0"}
		register(1)(r)
		for _, step := range c.steps {
			step(r)
		}
		got, err := r.model.recordedFor(r.act)
		if (err != nil) != c.wrong || err == nil && got != c.want || r.err != nil {
			t.Errorf("%s: %+v, %v, want %+v, wrong %v; the model says %v", name, got, err, c.want, c.wrong, r.err)
		}
	}
}

// modelRun is a model, and one request by an identity.
type modelRun struct {
	model     *model
	of        *label
	identity  *identity
	act       *act
	ownership ownership
	err       error
}

// TestMet holds the model to what the answer to a login may name, of an identity that changes hands while it is asked.
func TestMet(t *testing.T) {
	t.Parallel()
	start := func() (*model, *identity, *label) {
		m, l := newModel(), &label{visits: map[domain.MemberID]int{}}
		i := &identity{of: l, service: "spotify", uid: "u0"}
		m.identities = []*identity{i}
		if err := m.owned(i, 1); err != nil {
			t.Fatal(err)
		}
		op := m.begin(l, 2, 1, false)
		m.merges.now++
		op.ended = m.merges.now
		return m, i, l
	}
	erase := func(m *model, l *label) {
		m.erased[1] = &erasure{of: l}
		m.erasedNow(1, "")
	}

	m, i, l := start()
	if err := m.met(i, m.ownership(i), 2); err != nil || i.owner != 1 || l.visits[1] != 2 {
		t.Errorf("of the survivor: %v, owner %d, visits %v", err, i.owner, l.visits)
	}
	m.merges.mingled[4] = true
	if err := m.met(i, m.ownership(i), 4); err == nil {
		t.Error("another survivor was answered, and nothing is wrong")
	}

	m, i, l = start()
	s := m.ownership(i)
	erase(m, l)
	if err := m.met(i, s, 2); err != nil || i.owner != 0 || len(l.visits) != 0 || m.merges.visits[l] != 0 {
		t.Errorf("erased meanwhile: %v, owner %d, visits %v, perhaps %d", err, i.owner, l.visits, m.merges.visits[l])
	}

	m, i, l = start()
	s = m.ownership(i)
	erase(m, l)
	if err := m.owned(i, 3); err != nil {
		t.Fatal(err)
	}
	if err := m.met(i, s, 2); err != nil || i.owner != 3 || l.visits[3] != 1 || l.visits[2] != 0 {
		t.Errorf("registered again meanwhile: %v, owner %d, visits %v", err, i.owner, l.visits)
	}
	if err := m.met(i, m.ownership(i), 2); err == nil {
		t.Error("the survivor of who was erased before was answered, and nothing is wrong")
	}
}

// TestRecorded_ErasedBeforeTheAnswerIsOut records an action by an identity of a member who is merged into another. Before the
// answer is out the member is erased, and the identity is registered again, or not. The answer names the survivor: the
// action came before the erasure. The same action again is refused, or the new member's.
func TestRecorded_ErasedBeforeTheAnswerIsOut(t *testing.T) {
	t.Parallel()
	for _, again := range []bool{false, true} {
		synctest.Test(t, func(t *testing.T) {
			time.Sleep(time.Until(time.Date(2026, 3, 15, 12, 0, 0, 0, time.UTC)))
			w := newSimulation(1)
			w.fleet.size, w.merging.on, w.erasing.on = 1, true, true
			err := w.open()
			if err == nil {
				err = recordedThenErased(w, again)
			}
			if err != nil {
				w.wrong(err)
			}
			if w.close(); w.failed() != nil {
				t.Errorf("registered again %v: %v", again, w.failed())
			}
			time.Sleep(time.Minute) // timers of what was stopped run out
		})
	}
}

func recordedThenErased(w *simulation, again bool) error {
	m, l := w.model, w.model.labels[0]
	i, into := m.identities[0], m.identities[1].owner
	from := i.owner
	w.mergeThem(l, into, from, false)
	w.users.Wait()
	a := w.newAct("http")
	a.of, a.who, a.member, a.brand, a.definition = l, i, 0, l.brands[0], l.definitions[0]
	m.say(a)
	since := m.ownership(i)
	item, _, err := client.Do(context.Background(), w.engine.speaks(l.key), client.RecordActivity{Async: new(false), More: a.parameters()})
	if err != nil || memberOf(item.MemberID) != into {
		return fmt.Errorf("recorded for member %s, want %d: %w", item.MemberID, into, err)
	}
	m.erased[from] = &erasure{of: l}
	if err := w.erase(l, from, w.submitErasure(l, from, domain.RequestID{1})); err != nil {
		return err
	}
	if again {
		w.register(l, i)
		w.users.Wait()
	}
	a.answers = append(a.answers, m.answered(since, into))
	w.record(a, true)
	if err := w.drain(); err != nil {
		return err
	}
	if n := len(a.answers); again != (n == 2) || again && (i.owner == from || a.answers[1].member != i.owner) {
		return fmt.Errorf("the answers are %+v, the identity is member %d's", a.answers, i.owner)
	}
	if err := w.settleMerges(); err != nil {
		return err
	}
	return w.checkAll()
}

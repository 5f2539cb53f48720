package merge

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
)

// The model of what a stream shows over merges. It knows the places of rows and the steps of domain/merge.go, in the
// order of the outboxes, and nothing of the engine.
//
// The rule: a row is shown where it was recorded, unless the lender was handed over by then. Such a row is passed on,
// and shown where its copy is, unless the borrower is handed over by then itself: likewise on. Rows that were copied
// before the handover are never shown at the shadow. A row that was passed on is shown after the shadow's end too,
// whether it came before the end or after it.

// streamRule is what decides which rows are shown: the rule, or one without a part of it.
type streamRule int

const (
	streamPlaces    streamRule = iota // the rule
	streamCounted                     // what counts when it is read
	streamNoLate                      // a row that comes after the shadow's end has no sequence
	streamSwept                       // a shadow's rows are gone with its end
	streamAllLate                     // all that comes after the end is shown, copies too
	streamNoCopies                    // copies of before the handover are shown as well
	streamRuleCount                   // how many there are
)

var streamRuleNames = [streamRuleCount]string{"places", "counted", "no late rows", "swept", "all late rows", "copies shown"}

// ruleRow is a row in the log of a shard; its sequence is its index + 1.
type ruleRow struct {
	action int
	holder int       // whose ordinal, or whose shadow, has it
	loan   *ruleLoan // of a copy
	passed bool      // of a copy: it was recorded after the handover
	late   bool      // of a copy: it came after the shadow's end
}

// ruleLoan is one merge.
type ruleLoan struct {
	lender, borrower int
	copied           int // rows of the lender's shard up to here were sent
	lent             bool
	handedOver       int // the borrower's sequence at the handover; -1: not yet
	ended            bool
}

// ruleMember is a member.
type ruleMember struct {
	shard    int
	lent     *ruleLoan
	absorbed []*ruleLoan
	apart    [][2]int // sequences (from, to] of its shard at which it was handed over
	erased   bool
}

type ruleStep int

const (
	ruleAsk ruleStep = iota
	ruleRefused
	ruleRows
	ruleReturn
)

// ruleMessage is a step of a merge.
type ruleMessage struct {
	step    ruleStep
	loan    *ruleLoan
	actions []int
	passed  bool
	last    bool
}

// ruleAction is an action that was recorded.
type ruleAction struct {
	member int
	gone   bool // deleted, or its member is erased
}

// ruleReader is a reader with a cursor.
type ruleReader struct {
	cursor []int
	first  int // the first action that it must have
	got    [][]ruleRow
}

// ruleModel is one schedule.
type ruleModel struct {
	rule    streamRule
	rnd     *rand.Rand
	members []ruleMember
	logs    [][]ruleRow
	outbox  [][][]ruleMessage // by shard that sends and shard that receives
	actions []ruleAction
	readers []*ruleReader
	saw     map[string]int
}

const ruleShards = 3

func newRuleModel(rule streamRule, seed uint64, saw map[string]int) *ruleModel {
	m := &ruleModel{rule: rule, rnd: rand.New(rand.NewPCG(seed, 7)), logs: make([][]ruleRow, ruleShards), saw: saw}
	for range 5 {
		m.members = append(m.members, ruleMember{shard: m.rnd.IntN(ruleShards)})
	}
	for range ruleShards {
		m.outbox = append(m.outbox, make([][]ruleMessage, ruleShards))
	}
	m.join()
	return m
}

// join adds a reader that begins now.
func (m *ruleModel) join() {
	r := &ruleReader{first: len(m.actions), got: make([][]ruleRow, ruleShards)}
	for _, log := range m.logs {
		r.cursor = append(r.cursor, len(log))
	}
	m.readers = append(m.readers, r)
}

func (m *ruleModel) send(from, to int, msg ruleMessage) {
	m.outbox[m.members[from].shard][m.members[to].shard] = append(m.outbox[m.members[from].shard][m.members[to].shard], msg)
}

// store adds a row to a shard's log, and passes it on where its holder is handed over.
func (m *ruleModel) store(row ruleRow) {
	of := &m.members[row.holder]
	m.logs[of.shard] = append(m.logs[of.shard], row)
	if l := of.lent; l != nil && l.lent && !row.late {
		if row.loan != nil {
			m.saw["passed on twice"]++
		}
		m.send(row.holder, l.borrower, ruleMessage{
			step: ruleRows, loan: l, actions: []int{row.action}, passed: row.loan == nil || row.passed,
		})
	}
}

// merge asks for a merge of one member into another.
func (m *ruleModel) merge(borrower, lender int) {
	a := &m.members[borrower]
	if borrower == lender || a.erased || a.lent != nil ||
		slices.ContainsFunc(a.absorbed, func(l *ruleLoan) bool { return l.lender == lender }) {
		return
	}
	l := &ruleLoan{lender: lender, borrower: borrower, handedOver: -1}
	a.absorbed = append(a.absorbed, l)
	m.send(borrower, lender, ruleMessage{step: ruleAsk, loan: l})
}

// part takes the merge back, before its handover too.
func (m *ruleModel) part(l *ruleLoan) {
	if m.members[l.borrower].lent != nil {
		return
	}
	if l.handedOver < 0 {
		m.saw["parted early"]++
	} else {
		m.saw["parted"]++
	}
	m.end(l)
	m.send(l.borrower, l.lender, ruleMessage{step: ruleReturn, loan: l})
}

// end ends the borrower's part.
func (m *ruleModel) end(l *ruleLoan) {
	a := &m.members[l.borrower]
	l.ended = true
	a.absorbed = slices.DeleteFunc(a.absorbed, func(o *ruleLoan) bool { return o == l })
}

// copyRows has a lender send some rows, and with the last of them hand over.
func (m *ruleModel) copyRows(l *ruleLoan) {
	b := &m.members[l.lender]
	msg := ruleMessage{step: ruleRows, loan: l}
	log := m.logs[b.shard]
	for n := 1 + m.rnd.IntN(3); l.copied < len(log) && n > 0; l.copied++ {
		if r := &log[l.copied]; r.holder == l.lender && (r.loan == nil || !r.loan.ended) {
			msg.actions = append(msg.actions, r.action)
			n--
		}
	}
	if l.copied == len(log) {
		msg.last, l.lent = true, true
		b.apart = append(b.apart, [2]int{len(log), int(^uint(0) >> 1)})
	}
	m.send(l.lender, l.borrower, msg)
}

// deliver applies the first message from one shard to another.
func (m *ruleModel) deliver(from, to int) bool {
	queue := m.outbox[from][to]
	if len(queue) == 0 {
		return false
	}
	msg := queue[0]
	m.outbox[from][to] = queue[1:]
	l := msg.loan
	b := &m.members[l.lender]
	switch msg.step {
	case ruleAsk:
		if b.erased || b.lent != nil || slices.ContainsFunc(b.absorbed, func(l *ruleLoan) bool { return l.handedOver < 0 }) {
			m.send(l.lender, l.borrower, ruleMessage{step: ruleRefused, loan: l})
			return true
		}
		b.lent = l
	case ruleRefused:
		m.end(l)
	case ruleRows:
		m.borrow(&msg)
	case ruleReturn:
		if b.lent == l {
			b.lent = nil
			if l.lent {
				b.apart[len(b.apart)-1][1] = len(m.logs[b.shard])
			}
		}
	}
	return true
}

// borrow stores what a lender sends.
func (m *ruleModel) borrow(msg *ruleMessage) {
	l := msg.loan
	for _, a := range msg.actions {
		if l.ended && !msg.passed && m.rule != streamAllLate || l.ended && m.rule == streamNoLate {
			continue
		}
		if l.ended {
			m.saw["late"]++
		}
		m.store(ruleRow{action: a, holder: l.borrower, loan: l, passed: msg.passed, late: l.ended})
	}
	if msg.last && !l.ended {
		l.handedOver = len(m.logs[m.members[l.borrower].shard])
		m.saw["merged"]++
	}
}

// shows reports that the stream has a row of a shard.
func (m *ruleModel) shows(r *ruleRow, seq int) bool {
	of, l := &m.members[r.holder], r.loan
	if m.rule == streamCounted {
		return (of.lent == nil || !of.lent.lent) && (l == nil || l.handedOver >= 0 && !l.ended)
	}
	if l != nil {
		switch {
		case r.late:
			return true
		case m.rule == streamSwept && l.ended, m.rule != streamNoCopies && (l.handedOver < 0 || seq <= l.handedOver):
			return false
		}
	}
	return !slices.ContainsFunc(of.apart, func(apart [2]int) bool { return seq > apart[0] && seq <= apart[1] })
}

// read has a reader take some rows of a shard, or all.
func (m *ruleModel) read(r *ruleReader, shard int, all bool) {
	log := m.logs[shard]
	to := len(log)
	if !all {
		to = r.cursor[shard] + m.rnd.IntN(to-r.cursor[shard]+1)
	}
	for i := r.cursor[shard]; i < to; i++ {
		if row := &log[i]; !m.actions[row.action].gone && m.shows(row, i+1) {
			r.got[shard] = append(r.got[shard], *row)
		}
	}
	r.cursor[shard] = to
}

// step does one thing.
func (m *ruleModel) step() {
	one := m.rnd.IntN(len(m.members))
	of := &m.members[one]
	switch n := m.rnd.IntN(100); {
	case n < 30:
		if !of.erased {
			m.actions = append(m.actions, ruleAction{member: one})
			m.store(ruleRow{action: len(m.actions) - 1, holder: one})
		}
	case n < 38:
		m.merge(one, m.rnd.IntN(len(m.members)))
	case n < 40:
		if len(of.absorbed) > 0 {
			l := of.absorbed[m.rnd.IntN(len(of.absorbed))]
			if l.handedOver >= 0 || m.rnd.IntN(8) == 0 {
				m.part(l)
			}
		}
	case n < 54:
		if l := of.lent; l != nil && !l.lent {
			m.copyRows(l)
		}
	case n < 80:
		for range 2 {
			m.deliver(m.rnd.IntN(ruleShards), m.rnd.IntN(ruleShards))
		}
	case n < 82:
		if len(m.actions) > 0 {
			m.actions[m.rnd.IntN(len(m.actions))].gone = true
			m.saw["deleted"]++
		}
	case n < 83:
		if m.rnd.IntN(4) == 0 && !of.erased {
			of.erased = true
			for i := range m.actions {
				m.actions[i].gone = m.actions[i].gone || m.actions[i].member == one
			}
			m.saw["erased"]++
		}
	case n < 85:
		m.join()
	default:
		m.read(m.readers[m.rnd.IntN(len(m.readers))], m.rnd.IntN(ruleShards), false)
	}
}

// run does so many things, and gives what is wrong with what readers have once all is delivered and read.
func (m *ruleModel) run(steps int) error {
	for range steps {
		m.step()
	}
	for again := true; again; {
		again = false
		for i := range m.members {
			if l := m.members[i].lent; l != nil && !l.lent {
				m.copyRows(l)
				again = true
			}
		}
		for from := range ruleShards {
			for to := range ruleShards {
				again = m.deliver(from, to) || again
			}
		}
	}
	for n, r := range m.readers {
		times := make([]int, len(m.actions))
		for shard := range ruleShards {
			m.read(r, shard, true)
			type place struct {
				member int
				loan   *ruleLoan
			}
			before, newest := map[place]int{}, map[int]int{}
			for _, row := range r.got[shard] {
				a := row.action
				times[a]++
				of := place{m.actions[a].member, row.loan}
				if before[of] > a {
					return fmt.Errorf("reader %d, shard %d: action %d of member %d after %d", n, shard, a, of.member, before[of])
				}
				if newest[of.member] > a {
					m.saw["late ones after newer ones"]++
				}
				before[of], newest[of.member] = a, max(newest[of.member], a)
			}
		}
		for a, got := range times {
			if got > 1 || got == 0 && a >= r.first && !m.actions[a].gone {
				return fmt.Errorf("reader %d has action %d of member %d %d times", n, a, m.actions[a].member, got)
			}
		}
	}
	return nil
}

// Over merges, partings, merges of merges, deletions and erasures, in whichever order steps are delivered, each
// reader has each stored action once, however far behind it is. Those of a member that one shard shows at one place,
// at home or of one merge, are in order. Of two places they need not be: what was passed on before a parting may come
// after what was recorded since. Each rule that lacks a part of it is told apart.
func TestStreamRule(t *testing.T) {
	seed, n := rand.Uint64(), streamSchedules
	if *historySeed != 0 {
		seed = *historySeed
	}
	t.Logf("-seed %d", seed)
	for rule := range streamRuleCount {
		saw, wrong := map[string]int{}, 0
		for i := range uint64(n) {
			if err := newRuleModel(rule, seed+i, saw).run(400); err != nil {
				if wrong++; rule == streamPlaces {
					t.Fatalf("the schedule of -seed %d: %v", seed+i, err)
				}
			}
		}
		t.Logf("%s: wrong in %d of %d schedules, which had %v", streamRuleNames[rule], wrong, n, saw)
		if rule != streamPlaces && wrong == 0 {
			t.Errorf("%s: no schedule tells it from the rule", streamRuleNames[rule])
		}
		for _, what := range []string{"merged", "parted", "parted early", "passed on twice", "late", "deleted", "erased", "late ones after newer ones"} {
			if saw[what] == 0 && rule == streamPlaces {
				t.Errorf("%s: no schedule had one that is %s", streamRuleNames[rule], what)
			}
		}
	}
}

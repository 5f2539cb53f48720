package delivery

import (
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/ovation-analytics/ovation/actors/domain"
)

// model is a shard's stream, a receiver that notes what it gets, and a queue between them that is killed at any step.
// It knows of the queue's doing only what the receiver sees.
type model struct {
	*testing.T
	*rand.Rand
	seed uint64

	now     time.Time
	stream  []Event
	batch   int
	ill     map[domain.MemberID]bool // whose events the receiver refuses
	queue   *Queue
	saved   State
	flying  []*Message
	got     []Event
	givenUp []Event
	ids     map[domain.MessageID][]Event
}

func newModel(t *testing.T, seed uint64) *model {
	m := &model{
		T: t, Rand: rand.New(rand.NewPCG(seed, 1)), seed: seed, now: time.Unix(1_800_000_000, 0),
		ill: map[domain.MemberID]bool{}, ids: map[domain.MessageID][]Event{},
	}
	m.batch = []int{1, 1, 2, 5}[m.IntN(4)]
	m.restart()
	return m
}

func (m *model) fail(format string, args ...any) {
	m.Helper()
	m.Fatalf("seed %d: "+format, append([]any{m.seed}, args...)...)
}

func (m *model) restart() { m.queue = NewQueue(Place{7, 3}, m.batch, m.saved) }

// commit has something happen in the shard: actions, removals of actions that were, erasures.
func (m *model) commit() {
	for range 1 + m.IntN(3) {
		e := Event{Sequence: uint64(len(m.stream)) + 1, Kind: domain.EventActivity, Member: domain.MemberID(1 + m.IntN(4))}
		e.Action = domain.ActionID(e.Sequence)
		switch m.IntN(10) {
		case 0:
			e.Kind, e.Action = domain.EventErased, 0
		case 1:
			if n := len(m.stream); n > 0 {
				if of := m.stream[m.IntN(n)]; of.Kind == domain.EventActivity {
					e.Kind, e.Member, e.Action = domain.EventRemoved, of.Member, of.Action
					if m.IntN(4) == 0 { // of a copy
						e.Member = domain.MemberID(1 + m.IntN(4))
					}
				}
			}
		}
		m.stream = append(m.stream, e)
	}
}

func (m *model) take() {
	from := m.queue.Through()
	if m.IntN(10) == 0 { // a page that begins before what was taken
		from = uint64(m.IntN(int(from) + 1))
	}
	page := m.stream[from:]
	page = page[:min(len(page), 1+m.IntN(5), m.queue.Room())]
	m.queue.Take(page, from+uint64(len(page)))
}

func (m *model) send() {
	msg := m.queue.Next(m.now)
	if msg == nil {
		return
	}
	for _, other := range m.flying {
		for _, a := range msg.Events {
			for _, b := range other.Events {
				if a.Member != 0 && a.Member == b.Member || a.Action != 0 && a.Action == b.Action {
					m.fail("%+v and %+v are on their way at once", a, b)
				}
			}
		}
	}
	if before, ok := m.ids[msg.ID]; ok && !slices.Equal(before, msg.Events) {
		m.fail("%s is of %v and of %v", msg.ID, before, msg.Events)
	}
	m.ids[msg.ID] = slices.Clone(msg.Events)
	m.flying = append(m.flying, msg)
}

// answer has a try on its way end: taken, refused, or taken and the answer lost.
func (m *model) answer() {
	if len(m.flying) == 0 {
		return
	}
	i := m.IntN(len(m.flying))
	msg := m.flying[i]
	m.flying = slices.Delete(m.flying, i, i+1)
	refused := slices.ContainsFunc(msg.Events, func(e Event) bool { return m.ill[e.Member] }) || m.IntN(8) == 0
	if !refused {
		m.got = append(m.got, msg.Events...)
	}
	if !refused && m.IntN(8) != 0 {
		m.queue.Delivered(msg)
	} else if m.queue.Failed(msg, m.now, "status", m.Float64()) {
		m.givenUp = append(m.givenUp, msg.Events...)
	}
}

// kill ends the process. What was on its way may have arrived.
func (m *model) kill() {
	for _, msg := range m.flying {
		ill := slices.ContainsFunc(msg.Events, func(e Event) bool { return m.ill[e.Member] })
		if !ill && m.IntN(2) == 0 {
			m.got = append(m.got, msg.Events...)
		}
	}
	m.flying = nil
	m.restart()
}

func (m *model) step() {
	switch m.IntN(12) {
	case 0, 1:
		m.commit()
	case 2, 3:
		m.take()
	case 4, 5, 6:
		m.send()
	case 7, 8, 9:
		m.answer()
	case 10:
		m.now = m.now.Add(time.Duration(m.Int64N(int64([]time.Duration{time.Second, time.Minute, 10 * time.Hour}[m.IntN(3)]))))
		if m.IntN(4) == 0 {
			who := domain.MemberID(1 + m.IntN(4))
			m.ill[who] = !m.ill[who]
		}
		m.saved = m.queue.State()
		if m.IntN(10) == 0 {
			m.queue.Rewind(uint64(m.IntN(len(m.stream) + 1)))
		}
	case 11:
		m.kill()
	}
	if p := m.queue.Pending(); p > MaxPending || p != len(m.queue.held)+eventsOf(m.queue.messages) {
		m.fail("%d events are pending, which are %d held and %d in messages", p, len(m.queue.held), eventsOf(m.queue.messages))
	}
}

func eventsOf(messages []*Message) (n int) {
	for _, m := range messages {
		n += len(m.Events)
	}
	return n
}

// drain lets time pass until nothing is pending. Of every third schedule a member's events are refused for ever.
func (m *model) drain() {
	clear(m.ill)
	m.ill[1] = m.seed%3 == 0
	for range 100_000 {
		if int(m.queue.Through()) == len(m.stream) && m.queue.Pending() == 0 {
			return
		}
		m.take()
		m.send()
		m.answer()
		if due := m.queue.Due(); due.After(m.now) && len(m.flying) == 0 {
			m.now = due
		}
	}
	m.fail("%d of %d taken, %d pending: nothing moves", m.queue.Through(), len(m.stream), m.queue.Pending())
}

// check compares what the receiver got with what happened.
func (m *model) check() {
	last := map[domain.MemberID]uint64{}
	seen := map[Event]bool{}
	for _, e := range m.got {
		if seen[e] {
			continue
		}
		seen[e] = true
		if e.Member == 0 {
			continue
		}
		if e.Sequence < last[e.Member] && !slices.Contains(m.givenUp, e) {
			m.fail("of member %d came %d first after %d", e.Member, e.Sequence, last[e.Member])
		}
		last[e.Member] = max(last[e.Member], e.Sequence)
	}
	for _, e := range m.stream {
		if !seen[e] && !slices.Contains(m.givenUp, e) {
			m.fail("%+v never came and is not listed as given up", e)
		}
	}
	for _, e := range m.got {
		if e.Kind != domain.EventRemoved {
			continue
		}
		of := slices.IndexFunc(m.got, func(a Event) bool { return a.Kind == domain.EventActivity && a.Action == e.Action })
		if at := slices.Index(m.got, e); of > at {
			m.fail("action %d was removed before it came", e.Action)
		}
	}
}

// TestQueue_Model: over random schedules with kills at any step, lost answers, back-off and receivers that refuse a
// member for hours, each event comes at least once or is given up, first in order by member, and an id is of the
// same events always.
func TestQueue_Model(t *testing.T) {
	first := rand.Uint64()
	t.Logf("seeds from %d", first)
	given, repeats, batches := 0, 0, 0
	for i := range uint64(schedules) {
		m := newModel(t, first+i)
		for range 60 {
			m.step()
		}
		m.drain()
		m.check()
		given += len(m.givenUp)
		repeats += len(m.got) - len(m.stream)
		for _, events := range m.ids {
			if len(events) > 1 {
				batches++
			}
		}
	}
	t.Logf("%d repeats, %d given up, %d batches", repeats, given, batches)
	if repeats <= 0 || given == 0 || batches == 0 {
		t.Error("the schedules try too little")
	}
}

package client

import (
	"math/rand/v2"
	"slices"
	"testing"
	"time"
)

// start is when the clocks of these tests begin.
var start = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)

// askNext sends a request at a time and gives the address.
func askNext(t *testing.T, p *pass, at time.Duration) int {
	t.Helper()
	i, ok := p.next(start.Add(at))
	if !ok {
		t.Fatal("no address is left")
	}
	return i
}

// overtake has a read at a time be late at an address and answered by another.
func overtake(t *testing.T, a *addresses, at time.Duration, address, by int) {
	t.Helper()
	p := a.begin(true)
	defer p.end()
	if i := askNext(t, p, at); i != address {
		t.Fatalf("asked is %d, not %d", i, address)
	}
	if i, ok := p.hedge(start.Add(at + inTime)); !ok || i != by {
		t.Fatalf("hedged by %d (%t), not %d", i, ok, by)
	}
	p.answered(by, start.Add(at+inTime+time.Millisecond))
}

// reads has so many reads be answered in time, for the budget, by the address asked.
func reads(t *testing.T, a *addresses, at time.Duration, n int) {
	t.Helper()
	for range n {
		p := a.begin(true)
		p.answered(askNext(t, p, at), start.Add(at+time.Millisecond))
		p.end()
	}
}

// first is the address that a request at a time asks first, which it gives up.
func first(t *testing.T, a *addresses, at time.Duration) int {
	t.Helper()
	p := a.begin(false)
	defer p.end()
	return askNext(t, p, at)
}

// An address that was overtaken twice is asked last for ten seconds, then by one probe.
func TestAddresses_Overtaken(t *testing.T) {
	a := newAddresses(3, 1)
	reads(t, a, 0, 30)
	overtake(t, a, 0, 1, 2)
	if i := first(t, a, time.Second); i != 1 {
		t.Fatalf("overtaken once, address %d is asked first", i)
	}
	overtake(t, a, time.Second, 1, 2)
	rested := time.Second + inTime + time.Millisecond + restFor
	for _, at := range []time.Duration{2 * time.Second, rested - 1} {
		p := a.begin(true)
		if order := []int{askNext(t, p, at), askNext(t, p, at), askNext(t, p, at)}; !slices.Equal(order, []int{2, 0, 1}) {
			t.Errorf("while 1 rests the order is %v", order)
		}
		if i, ok := p.next(start.Add(at)); ok {
			t.Errorf("%d is asked twice", i)
		}
		p.end()
	}

	probe := a.begin(true)
	if i := askNext(t, probe, rested); i != 1 {
		t.Fatalf("the probe asks %d", i)
	}
	if i := first(t, a, rested); i != 2 {
		t.Errorf("beside the probe %d is asked first", i)
	}
	probe.answered(1, start.Add(rested+inTime-1))
	if i := first(t, a, rested+inTime); i != 1 {
		t.Errorf("after an answer in time %d is asked first", i)
	}
}

// A probe that fails, is late or is overtaken begins the rest again; one that the caller gives up says nothing.
func TestAddresses_Probe(t *testing.T) {
	for name, test := range map[string]struct {
		do    func(p *pass, now time.Time)
		rests bool
	}{
		"fails at once":   {func(p *pass, now time.Time) { p.failed(0, now) }, true},
		"answers late":    {func(p *pass, now time.Time) { p.answered(0, now.Add(inTime)) }, true},
		"answers in time": {func(p *pass, now time.Time) { p.answered(0, now.Add(inTime-1)) }, false},
		"given up":        {func(*pass, time.Time) {}, false},
		"overtaken": {func(p *pass, now time.Time) {
			i, _ := p.hedge(now.Add(inTime))
			p.answered(i, now.Add(inTime))
		}, true},
	} {
		a := newAddresses(2, 0)
		reads(t, a, 0, 30)
		overtake(t, a, 0, 0, 1)
		overtake(t, a, 0, 0, 1)
		at := time.Minute
		p := a.begin(true)
		if i := askNext(t, p, at); i != 0 {
			t.Fatalf("%s: the probe asks %d", name, i)
		}
		test.do(p, start.Add(at))
		p.end()
		if rests := first(t, a, at+time.Second) == 1; rests != test.rests {
			t.Errorf("%s: the address rests: %t", name, rests)
		}
		if i := first(t, a, at+restFor+time.Second); i != 0 {
			t.Errorf("%s: %d is asked first ten seconds later", name, i)
		}
	}
}

// A connection that breaks at once costs little: the address keeps its place, as after an answer in time.
func TestAddresses_EarlyFailures(t *testing.T) {
	a := newAddresses(2, 0)
	for i := range 10 {
		p := a.begin(true)
		at := time.Duration(i) * time.Second
		if i := askNext(t, p, at); i != 0 {
			t.Fatalf("asked is %d", i)
		}
		p.failed(0, start.Add(at+inTime-1))
		p.end()
	}
}

// While every address is slow at most a tenth of the reads, rounded up, and one more are asked of two.
func TestAddresses_Budget(t *testing.T) {
	a := newAddresses(3, 0)
	hedged := 0
	for n := 1; n <= 1000; n++ {
		p := a.begin(true)
		at := time.Duration(n) * time.Second
		askNext(t, p, at)
		for range 5 {
			if _, ok := p.hedge(start.Add(at + inTime)); ok {
				hedged++
			}
		}
		p.end()
		if maxHedged := 1 + (n+perHedge-1)/perHedge; hedged != maxHedged {
			t.Fatalf("%d of %d reads are asked of two, not %d", hedged, n, maxHedged)
		}
	}
	reads(t, a, time.Hour, 100*maxHedges*perHedge)
	hedged = 0
	for p := a.begin(false); ; p = a.begin(false) {
		askNext(t, p, 2*time.Hour)
		if _, ok := p.hedge(start.Add(2 * time.Hour)); !ok {
			break
		}
		hedged++
	}
	if hedged != maxHedges {
		t.Errorf("%d are saved up, not %d", hedged, maxHedges)
	}
}

// When the budget is spent, a read whose address hangs is asked of the next one after a second; once that has happened twice the
// address is asked last. The credit is bounded and paid back.
func TestAddresses_Credit(t *testing.T) {
	a := newAddresses(3, 0)
	hedges := func(at, late time.Duration) (n int) { // as many as are allowed
		for ; ; n++ {
			p := a.begin(false)
			askNext(t, p, at)
			_, ok := p.hedge(start.Add(at + late))
			p.end()
			if !ok {
				return n
			}
		}
	}
	hedges(0, inTime)
	for n := range maxOvertaken {
		p := a.begin(false)
		at := time.Duration(n) * time.Minute
		if i := askNext(t, p, at); i != 0 {
			t.Fatalf("asked is %d", i)
		}
		if i, ok := p.hedge(start.Add(at + overdue - 1)); ok {
			t.Fatalf("%d is asked before the first is overdue", i)
		}
		if i, ok := p.hedge(start.Add(at + overdue)); !ok || i != 1 {
			t.Fatalf("%d (%t) is asked once the first is overdue", i, ok)
		}
		if i, ok := p.hedge(start.Add(at + overdue + inTime)); ok {
			t.Fatalf("%d is asked before the second is overdue", i)
		}
		p.answered(1, start.Add(at+overdue+1))
		p.end()
	}
	later := time.Minute + 2*time.Second
	if i := first(t, a, later); i != 1 {
		t.Errorf("%d is asked first, and 0 hangs", i)
	}
	if n, want := hedges(later, overdue), 3*maxOvertaken-maxOvertaken; n != want {
		t.Errorf("%d more are asked of two, not %d", n, want)
	}
	reads(t, a, later, perHedge)
	if n := hedges(later, overdue); n != 1 {
		t.Errorf("after %d reads in time %d are asked of two", perHedge, n)
	}
}

// Requests that wait for an address when it begins to rest go on to one that is well, with the budget spent too; where none
// has answered in time since, they stay.
func TestAddresses_Stranded(t *testing.T) {
	a := newAddresses(3, 0)
	var waiting []*pass
	for n := range 5 {
		p := a.begin(n > 0) // the first is a command
		askNext(t, p, 0)
		waiting = append(waiting, p)
	}
	for range maxOvertaken { // by answers that are late too
		p := a.begin(true)
		askNext(t, p, 0)
		p.hedge(start.Add(inTime))
		p.answered(1, start.Add(2*inTime))
		p.end()
	}
	a.saved = -1000
	now := start.Add(2 * time.Second)
	for _, p := range waiting {
		if i, ok := p.move(now); ok {
			t.Fatalf("moved to %d, which was not in time", i)
		}
	}
	reads(t, a, 2*time.Second, 1)
	for n, p := range waiting {
		ask := p.move
		if n > 0 {
			ask = p.hedge
		}
		if i, ok := ask(now); !ok || i != 1 {
			t.Errorf("request %d goes on to %d (%t)", n, i, ok)
		}
		if i, ok := ask(now); ok {
			t.Errorf("request %d goes on to %d too", n, i)
		}
	}
}

// Random schedules choose as the history does, which looks through all that ever happened.
func TestAddresses_Model(t *testing.T) {
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	draw := rand.New(rand.NewPCG(seed, 0))
	for range 400 {
		n := 1 + draw.IntN(4)
		first := draw.IntN(n)
		s := &schedule{T: t, now: start, a: newAddresses(n, first), h: &history{n: n, first: first}}
		for range 120 {
			s.step(draw)
		}
	}
}

// schedule does the same with addresses and with their history.
type schedule struct {
	*testing.T
	now    time.Time
	a      *addresses
	h      *history
	passes []*pass // by request
}

// step is a random one.
func (s *schedule) step(draw *rand.Rand) {
	switch draw.IntN(12) {
	case 0:
		s.now = s.now.Add([]time.Duration{inTime - 1, inTime, time.Second, 3 * time.Second, 7 * time.Second}[draw.IntN(5)])
		return
	case 1, 2:
		s.begin(draw.IntN(4) > 0)
		return
	case 3: // for the budget
		for range perHedge {
			s.end(s.begin(true))
		}
		return
	case 4, 5: // one is overtaken
		r := s.begin(true)
		s.choose(r, false)
		s.now = s.now.Add(inTime)
		if by := s.choose(r, true); by >= 0 {
			s.answered(r, by)
		}
		s.end(r)
		return
	}
	if len(s.passes) == 0 {
		return
	}
	r := len(s.passes) - 1 - draw.IntN(min(len(s.passes), 4))
	i := draw.IntN(s.h.n)
	switch do := draw.IntN(8); {
	case do == 0:
		s.end(r)
	case do < 5:
		s.choose(r, do == 1)
	case !s.h.under(r, i):
	case do < 7:
		s.passes[r].failed(i, s.now)
		s.h.fault(r, i, s.now)
	default:
		s.answered(r, i)
	}
}

func (s *schedule) begin(read bool) (request int) {
	request = len(s.passes)
	s.passes = append(s.passes, s.a.begin(read))
	s.h.note(event{kind: "begun", request: request, read: read})
	return request
}

func (s *schedule) choose(request int, hedge bool) (address int) {
	ask := s.passes[request].next
	if hedge {
		ask = s.passes[request].hedge
		if at, ok := s.passes[request].move(s.now); ok != s.h.stranded(request, s.now) {
			s.Fatalf("request %d moves to %d: %t", request, at, ok)
		} else if ok {
			ask = func(time.Time) (int, bool) { return at, ok }
		}
	}
	want := s.h.choose(request, s.now, hedge)
	if got, ok := ask(s.now); ok != (want >= 0) || ok && got != want {
		s.Fatalf("request %d asks %d (%t), not %d", request, got, ok, want)
	}
	return want
}

func (s *schedule) answered(request, address int) {
	s.passes[request].answered(address, s.now)
	s.h.answered(request, address, s.now)
}

func (s *schedule) end(request int) {
	s.passes[request].end()
	s.h.note(event{kind: "ended", request: request})
}

// history is what happened at n addresses, of which one is asked first.
type history struct {
	n, first int
	events   []event
}

// event is one of: begun, asked, in time, late (a fault), over (otherwise), ended.
type event struct {
	kind             string
	request, address int
	at               time.Time
	read, hedge      bool // of begun; of asked
	probe            bool // of asked; of what follows it
}

func (h *history) note(e event) { h.events = append(h.events, e) }

// asked is when and how a request asked an address.
func (h *history) asked(request, address int) (e event, ok bool) {
	for _, e := range h.events {
		if e.kind == "asked" && e.request == request && e.address == address {
			return e, true
		}
	}
	return e, false
}

// under reports that a request waits for an address.
func (h *history) under(request, address int) (under bool) {
	for _, e := range h.events {
		switch {
		case e.request != request || e.kind == "begun":
		case e.kind == "ended":
			under = false
		case e.address == address:
			under = e.kind == "asked"
		}
	}
	return under
}

// health is how often an address was overtaken since its last answer in time, and until when it rests.
func (h *history) health(address int) (overtaken int, rests time.Time) {
	for _, e := range h.events {
		if e.address != address || e.kind == "begun" || e.kind == "asked" || e.kind == "ended" {
			continue
		}
		if e.kind == "in time" {
			overtaken, rests = 0, time.Time{}
			continue
		}
		if e.kind == "late" {
			overtaken++
		}
		if e.probe || e.kind == "late" && overtaken >= 2 {
			rests = e.at.Add(10 * time.Second)
		}
	}
	return overtaken, rests
}

// choose is the address that a request has to ask; below 0: none.
func (h *history) choose(request int, now time.Time, hedge bool) int {
	reads, hedges := 0, 0
	for _, e := range h.events {
		switch {
		case e.kind == "begun" && e.read:
			reads++
		case e.kind == "asked" && e.hedge:
			hedges++
		}
	}
	free, credit := h.stranded(request, now), 0
	var last time.Time
	for i := range h.n {
		e, _ := h.asked(request, i)
		free = free || e.probe && h.under(request, i)
		if e.at.After(last) {
			last = e.at
		}
	}
	if now.Sub(last) >= time.Second {
		credit = 2 * h.n
	}
	if hedge && !free && hedges >= 1+credit+(reads+9)/10 {
		return -1
	}
	chosen, asks := -1, event{kind: "asked", request: request, at: now, hedge: hedge && !free}
	for k := range h.n {
		i := (h.first + k) % h.n
		if _, before := h.asked(request, i); before {
			continue
		}
		_, rests := h.health(i)
		due := !rests.IsZero() && !now.Before(rests) && !h.probed(i)
		if rests.IsZero() || due {
			chosen, asks.probe = i, due
			break
		}
		if chosen < 0 {
			chosen = i
		}
	}
	if asks.address = chosen; chosen >= 0 {
		h.note(asks)
	}
	return chosen
}

// stranded reports that a request waits for addresses that all rest, and another one is well.
func (h *history) stranded(request int, now time.Time) bool {
	var since time.Time
	for i := range h.n {
		if !h.under(request, i) {
			continue
		}
		_, rests := h.health(i)
		if !now.Before(rests) {
			return false
		}
		if begun := rests.Add(-10 * time.Second); begun.After(since) {
			since = begun
		}
	}
	if since.IsZero() {
		return false
	}
	return slices.ContainsFunc(h.events, func(e event) bool {
		if e.kind != "in time" || e.at.Before(since) {
			return false
		}
		_, asked := h.asked(request, e.address)
		_, rests := h.health(e.address)
		return !asked && rests.IsZero()
	})
}

// probed reports that a probe of an address is under way.
func (h *history) probed(address int) bool {
	return slices.ContainsFunc(h.events, func(e event) bool {
		return e.kind == "asked" && e.address == address && e.probe && h.under(e.request, address)
	})
}

func (h *history) answered(request, address int, now time.Time) {
	e, _ := h.asked(request, address)
	kind := "over"
	if now.Sub(e.at) < 250*time.Millisecond {
		kind = "in time"
	}
	h.note(event{kind: kind, request: request, address: address, at: now, probe: e.probe})
	for i := range h.n {
		if h.under(request, i) {
			h.fault(request, i, now)
		}
	}
}

func (h *history) fault(request, address int, now time.Time) {
	e, _ := h.asked(request, address)
	kind := "over"
	if now.Sub(e.at) >= 250*time.Millisecond {
		kind = "late"
	}
	h.note(event{kind: kind, request: request, address: address, at: now, probe: e.probe})
}

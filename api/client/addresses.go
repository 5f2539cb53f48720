package client

import (
	"slices"
	"sync"
	"time"
)

const (
	// inTime is how long a read waits for its answer before the next address is asked too.
	inTime = 250 * time.Millisecond
	// perHedge is how many reads give one that may be asked of two addresses.
	perHedge = 10
	// maxHedges is how many such reads may be saved up while answers are in time.
	maxHedges = 100
	// overdue is how long a read waits for the address asked last before it may be asked of the next one on credit.
	overdue = time.Second
	// maxOvertaken is how often the next address answers first before an address is asked last.
	maxOvertaken = 2
	// restFor is how long such an address is asked last.
	restFor = 10 * time.Second
)

// addresses choose which address of an installation a request is sent to. They know no HTTP and no
// clock: times are given, answers and failures are reported. Any goroutine may use them.
//
// The first is asked while it is well. An address that was overtaken maxOvertaken times, with no answer in time in
// between, rests: it is asked last for restFor. Then one request at a time, the probe, asks it in
// its place again. An answer in time ends the rest, a failed or late probe begins it again.
//
// Of the reads at most one in perHedge is asked of two addresses, and one more; probes are not counted, which are few.
// Where slow reads have spent that, a read whose address is overdue may be asked of the next one on credit, so that it does not
// wait for an address that hangs. The credit is maxOvertaken hedges for each address, after which an address that hangs rests;
// later reads pay it back.
//
// A request that waits for an address which has begun to rest meanwhile goes on to one that has answered in time since: that
// costs nothing. Where every address is slow there is none.
type addresses struct {
	mu     sync.Mutex
	health []health
	first  int // asked first; the others follow in their order
	saved  int // reads counted for the next hedges; below zero: on credit
}

// health is what is known of an address.
type health struct {
	overtaken int       // since its last answer in time
	rests     time.Time // until then it is asked last; zero: it does not rest
	probed    bool      // a probe is under way
	inTime    time.Time // when it last answered in time
}

func newAddresses(n, first int) *addresses {
	// Two at once, so that even the first reads find out that an address hangs; then one in perHedge.
	return &addresses{health: make([]health, n), first: first, saved: maxOvertaken*perHedge - 1}
}

// begin begins a request.
func (a *addresses) begin(read bool) *pass {
	a.mu.Lock()
	defer a.mu.Unlock()
	if read {
		a.saved = min(a.saved+1, maxHedges*perHedge)
	}
	return &pass{of: a, tries: make([]try, len(a.health))}
}

// pass is one request on its way over the addresses, each of which it asks once at most. It belongs to
// one goroutine.
type pass struct {
	of    *addresses
	tries []try // by address
}

// try is what a request made of an address.
type try struct {
	begun        time.Time // zero: it was not asked
	under, probe bool      // under way; as the probe
}

// next gives the address to ask now; none is left where ok is false.
func (p *pass) next(now time.Time) (address int, ok bool) {
	p.of.mu.Lock()
	defer p.of.mu.Unlock()
	return p.choose(now)
}

// hedge gives the address to ask besides the one that is late, if there is one and the budget, or the credit, allows it.
func (p *pass) hedge(now time.Time) (address int, ok bool) {
	p.of.mu.Lock()
	defer p.of.mu.Unlock()
	if p.stranded(now) || slices.ContainsFunc(p.tries, func(t try) bool { return t.under && t.probe }) {
		return p.choose(now)
	}
	if p.of.saved+p.credit(now) < perHedge {
		return 0, false
	}
	if address, ok = p.choose(now); ok {
		p.of.saved -= perHedge
	}
	return address, ok
}

// move gives the address to ask besides one that rests, of any request.
func (p *pass) move(now time.Time) (address int, ok bool) {
	p.of.mu.Lock()
	defer p.of.mu.Unlock()
	if !p.stranded(now) {
		return 0, false
	}
	return p.choose(now)
}

// stranded reports that all addresses that the request waits for rest, and that one which it has not asked is well: it has
// answered in time since they rest.
func (p *pass) stranded(now time.Time) bool {
	var begun time.Time // of the latest rest
	for i, t := range p.tries {
		rests := p.of.health[i].rests
		switch {
		case !t.under:
		case !now.Before(rests):
			return false
		case rests.Add(-restFor).After(begun):
			begun = rests.Add(-restFor)
		}
	}
	for i, t := range p.tries {
		if h := &p.of.health[i]; t.begun.IsZero() && h.rests.IsZero() && !begun.IsZero() && !h.inTime.Before(begun) {
			return true
		}
	}
	return false
}

// credit is how many reads may be missing for a hedge: none before the address asked last is overdue.
func (p *pass) credit(now time.Time) int {
	for _, t := range p.tries {
		if now.Sub(t.begun) < overdue {
			return 0
		}
	}
	return len(p.tries) * maxOvertaken * perHedge
}

func (p *pass) choose(now time.Time) (address int, ok bool) {
	n := len(p.tries)
	last := -1
	for k := range n {
		i := (p.of.first + k) % n
		h := &p.of.health[i]
		switch {
		case !p.tries[i].begun.IsZero():
		case h.rests.IsZero():
			p.tries[i] = try{begun: now, under: true}
			return i, true
		case !now.Before(h.rests) && !h.probed:
			h.probed = true
			p.tries[i] = try{begun: now, under: true, probe: true}
			return i, true
		case last < 0:
			last = i
		}
	}
	if last < 0 {
		return 0, false
	}
	p.tries[last] = try{begun: now, under: true}
	return last, true
}

// answered reports that an address has answered: what is still under way is overtaken.
func (p *pass) answered(address int, now time.Time) {
	p.of.mu.Lock()
	defer p.of.mu.Unlock()
	if h := &p.of.health[address]; now.Sub(p.tries[address].begun) < inTime {
		h.overtaken, h.rests, h.inTime = 0, time.Time{}, now
	} else if p.tries[address].probe {
		h.rests = now.Add(restFor)
	}
	p.finish(address)
	for i := range p.tries {
		if p.tries[i].under {
			p.fault(i, now)
		}
	}
}

// failed reports that an address gave no answer.
func (p *pass) failed(address int, now time.Time) {
	p.of.mu.Lock()
	defer p.of.mu.Unlock()
	p.fault(address, now)
}

// fault ends a try that came to nothing; an early failure is soon repeated at no cost and is not held against the address.
func (p *pass) fault(address int, now time.Time) {
	t, h := &p.tries[address], &p.of.health[address]
	late := now.Sub(t.begun) >= inTime
	if late {
		h.overtaken++
	}
	if t.probe || late && h.overtaken >= maxOvertaken {
		h.rests = now.Add(restFor)
	}
	p.finish(address)
}

// end ends the request, whatever is under way: of that nothing is known.
func (p *pass) end() {
	p.of.mu.Lock()
	defer p.of.mu.Unlock()
	for i := range p.tries {
		p.finish(i)
	}
}

func (p *pass) finish(address int) {
	if t := &p.tries[address]; t.under {
		t.under = false
		if t.probe {
			p.of.health[address].probed = false
		}
	}
}

package audience

import (
	"fmt"
	"slices"
	"time"
)

// Live makes what is done now: who is awake does it. It belongs to one goroutine.
type Live struct {
	a       *Audience
	slot    int // of which crowd is; −1: none
	present weights
}

// Live is a source of what is done from now on.
func (a *Audience) Live() *Live { return &Live{a: a, slot: -1} }

// At is n things done in the second of t: the same ones whenever it is asked. Their
// ids are not those of the history.
func (l *Live) At(t time.Time, n int) []Action {
	t = t.UTC().Truncate(time.Second)
	since := t.Sub(l.a.start)
	if since < 0 || n <= 0 {
		return nil
	}
	d := int(since / day)
	l.gather(d, int(since/slotTime))
	if l.present.sum() == 0 {
		return nil
	}
	p := &page{
		a: l.a, d: d, r: l.a.chance.stream(ofSecond, int(since/time.Second)), present: l.present, fresh: map[int]weights{},
	}
	out := make([]Action, 0, n)
	for len(out) < n {
		action, ok := p.single(t)
		if !ok {
			continue
		}
		action.ID = fmt.Sprintf("%x-live-%d-%d", l.a.options.Seed, t.Unix(), len(out))
		out = append(out, action)
	}
	return out
}

// gather weighs the members by what they do in this half hour.
func (l *Live) gather(d, slot int) {
	if l.slot == slot {
		return
	}
	l.slot, l.present = slot, make(weights, 0, len(l.a.Members))
	for i := range l.a.Members {
		m := &l.a.Members[i]
		hours, s := l.a.rhythm.of(m, d), slot%slots
		now := hours[s]
		if s > 0 {
			now -= hours[s-1]
		}
		l.present = l.present.add(scaled(l.a.drawn(m, d), now, hours.sum()))
	}
}

// single is one thing, rarely a follow: it may be a repeat, as networks tell it again.
func (p *page) single(t time.Time) (Action, bool) {
	number := p.present.pick(p.r)
	m := &p.a.Members[number]
	brand, account, what := p.choose(m, m.pickBrand(p.a, p.r, p.d))
	if what < 0 {
		return Action{}, false
	}
	if likely(p.r, 30) {
		follow := slices.IndexFunc(p.a.Definitions, func(d Definition) bool {
			return d.way == once && d.Service == m.Accounts[account].Service
		})
		if follow >= 0 {
			what = follow
		}
	}
	return Action{
		Member: number, Brand: brand, Definition: what, Account: account, Time: t,
		Content: p.content(brand, what), Geo: p.geo(p.whereabouts(m)),
	}, true
}

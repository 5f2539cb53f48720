package audience

import (
	"cmp"
	"math/rand/v2"
	"slices"
	"time"
)

// moment is something that happens on a day of its own: a follow, a like of a page, a
// ticket, a concert. That a member follows once in its life is known nowhere but in
// the whole of it, so these are drawn before the days are.
type moment struct {
	member, brand, definition, account int

	at    time.Duration // of the UTC day
	venue *Concert      // nil: not at a concert
	odds  uint64        // which of them stay when there is little room
}

// room is how much of the history moments may take, in permille.
const room = 90

// makeMoments draws all moments, by day. When the history is short beside them, the
// same part of every kind is left out.
func (a *Audience) makeMoments() [][]moment {
	byDay := make([][]moment, planDays)
	put := func(d int, m moment) {
		if d >= 0 && d < planDays {
			byDay[d] = append(byDay[d], m)
		}
	}
	for i := range a.Members {
		a.follows(i, put)
	}
	fans := a.fans()
	for b := range a.Brands {
		a.concertAudience(b, fans[b], put)
	}
	total := uint64(0)
	for _, list := range byDay[:historyDays] {
		total += uint64(len(list))
	}
	keep := scaled(uint64(a.options.Actions), room, 1000)
	for d := range byDay {
		if total > keep {
			byDay[d] = slices.DeleteFunc(byDay[d], func(m moment) bool { return m.odds%total >= keep })
		}
	}
	return byDay
}

// follows are the member's follows and likes of brands, each once: on a day after it
// came, or when there was something new. A few do it again later.
func (a *Audience) follows(member int, put func(int, moment)) {
	m := &a.Members[member]
	r := a.chance.stream(ofFollows, member)
	for rank, f := range m.favourite {
		b := &a.Brands[f.brand]
		for account, acc := range m.Accounts {
			for d := range a.Definitions {
				def := &a.Definitions[d]
				if def.way != once || def.Service != acc.Service || !def.fits(b.Type) {
					continue
				}
				if !likely(r, max(120, 620-90*rank)) || m.from == 0 && likely(r, 620) {
					continue // never, or long ago
				}
				on := a.followDay(r, m, b)
				once := moment{
					member: member, brand: f.brand, definition: d, account: account, at: a.rhythm.moment(r, m, max(on, 0)),
					odds: r.Uint64(),
				}
				if on < m.to {
					put(on, once)
				}
				if again := on + 1 + days(r, 40); likely(r, 25) && again < m.to {
					once.at = a.rhythm.moment(r, m, again)
					put(again, once)
				}
			}
		}
	}
}

// followDay is when a member begins to follow.
func (a *Audience) followDay(r *rand.Rand, m *Member, b *Brand) int {
	first := m.from
	if m.from == 0 {
		first = r.IntN(historyDays)
	}
	if len(b.Releases) > 0 && likely(r, 450) {
		if out := oneOf(r, b.Releases); out.Day >= m.from {
			return out.Day + days(r, 1.5)
		}
	}
	return first + days(r, 12)
}

// fans are the members by the brands they like.
func (a *Audience) fans() [][]int {
	out := make([][]int, len(a.Brands))
	for i := range a.Members {
		for _, f := range a.Members[i].favourite {
			out[f.brand] = append(out[f.brand], i)
		}
	}
	return out
}

// concertAudience puts the moments of the brand's concerts: fans buy tickets in their town, some
// elsewhere in the country, and most who bought attend.
func (a *Audience) concertAudience(brand int, fans []int, put func(int, moment)) {
	r := a.chance.stream(ofConcerts, brand)
	buys := slices.IndexFunc(a.Definitions, func(d Definition) bool { return d.way == ticket })
	goes := slices.IndexFunc(a.Definitions, func(d Definition) bool { return d.way == concert })
	concerts := a.Brands[brand].Concerts
	for c := range concerts {
		show := &concerts[c]
		for _, member := range fans {
			m := &a.Members[member]
			odds := 8
			switch {
			case m.place == show.Place:
				odds = 420
			case m.Home().Country != show.Where().Country:
				odds = 0
			}
			if !likely(r, odds) || show.Day < m.from || show.Day >= m.to {
				continue
			}
			bought := max(m.from, show.Day-2-days(r, 18))
			one := moment{
				member: member, brand: brand, definition: buys, at: a.rhythm.moment(r, m, max(bought, 0)), venue: show,
				odds: r.Uint64(),
			}
			put(bought, one)
			if likely(r, 880) {
				one.definition = goes
				evening := 20*time.Hour + time.Duration(r.IntN(5400))*time.Second
				d, at := inUTC(show.Day, evening, show.Where().Minutes)
				one.at = at
				put(d, one)
			}
		}
	}
}

// inUTC is the UTC day and its time of a moment of a local day.
func inUTC(d int, local time.Duration, minutes int) (int, time.Duration) {
	at := local - time.Duration(minutes)*time.Minute
	for at < 0 {
		d, at = d-1, at+day
	}
	for at >= day {
		d, at = d+1, at-day
	}
	return d, at
}

// byTime orders moments for a day that has no room for all.
func byTime(x, y moment) int {
	return cmp.Or(cmp.Compare(x.at, y.at), cmp.Compare(x.member, y.member), cmp.Compare(x.brand, y.brand),
		cmp.Compare(x.definition, y.definition))
}

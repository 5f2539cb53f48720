package audience

// heat is how much each brand is played on each day beside a usual one: a release or
// a concert makes a burst that fades.
type heat struct {
	byDay [][]uint64 // by day, by brand: permille
	local [][][]glow // likewise: what is more in some towns
}

// glow is a heat in one town.
type glow struct {
	place int
	more  uint64
}

const (
	usual        = 1000
	burstDays    = 35
	concertDays  = 5
	concertHeat  = 250  // everywhere
	concertLocal = 4000 // where it was
)

func newHeat(brands []Brand) *heat {
	h := &heat{byDay: make([][]uint64, planDays), local: make([][][]glow, planDays)}
	for d := range h.byDay {
		h.byDay[d], h.local[d] = make([]uint64, len(brands)), make([][]glow, len(brands))
		for b := range brands {
			h.byDay[d][b] = usual
		}
	}
	for b := range brands {
		for _, out := range brands[b].Releases {
			for after := 0; after < burstDays && out.Day+after < planDays; after++ {
				h.byDay[out.Day+after][b] += fading(out.heat, after, out.life)
			}
		}
		for _, c := range brands[b].Concerts {
			for after := 0; after < concertDays && c.Day+after < planDays; after++ {
				d := c.Day + after
				h.byDay[d][b] += fading(concertHeat, after, 2)
				h.local[d][b] = append(h.local[d][b], glow{c.Place, fading(concertLocal, after, 1.5)})
			}
		}
	}
	return h
}

// of is how much a member who lives there plays the brand on the day.
func (h *heat) of(brand, place, d int) uint64 {
	if d >= planDays {
		return usual
	}
	n := h.byDay[d][brand]
	for _, g := range h.local[d][brand] {
		if g.place == place {
			n += g.more
		}
	}
	return n
}

// drawn is how much the member does on the day beside other members and other days.
func (a *Audience) drawn(m *Member, d int) uint64 {
	if d < m.from || d >= m.to {
		return 0
	}
	// A burst makes a fan do more, not only something else.
	var lively, calm uint64
	for _, f := range m.favourite {
		lively += f.share * a.heat.of(f.brand, m.place, d)
		calm += f.share
	}
	return m.drive * (lively / calm) / 10 * (a.rhythm.of(m, d).sum() / 1000) / 100
}

// present is the members by what they do on the day.
func (a *Audience) present(d int) weights {
	w := make(weights, 0, len(a.Members))
	for i := range a.Members {
		w = w.add(a.drawn(&a.Members[i], d))
	}
	return w
}

// shares are the days of the history in all that is done.
func (a *Audience) shares() weights {
	var w weights
	for d := range historyDays {
		sum := uint64(0)
		for i := range a.Members {
			sum += a.drawn(&a.Members[i], d)
		}
		w = w.add(sum)
	}
	return w
}

// budget is how many actions the day has. Those of the history add up to what was
// asked for; later days have as many as their part would be.
func (a *Audience) budget(d int, drawn uint64) int {
	all := a.share.sum()
	if all == 0 {
		return 0
	}
	upTo := func(sum uint64) uint64 { return scaled(uint64(a.options.Actions), sum, all) }
	if d >= historyDays {
		return int(upTo(drawn))
	}
	if d == 0 {
		return int(upTo(a.share[0]))
	}
	return int(upTo(a.share[d]) - upTo(a.share[d-1]))
}

package audience

import (
	"fmt"
	"math/bits"
	"math/rand/v2"
	"slices"
	"time"

	"github.com/ovation-analytics/ovation/actors/domain"
)

// Day is what was done on the d-th UTC day since Start, in order of time. Days before
// it are empty; after End it goes on.
func (a *Audience) Day(d int) []Action {
	if d < 0 || a.options.Actions == 0 {
		return nil
	}
	present := a.present(d)
	room := a.budget(d, present.sum())
	p := &page{a: a, d: d, r: a.chance.stream(ofDay, d), present: present, fresh: map[int]weights{}}
	p.actions = make([]Action, 0, room)
	p.remember(room)
	for len(p.actions) < room && present.sum() > 0 {
		p.session(room)
	}
	// Of one second in the order made: no two machines differ.
	slices.SortStableFunc(p.actions, func(x, y Action) int { return x.Time.Compare(y.Time) })
	for i := range p.actions {
		p.actions[i].ID = fmt.Sprintf("%x-%d-%d", a.options.Seed, a.date(d).Unix()/86400, i)
	}
	return p.actions
}

// page is a day being filled.
type page struct {
	a       *Audience
	d       int
	r       *rand.Rand
	present weights
	fresh   map[int]weights // by brand: its releases, and its catalogue, by how much they are played
	actions []Action
}

// remember puts the day's moments, as far as there is room.
func (p *page) remember(room int) {
	if p.d >= planDays {
		return
	}
	moments := p.a.moments[p.d]
	if len(moments) > room {
		moments = slices.Clone(moments)
		slices.SortFunc(moments, byTime)
		moments = moments[:room]
	}
	for _, o := range moments {
		action := Action{Member: o.member, Brand: o.brand, Definition: o.definition, Account: o.account, Time: p.at(o.at)}
		where := p.a.Members[o.member].Home()
		if o.venue != nil {
			action.Content.Venue, where = o.venue.Venue, o.venue.Where()
		}
		action.Geo = p.geo(where)
		p.actions = append(p.actions, action)
	}
}

func (p *page) at(after time.Duration) time.Time { return p.a.date(p.d).Add(after) }

// session is one member doing something for a while: several tracks of a brand and
// perhaps of a second one, or one thing alone.
func (p *page) session(room int) {
	number := p.present.pick(p.r)
	m := &p.a.Members[number]
	start := p.a.rhythm.moment(p.r, m, p.d)
	brand, account, what := p.choose(m, m.pickBrand(p.a, p.r, p.d))
	if what < 0 {
		return
	}
	n := 1
	if p.a.Definitions[what].way == inSession {
		n = min(1+int(p.r.ExpFloat64()*4.2), 60)
	}
	steps := make([]time.Duration, n)
	length := time.Duration(0)
	for i := range steps[1:] {
		steps[i+1] = time.Duration(between(p.r, 130, 320)) * time.Second
		length += steps[i+1]
	}
	start = max(0, min(start, day-time.Second-length)) // a session is of one day
	where := p.geo(p.whereabouts(m))
	for _, step := range steps {
		if len(p.actions) == room {
			return
		}
		start += step
		if p.a.Definitions[what].way == inSession && likely(p.r, 220) { // the next track is of another brand
			b, acc, w := p.choose(m, m.pickBrand(p.a, p.r, p.d))
			if w >= 0 && acc == account && p.a.Definitions[w].way == inSession {
				brand, what = b, w
			}
		}
		p.actions = append(p.actions, Action{
			Member: number, Brand: brand, Definition: what, Account: account, Time: p.at(start),
			Content: p.content(brand, what), Geo: where,
		})
	}
}

// pickBrand is one of the favourites, rarely any brand by its fame.
func (m *Member) pickBrand(a *Audience, r *rand.Rand, d int) int {
	if likely(r, 60) {
		return a.fame.pick(r)
	}
	var room [maxFavourites]uint64
	w := weights(room[:0])
	for _, f := range m.favourite {
		w = w.add(f.share * a.heat.of(f.brand, m.place, d))
	}
	return m.favourite[w.pick(r)].brand
}

// choose is which of the member's accounts is used for the brand, and what is done
// there; −1 when it has none for such a brand.
func (p *page) choose(m *Member, brand int) (_, account, definition int) {
	kind := p.a.Brands[brand].Type
	var room [8]uint64
	use := weights(room[:0])
	for i := range m.Accounts {
		acc := &m.Accounts[i]
		if p.a.can[offer{acc.Service, kind}].sum() == 0 {
			use = use.add(0)
			continue
		}
		use = use.add(acc.use)
	}
	if use.sum() == 0 {
		return brand, 0, -1
	}
	account = use.pick(p.r)
	return brand, account, p.a.can[offer{m.Accounts[account].Service, kind}].pick(p.r)
}

// content names a track: of what is new while it is, else of the catalogue, the best
// known ones maxFavourites.
func (p *page) content(brand, what int) Content {
	switch p.a.Definitions[what].Type {
	case "Listened", "Watched":
	default:
		return Content{}
	}
	b := &p.a.Brands[brand]
	w := p.fresh[brand]
	if w == nil {
		for _, out := range b.Releases {
			n := uint64(0)
			if after := p.d - out.Day; after >= 0 {
				n = 60 + fading(out.heat, min(after, burstDays), out.life)
			}
			w = w.add(n)
		}
		w = w.add(usual)
		p.fresh[brand] = w
	}
	from := &b.Catalog
	if i := w.pick(p.r); i < len(b.Releases) {
		from = &b.Releases[i]
	}
	n := len(from.Tracks)
	track := from.Tracks[min(p.r.IntN(n), p.r.IntN(n))]
	return Content{TrackName: track.Name, TrackArtist: b.Name, AlbumName: from.Title, ISRC: track.ISRC}
}

// whereabouts is home, rarely another town.
func (p *page) whereabouts(m *Member) Place {
	if likely(p.r, 25) {
		return places[p.a.towns.pick(p.r)]
	}
	return m.Home()
}

// geo is a place as a network tells it: often not at all, sometimes the country alone.
func (p *page) geo(at Place) domain.Geo {
	switch n := p.r.IntN(100); {
	case n < 35:
		return domain.Geo{}
	case n < 50:
		return domain.Geo{Country: at.Country}
	default:
		return domain.Geo{Country: at.Country, Region: at.Region, City: at.City, Lat: at.Lat, Lon: at.Lon}
	}
}

// scaled is n·part/whole, rounded down, without overflow; part may be above whole.
func scaled(n, part, whole uint64) uint64 {
	hi, lo := bits.Mul64(n, part)
	q, _ := bits.Div64(hi%whole, lo, whole)
	return q
}

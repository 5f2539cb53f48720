package accounts

import (
	"cmp"

	"github.com/ovation-analytics/ovation/actors/domain"
)

// Places are the places of an account's visits, by number: at most as many as domain.MaxVisitPlaces
// says. A number never changes, so readers hold a prefix of the list while the writer appends.
type Places struct {
	max     int // 0: domain.MaxVisitPlaces
	list    []domain.VisitPlace
	numbers map[domain.VisitPlace]uint32
	bytes   int // of their texts
}

// Keep is the number of what a visit keeps of its place; false: nothing. segment: its page is that of a
// segment. Fresh are places that have got their numbers just now: the changes that say so are to be staged,
// before the visit's row.
//
// A domain has a place of its own before a page of it has, so that it stays when there is no room.
func (p *Places) Keep(at domain.VisitPlace, segment bool) (number uint32, fresh []domain.NumberedPlace, kept bool) {
	keep := func(at domain.VisitPlace, times int) bool {
		n, isNew, ok := p.number(at, times)
		if isNew {
			fresh = append(fresh, domain.NumberedPlace{Number: n, VisitPlace: at})
		}
		if ok {
			number, kept = n, true
		}
		return ok
	}
	if at.Domain != "" {
		keep(domain.VisitPlace{Domain: at.Domain}, 1)
	}
	if at.Page != "" && !keep(at, 1) && segment {
		keep(domain.VisitPlace{Page: at.Page}, 2)
	}
	return number, fresh, kept
}

// number is the number of a place, with so many times the room. isNew: it has got it just now; kept is false
// where there is no room for it.
func (p *Places) number(at domain.VisitPlace, times int) (number uint32, isNew, kept bool) {
	if number, known := p.numbers[at]; known {
		return number, false, true
	}
	if p.full(times) {
		return 0, false, false
	}
	return p.add(at), true, true
}

func (p *Places) add(at domain.VisitPlace) uint32 {
	if p.numbers == nil {
		p.numbers = map[domain.VisitPlace]uint32{}
	}
	number := uint32(len(p.list))
	p.list = append(p.list, at)
	p.numbers[at] = number
	p.bytes += len(at.Domain) + len(at.Page)
	return number
}

// Full reports that there is room for no other place but the page of a segment.
func (p *Places) Full() bool { return p.full(1) }

func (p *Places) full(times int) bool {
	maxPlaces := times * cmp.Or(p.max, domain.MaxVisitPlaces)
	return len(p.list) >= maxPlaces || p.bytes >= maxPlaces*domain.VisitPlaceBytes
}

// At is the place with a number.
func (p *Places) At(number uint32) domain.VisitPlace { return p.list[number] }

// published are the places as a view has them.
func (p *Places) published() []domain.VisitPlace { return p.list[:len(p.list):len(p.list)] }

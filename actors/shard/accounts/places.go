package accounts

import "github.com/ovation-analytics/ovation/actors/domain"

// Places are the places of an account's visits, by number. A number never changes, so readers
// hold a prefix of the list while the writer appends.
type Places struct {
	list    []domain.VisitPlace
	numbers map[domain.VisitPlace]uint32
}

// Number is the number of a place; isNew: it has got it just now, and the change that says so
// is to be staged, before the visit's row.
func (p *Places) Number(at domain.VisitPlace) (number uint32, isNew bool) {
	if number, known := p.numbers[at]; known {
		return number, false
	}
	return p.add(at), true
}

func (p *Places) add(at domain.VisitPlace) uint32 {
	if len(p.list) >= domain.MaxVisitPlaces {
		panic("an account has no number left for a place of visits")
	}
	if p.numbers == nil {
		p.numbers = map[domain.VisitPlace]uint32{}
	}
	number := uint32(len(p.list))
	p.list = append(p.list, at)
	p.numbers[at] = number
	return number
}

// At is the place with a number.
func (p *Places) At(number uint32) domain.VisitPlace { return p.list[number] }

// published are the places as a view has them.
func (p *Places) published() []domain.VisitPlace { return p.list[:len(p.list):len(p.list)] }

package member

import "github.com/ovation-analytics/ovation/actors/domain"

// Places numbers the places of an account's visits in a shard.
type Places interface {
	// Number is the number of a place; isNew: it has got it just now.
	Number(domain.VisitPlace) (number uint32, isNew bool)
}

// Visiting is what the shard gives a visit for its row.
type Visiting struct {
	Sequence uint64 // of the row
	Clock    int64  // the shard's, ms since 1970
	Places   Places
}

// Registered adds the visit that a registration of m is. The member had so many service records
// before: with one more the registration is a signup, else a login.
func Registered(
	dst []domain.Change, m *domain.Member, c *domain.RegisterMember, records int, w *Visiting,
) []domain.Change {
	of := domain.Login
	if len(m.Services) > records {
		of = domain.Registration
	}
	row := domain.Row{Definition: of, Service: c.Service, Time: seconds(c.At)}
	return visit(dst, m, row, c.Domain, &c.Visit, c.Segment, w)
}

// visit adds the row of a member's visit, and its place if that is a new one.
func visit(
	dst []domain.Change, m *domain.Member, row domain.Row, site string, v *domain.Visit, segment domain.SegmentID,
	w *Visiting,
) []domain.Change {
	if at := (domain.VisitPlace{Domain: site, Page: v.Page}); !at.IsZero() {
		dst, row.Definition = placed(dst, m.Account, row.Definition, at, w.Places)
	}
	row.Hash, row.Seq, row.Account, row.Ord, row.Slot = v.Key, w.Sequence, m.Account, m.Ord, m.ID.Slot()
	return append(dst, domain.Change{Kind: domain.RowAdded, Row: row, Content: v.Content(w.Clock, segment)})
}

// placed is the definition of a visit at a place, which is added if it is a new one.
func placed(
	dst []domain.Change, account domain.AccountID, of domain.DefinitionID, at domain.VisitPlace, places Places,
) ([]domain.Change, domain.DefinitionID) {
	number, isNew := places.Number(at)
	if isNew {
		dst = append(dst, domain.Change{Kind: domain.VisitPlacePut, Value: &domain.NumberedPlace{
			Account: account, Number: number, VisitPlace: at,
		}})
	}
	return dst, domain.VisitDefinition(of, number)
}

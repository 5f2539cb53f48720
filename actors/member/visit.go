package member

import "github.com/ovation-analytics/ovation/actors/domain"

// Places numbers the places of an account's visits in a shard.
type Places interface {
	// Keep is the number of what a visit keeps of its place; false: nothing. segment: its page is that of a
	// segment. Fresh are places that have got their numbers just now, without the account.
	Keep(at domain.VisitPlace, segment bool) (number uint32, fresh []domain.NumberedPlace, kept bool)
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

// visit adds the row of a member's visit, and what is new of its place.
func visit(
	dst []domain.Change, m *domain.Member, row domain.Row, site string, v *domain.Visit, segment domain.SegmentID,
	w *Visiting,
) []domain.Change {
	at := domain.VisitPlace{Domain: site, Page: v.Page}
	dst, row.Definition = placed(dst, m.Account, row.Definition, at, v.OfSegment, w.Places)
	row.Hash, row.Seq, row.Account, row.Ord, row.Slot = v.Key, w.Sequence, m.Account, m.Ord, m.ID.Slot()
	return append(dst, domain.Change{Kind: domain.RowAdded, Row: row, Content: v.Content(w.Clock, segment)})
}

// placed is the definition of a visit with what it keeps of its place, of which is added what is new.
func placed(
	dst []domain.Change, account domain.AccountID, of domain.DefinitionID, at domain.VisitPlace, segment bool,
	places Places,
) ([]domain.Change, domain.DefinitionID) {
	number, fresh, kept := places.Keep(at, segment)
	for i := range fresh {
		fresh[i].Account = account
		dst = append(dst, domain.Change{Kind: domain.VisitPlacePut, Value: &fresh[i]})
	}
	if !kept {
		return dst, of
	}
	return dst, domain.VisitDefinition(of, number)
}

package txtest

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/actors/member"
)

// Store is a naive store of one shard.
type Store struct {
	Staged []domain.Change // all, in order

	open     []domain.Change // since the last commit
	rows     map[member.Place][]domain.Row
	contents map[uint64]domain.Content // by sequence

	// As of the last commit.
	members    map[member.Place]domain.Member
	pairs      map[member.Place][]domain.OneTime
	identities map[domain.IdentityHash]domain.Identity
	requests   map[domain.RequestID]domain.Request
	parked     map[member.Place][]domain.Parked
}

// NewStore is an empty one.
func NewStore() *Store {
	return &Store{
		rows: map[member.Place][]domain.Row{}, contents: map[uint64]domain.Content{},
		members: map[member.Place]domain.Member{}, pairs: map[member.Place][]domain.OneTime{},
		identities: map[domain.IdentityHash]domain.Identity{}, requests: map[domain.RequestID]domain.Request{},
		parked: map[member.Place][]domain.Parked{},
	}
}

// Stage takes changes: rows and contents at once.
func (s *Store) Stage(changes []domain.Change) error {
	for _, c := range changes {
		switch c.Kind {
		case domain.RowAdded:
			at := placeOf(&c.Row)
			s.rows[at] = append(s.rows[at], c.Row)
			if c.Content != nil {
				s.contents[c.Row.Seq] = *c.Content
			}
		case domain.RowTaken:
			row := s.row(placeOf(&c.Row), func(r *domain.Row) bool { return r.Seq == c.Row.Seq })
			if row == nil || !c.Row.Flags.Dead() {
				return fmt.Errorf("row %+v is not there to be taken", c.Row)
			}
			row.Flags |= c.Row.Flags
			delete(s.contents, c.Row.Seq)
		case domain.RowsErased:
			e := c.Value.(*domain.ErasedRows)
			delete(s.rows, member.Place{Account: e.Account, Ord: e.Ord})
		default: // as of the commit
		}
	}
	s.Staged = append(s.Staged, changes...)
	s.open = append(s.open, changes...)
	return nil
}

// commit makes what was staged what is stored.
func (s *Store) commit() {
	for _, c := range s.open {
		switch v := c.Value.(type) {
		case *domain.Member:
			s.members[member.Place{Account: v.Account, Ord: v.Ord}] = *v
		case *domain.OneTime:
			at := member.Place{Account: v.Account, Ord: v.Ord}
			s.pairs[at] = append(slices.DeleteFunc(s.pairs[at], func(o domain.OneTime) bool {
				return o.Definition == v.Definition && o.Brand == v.Brand
			}), *v)
		case *domain.ErasedRows:
			delete(s.pairs, member.Place{Account: v.Account, Ord: v.Ord})
		case *domain.Identity:
			if c.Kind == domain.IdentityDrop {
				delete(s.identities, v.Hash)
			} else {
				s.identities[v.Hash] = *v
			}
		case *domain.Request:
			s.requests[v.ID] = *v
		case *domain.Parked:
			at := member.Place{Account: v.Account, Ord: v.Ord}
			if c.Kind == domain.ParkedDrop {
				delete(s.parked, at)
			} else {
				s.parked[at] = append(s.parked[at], *v)
			}
		}
	}
	s.open = nil
}

func placeOf(r *domain.Row) member.Place { return member.Place{Account: r.Account, Ord: r.Ord} }

// row is the member's first row that passes; nil: none.
func (s *Store) row(at member.Place, passes func(*domain.Row) bool) *domain.Row {
	for i := range s.rows[at] {
		if r := &s.rows[at][i]; passes(r) {
			return r
		}
	}
	return nil
}

func found(r *domain.Row) (domain.Row, bool, error) {
	if r == nil {
		return domain.Row{}, false, nil
	}
	return *r, true, nil
}

// Member is what is stored of a member; nil: none.
func (s *Store) Member(account domain.AccountID, ord domain.Ordinal) (*domain.Member, error) {
	if m, ok := s.members[member.Place{Account: account, Ord: ord}]; ok {
		return &m, nil
	}
	return nil, nil
}

// Past is all that a member did, in order of (time, sequence).
func (s *Store) Past(account domain.AccountID, ord domain.Ordinal) ([]domain.Row, error) {
	past := slices.Clone(s.rows[member.Place{Account: account, Ord: ord}])
	slices.SortFunc(past, func(a, b domain.Row) int { return cmp.Or(cmp.Compare(a.Time, b.Time), cmp.Compare(a.Seq, b.Seq)) })
	return past, nil
}

// Contents is what each of the rows says beside its columns.
func (s *Store) Contents(rows []domain.Row) ([]*domain.Content, error) {
	out := make([]*domain.Content, len(rows))
	for i := range rows {
		if c, ok := s.contents[rows[i].Seq]; ok {
			out[i] = &c
		}
	}
	return out, nil
}

// OneTimes calls f with the one-time pairs of a member.
func (s *Store) OneTimes(account domain.AccountID, ord domain.Ordinal, f func(*domain.OneTime)) error {
	for _, o := range s.pairs[member.Place{Account: account, Ord: ord}] {
		f(&o)
	}
	return nil
}

// OneTime is the action that counts for a pair.
func (s *Store) OneTime(
	account domain.AccountID, ord domain.Ordinal, definition domain.DefinitionID, brand domain.BrandID,
) (domain.OneTime, bool, error) {
	for _, o := range s.pairs[member.Place{Account: account, Ord: ord}] {
		if o.Definition == definition && o.Brand == brand {
			return o, true, nil
		}
	}
	return domain.OneTime{}, false, nil
}

// Seen is the member's row with that hash in the first of the months that has one.
func (s *Store) Seen(
	account domain.AccountID, ord domain.Ordinal, months domain.RepeatMonths, hash uint64,
) (domain.Row, bool, error) {
	for _, month := range months {
		if r := s.row(member.Place{Account: account, Ord: ord}, func(r *domain.Row) bool {
			return r.Hash == hash && domain.MonthOf(r.Time) == month
		}); r != nil {
			return *r, true, nil
		}
	}
	return domain.Row{}, false, nil
}

// At is the member's row with that time and sequence.
func (s *Store) At(account domain.AccountID, ord domain.Ordinal, time domain.Second, seq uint64) (domain.Row, bool, error) {
	return found(s.row(member.Place{Account: account, Ord: ord}, func(r *domain.Row) bool {
		return r.Time == time && r.Seq == seq
	}))
}

// Action is the member's row with that sequence.
func (s *Store) Action(account domain.AccountID, ord domain.Ordinal, seq uint64) (domain.Row, bool, error) {
	return found(s.row(member.Place{Account: account, Ord: ord}, func(r *domain.Row) bool { return r.Seq == seq }))
}

// Named are the rows with that time and hash, in order of sequence.
func (s *Store) Named(account domain.AccountID, ord domain.Ordinal, time domain.Second, hash uint64) (out []domain.Row, err error) {
	for _, r := range s.rows[member.Place{Account: account, Ord: ord}] {
		if r.Time == time && r.Hash == hash {
			out = append(out, r)
		}
	}
	return out, nil
}

// Identity is the claim on an identity.
func (s *Store) Identity(_ domain.AccountID, hash domain.IdentityHash) (domain.Identity, bool, error) {
	i, ok := s.identities[hash]
	return i, ok, nil
}

// Request is what became of a request of that day; nil: it is not known.
func (s *Store) Request(day uint32, id domain.RequestID) (*domain.Request, error) {
	if q, ok := s.requests[id]; ok && q.Day == day {
		return &q, nil
	}
	return nil, nil
}

// ParkedOf calls f with the parked activities of a member, in the order of their numbers.
func (s *Store) ParkedOf(account domain.AccountID, ord domain.Ordinal, f func(*domain.Parked) error) error {
	for _, p := range s.parked[member.Place{Account: account, Ord: ord}] {
		if err := f(&p); err != nil {
			return err
		}
	}
	return nil
}

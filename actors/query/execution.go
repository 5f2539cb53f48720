package query

import (
	"context"
	"slices"

	"github.com/ovation-analytics/ovation/actors/brand/rows"
	"github.com/ovation-analytics/ovation/actors/brand/scan"
	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/actors/member"
	"github.com/ovation-analytics/ovation/actors/view"
)

// execution is one question in one shard, on a worker.
type execution struct {
	local    *Local
	ctx      context.Context // of the question: its end ends the scan
	view     *view.View
	account  *view.Account
	scratch  *scratch
	question *domain.Question
	plan     *plan
	part     *Part

	audience uint64         // members that pass the filters on members
	cold     []uint32       // brands that were read from disk for it
	readers  []func() error // to be ended
}

// ended reports that the question is cancelled.
func (s *execution) ended() bool { return s.ctx.Err() != nil || s.local.Executor.stopping() }

// noteAccess notes the brands that the question looks into.
func (s *execution) noteAccess() {
	now := s.local.Now()
	if s.plan.dense != rows.EveryBrand {
		s.account.Access.Note(s.plan.dense, now)
	}
	for _, dense := range s.plan.filter.brands {
		s.account.Access.Note(dense, now)
	}
}

// ask is the question as an account's rows are asked it, of the members in a set.
func (s *execution) ask(set []uint64) *scan.Ask {
	q := s.question
	x := s.scratch
	index := s.account.Members
	x.column = index.Column(x.column, q.Shape)
	one := &scan.Ask{
		Plan: s.plan.rows, Brand: s.plan.dense, Members: set, Cold: s.source(q), Column: x.column,
		Label: s.local.label(q.Account), ID: index.ID, Brands: s.plan.brands,
	}
	if q.Shape == domain.ShapeNewcomers {
		one.Earlier = s.source(earlier(q))
	}
	if q.Shape == domain.ShapeStream {
		every := *q
		every.Range = domain.AllTime
		one.Cold = s.source(&every)
		one.Contents = s.contents
	}
	if q.Shape == domain.ShapeFeed || q.Explain {
		one.Contents = s.contents
		one.Search = s.search
	}
	if q.Shape == domain.ShapeLeaders || q.Shape == domain.ShapeRankHistogram {
		one.At = times(q.Top.Order, index)
	}
	if q.Visits != nil {
		askVisits(one, q, s.account)
	}
	return one
}

// fromDisk reads the rows of a brand that is on disk only, and notes that it was, if
// it is the one asked about.
func (s *execution) fromDisk(q *domain.Question) rows.Source {
	var read func(domain.BrandID, domain.Range, func([]domain.Row) error) error
	return func(b rows.Cold, in domain.Range, f func([]domain.Row)) error {
		if (q.Brand != 0 || q.Visits != nil) && q.Brand == b.Brand && !slices.Contains(s.cold, b.Dense) {
			s.cold = append(s.cold, b.Dense)
		}
		if read == nil {
			var end func() error
			read, end = s.view.Snapshot.Reader(q.Account)
			s.readers = append(s.readers, end)
		}
		return read(b.Brand, in, func(rows []domain.Row) error {
			if s.ended() {
				return scan.ErrCancelled
			}
			f(rows)
			return nil
		})
	}
}

// endReaders ends what has read from disk.
func (s *execution) endReaders() {
	for _, end := range s.readers {
		if err := end(); err != nil && s.part.Err == nil {
			s.part.Err = err
		}
	}
	s.readers = nil
}

// earlier is the question about the time before its range.
func earlier(q *domain.Question) *domain.Question {
	before := *q
	before.Range = domain.Range{To: q.Range.From}
	return &before
}

// ordinalsOf finds members of one account.
func ordinalsOf(r *member.Roster, account domain.AccountID) func(domain.MemberID) (domain.Ordinal, bool) {
	return func(id domain.MemberID) (domain.Ordinal, bool) {
		at, ok := r.Find(id)
		return at.Ord, ok && at.Account == account
	}
}

// contents reads contents until the question is cancelled.
func (s *execution) contents(rows []domain.Row, f func(i int, recorded int64, content []byte)) error {
	if s.ctx.Err() != nil {
		return domain.ErrUnavailable
	}
	return s.view.Snapshot.RawContents(rows, f)
}

// search searches contents until the question is cancelled.
func (s *execution) search(b domain.BrandID, in domain.Range, sought *domain.ContentSearch) error {
	nowhere := func(int) int { return -1 }
	while := *sought
	while.Finder = func(text []byte, filter []uint64) func(int) int {
		if s.ctx.Err() != nil {
			return nowhere
		}
		return sought.Finder(text, filter)
	}
	err := s.view.Snapshot.Search(s.question.Account, b, in, &while)
	if err == nil && s.ctx.Err() != nil {
		return domain.ErrUnavailable
	}
	return err
}

// withMembers gives a feed's rows their members.
func withMembers(f *domain.Feed, index *member.Index) *domain.Feed {
	if f == nil {
		return nil
	}
	for i := range f.Items {
		item := &f.Items[i]
		item.Member = index.ID(item.Row.Ord)
		item.Row.Slot = item.Member.Slot()
	}
	return f
}

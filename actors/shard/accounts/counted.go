package accounts

import (
	"slices"

	"github.com/asynkron/protoactor-go/actor"

	"github.com/ovation-analytics/ovation/actors/brand/rows"
	"github.com/ovation-analytics/ovation/actors/domain"
)

// Counts reports that a row counts, be it as another member's.
func (s *Accounts) Counts(r *domain.Row) bool {
	row := *r
	return s.Of(r.Account).table.Counts(&row)
}

// Counted is as whose the rows of an ordinal count; nil: as its own.
func (s *Accounts) Counted(account domain.AccountID, ord domain.Ordinal) *rows.Counted {
	return s.Of(account).table.Counted(ord)
}

// Count says at a start as whose the rows of an ordinal count, before they are loaded.
func (s *Accounts) Count(c *domain.CountedAs) { s.setCounted(c) }

// setCounted notes it at the ordinal, and at the member that it is a shadow for.
func (s *Accounts) setCounted(c *domain.CountedAs) {
	t := s.Of(c.Account).table
	now := &rows.Counted{As: c.As, Hidden: c.Hidden, Covered: c.Covered}
	if old := t.Counted(c.Ord); old != nil {
		now.Shadows = old.Shadows
		if old.As != c.Ord {
			s.setShadow(t, old.As, c.Ord, false)
		}
	}
	if c.As != c.Ord {
		s.setShadow(t, c.As, c.Ord, !c.Hidden)
	}
	t.Count(c.Ord, now.OrNil(c.Ord))
}

// setShadow notes at a member that an ordinal is a shadow for it, or is not.
func (s *Accounts) setShadow(t *rows.Table, of, shadow domain.Ordinal, is bool) {
	now := rows.Counted{As: of}
	if old := t.Counted(of); old != nil {
		now = *old
	}
	now.Shadows = slices.DeleteFunc(slices.Clone(now.Shadows), func(o domain.Ordinal) bool { return o == shadow })
	if is {
		now.Shadows = append(now.Shadows, shadow)
	}
	t.Count(of, now.OrNil(of))
}

// countRows has the rows of an ordinal count as a change says.
func (s *Accounts) countRows(ctx actor.Context, c *domain.CountedAs) error {
	a := s.Of(c.Account)
	for i := range c.Rows {
		if err := s.removeRow(ctx, &c.Rows[i]); err != nil {
			return err
		}
	}
	s.flushRows(ctx, a)
	s.setCounted(c)
	s.touch(c.Account, a)
	byBrand := map[domain.BrandID][]domain.Row{}
	var brands []domain.BrandID
	for _, r := range c.Rows {
		if r.Flags.Dead() || !a.table.Counts(&r) {
			continue
		}
		if byBrand[r.Brand] == nil {
			brands = append(brands, r.Brand)
		}
		byBrand[r.Brand] = append(byBrand[r.Brand], r)
	}
	for _, id := range brands {
		dense, err := s.dense(id)
		if err != nil {
			return err
		}
		m := &returnRows{dense: dense, rows: byBrand[id]}
		if s.brandOf(ctx, a, dense).box.PostUserMessage(m); !m.done {
			panic("a brand actor failed")
		}
		a.versions.SetRows(dense, s.views.Version)
	}
	return nil
}

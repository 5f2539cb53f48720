package merge

import (
	"cmp"
	"slices"

	"github.com/ovation-analytics/ovation/actors/brand/rows"
	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/actors/member"
	"github.com/ovation-analytics/ovation/actors/shard/tx"
)

// groups are members with their shadows: as whose rows count, and which of their one-time actions do.
type groups struct {
	counted   map[member.Place]member.Place    // shadows from their handover on: the member as whose their rows count
	shadowsOf map[member.Place][]member.Place  // of each such member its shadows, by ordinal
	pairs     map[member.Place]map[pair]uint64 // of each source the rows that are covered (rows.Counted)
}

// survivorOf is the member as whose the rows of an ordinal count, wherever they do.
func (g *groups) survivorOf(at member.Place) member.Place {
	if of, ok := g.counted[at]; ok {
		return of
	}
	return at
}

// sources are a member and its shadows.
func (g *groups) sources(root member.Place) []member.Place {
	return append([]member.Place{root}, g.shadowsOf[root]...)
}

// join notes that a shadow's rows count as a member's.
func (g *groups) join(shadow, borrower member.Place) {
	g.counted[shadow] = borrower
	group := append(slices.Clone(g.shadowsOf[borrower]), shadow)
	slices.SortFunc(group, func(a, b member.Place) int { return cmp.Compare(a.Ord, b.Ord) })
	g.shadowsOf[borrower] = group
}

// countedAs is as whose the rows of an account count.
func (g *groups) countedAs(s *tx.State, at member.Place) *rows.Counting {
	return s.Accounts.Of(at.Account).Counting()
}

// count has the rows of an ordinal count, or not, but for those that are covered.
func (g *groups) count(t *tx.Tx, at member.Place, hidden bool) error {
	past, err := t.State.Loaded.Past(at)
	if err != nil {
		return err
	}
	past = slices.DeleteFunc(past, func(r domain.Row) bool { return r.Flags.Dead() })
	return g.setCounted(t, at, hidden, g.coveredOf(t.State, at), past)
}

// setCounted says how the rows of an ordinal count; rows are those that may count otherwise than before.
func (g *groups) setCounted(t *tx.Tx, at member.Place, hidden bool, covered []uint64, rows []domain.Row) error {
	t.Change(domain.Change{Kind: domain.RowsCounted, Value: &domain.CountedAs{
		Account: at.Account, Ord: at.Ord, As: g.survivorOf(at).Ord, Hidden: hidden, Covered: covered, Rows: rows,
	}})
	return t.Flush()
}

// coveredOf are the sequences of an ordinal's rows that are covered.
func (g *groups) coveredOf(s *tx.State, at member.Place) []uint64 {
	if c := g.countedAs(s, at).Of(at.Ord); c != nil {
		return c.Covered
	}
	return nil
}

// hides reports that the rows of an ordinal count nowhere.
func (g *groups) hides(s *tx.State, at member.Place) bool {
	c := g.countedAs(s, at).Of(at.Ord)
	return c != nil && c.Hidden
}

// erased has an ordinal without rows count as itself.
func (g *groups) erased(t *tx.Tx, at member.Place) {
	delete(g.pairs, at)
	if g.countedAs(t.State, at).Of(at.Ord) != nil {
		t.Change(domain.Change{Kind: domain.RowsCounted, Value: &domain.CountedAs{
			Account: at.Account, Ord: at.Ord, As: at.Ord,
		}})
	}
}

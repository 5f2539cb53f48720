package merge

import (
	"slices"

	"github.com/ovation-analytics/ovation/actors/brand/rows"
	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/actors/member"
	"github.com/ovation-analytics/ovation/actors/shard/tx"
)

// Shadow notes at a start where a lender's rows are copied: in the last of its shadows.
func (m *Merger) Shadow(s *tx.State, at member.Place, shadow domain.MemberID) {
	id, before := shadow.Lender()
	of := lender{at.Account, id}
	if last, known := m.borrowers.shadows[of]; known {
		if _, n := s.Accounts.Of(at.Account).Audience.ID(last.Ord).Lender(); n > before {
			return
		}
	}
	m.borrowers.shadows[of] = at
}

// Load reads which members lend, and says as whose rows count. Shadows are noted.
func (m *Merger) Load(s *tx.State, lenders []member.Place) error {
	for _, at := range lenders {
		of, err := s.Store.Member(at.Account, at.Ord)
		if err != nil {
			return err
		}
		if of != nil && of.Lent != nil {
			m.loans.begin(at, *of.Lent)
		}
	}
	for _, at := range m.borrowers.shadows {
		of, err := s.Store.Member(at.Account, at.Ord)
		if err != nil {
			return err
		}
		if of == nil || of.Lent == nil {
			continue // it was swept
		}
		if !of.Lent.Done {
			m.groups.countedAs(s, at).Set(at.Ord, rows.Counted{As: at.Ord, Hidden: true})
		} else if borrower, ok := s.Roster.Find(of.Lent.To); ok {
			m.groups.join(at, borrower)
		}
	}
	for at, loan := range m.loans.byMember {
		if loan.Done {
			m.groups.countedAs(s, at).Set(at.Ord, rows.Counted{As: at.Ord, Hidden: true})
		}
	}
	for root := range m.groups.shadowsOf {
		if err := m.groups.restore(s, root, m.loans.byMember[root].Done); err != nil {
			return err
		}
	}
	return nil
}

// restore says what of a member and its shadows is covered.
func (g *groups) restore(s *tx.State, root member.Place, hidden bool) error {
	covered := map[member.Place][]uint64{}
	for _, shadow := range g.shadowsOf[root] {
		var pairs []domain.OneTime
		err := s.Store.OneTimes(shadow.Account, shadow.Ord, func(o *domain.OneTime) { pairs = append(pairs, *o) })
		if err != nil {
			return err
		}
		for i := range pairs {
			if err := g.coveredBy(s, root, &pairs[i], covered); err != nil {
				return err
			}
		}
	}
	for _, at := range g.sources(root) {
		seqs := covered[at]
		slices.Sort(seqs)
		g.countedAs(s, at).Set(at.Ord, rows.Counted{As: root.Ord, Hidden: hidden, Covered: slices.Compact(seqs)})
	}
	return nil
}

// coveredBy adds the actions of one pair that are covered, as they are stored.
func (g *groups) coveredBy(s *tx.State, root member.Place, p *domain.OneTime, covered map[member.Place][]uint64) error {
	all, first, err := g.knownOf(root, func(k *known) (ok bool, err error) {
		k.one, ok, err = s.Store.OneTime(k.at.Account, k.at.Ord, p.Definition, p.Brand)
		return ok, err
	})
	for i := range all {
		if i != first {
			covered[all[i].at] = append(covered[all[i].at], all[i].one.Seq)
			g.note(all[i].at, pair{p.Definition, p.Brand}, all[i].one.Seq)
		}
	}
	return err
}

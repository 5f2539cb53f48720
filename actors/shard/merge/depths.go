package merge

import (
	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/actors/member"
)

// depths are how many merges were below each lender when its loan began: none is added below it while it
// lends, and what follows from one that ends below it is still on its way.
type depths struct {
	of      map[member.Place]int
	lenders map[domain.AccountID]*[domain.DeepestMerge + 1]int // of each depth
}

func newDepths() depths {
	return depths{
		of:      map[member.Place]int{},
		lenders: map[domain.AccountID]*[domain.DeepestMerge + 1]int{},
	}
}

// begin notes a lender. Its depth stays what it was first.
func (d *depths) begin(at member.Place, depth int) {
	if _, lends := d.of[at]; lends {
		return
	}
	depth = min(depth, domain.DeepestMerge)
	d.of[at] = depth
	counts := d.lenders[at.Account]
	if counts == nil {
		counts = new([domain.DeepestMerge + 1]int)
		d.lenders[at.Account] = counts
	}
	counts[depth]++
}

// end forgets a lender.
func (d *depths) end(at member.Place) {
	depth, lends := d.of[at]
	if !lends {
		return
	}
	delete(d.of, at)
	counts := d.lenders[at.Account]
	if counts[depth]--; *counts == [domain.DeepestMerge + 1]int{} {
		delete(d.lenders, at.Account)
	}
}

// deepestOf is the greatest depth of an account's lenders.
func (d *depths) deepestOf(account domain.AccountID) int {
	counts := d.lenders[account]
	if counts == nil {
		return 0
	}
	for depth := domain.DeepestMerge; depth > 0; depth-- {
		if counts[depth] > 0 {
			return depth
		}
	}
	return 0
}

// deepest is the greatest depth of all lenders.
func (d *depths) deepest() (depth int) {
	for account := range d.lenders {
		depth = max(depth, d.deepestOf(account))
	}
	return depth
}

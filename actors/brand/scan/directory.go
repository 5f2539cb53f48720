package scan

import (
	"slices"

	"github.com/ovation-analytics/ovation/actors/brand/rows"
	"github.com/ovation-analytics/ovation/actors/domain"
)

// Directory is what a question about many brands knows of them by their dense
// numbers. It never changes: any number of goroutines may use it.
type Directory struct {
	ids    []domain.BrandID // of dense number i+1
	hidden []uint64         // by dense number: not to be listed
}

// NewDirectory is the directory of the brands whose dense numbers count from 1, in
// order of ids, as ids do. Those in without, ascending, are not listed; nor is one
// that the directory does not have.
func NewDirectory(ids, without []domain.BrandID) *Directory {
	d := &Directory{ids, make([]uint64, (len(ids)+64)/64)}
	d.hide(rows.Visits)
	for _, id := range without {
		if i, ok := slices.BinarySearch(ids, id); ok {
			d.hide(uint32(i + 1))
		}
	}
	return d
}

func (d *Directory) hide(dense uint32) { d.hidden[dense>>6] |= 1 << (dense & 63) }

// ID is the brand's id; 0 where the directory does not have it.
func (d *Directory) ID(dense uint32) domain.BrandID {
	if dense == rows.Visits || int(dense) > len(d.ids) {
		return 0
	}
	return d.ids[dense-1]
}

// listed reports that the brand may be in a list.
func (d *Directory) listed(dense uint32) bool {
	return int(dense) <= len(d.ids) && d.hidden[dense>>6]>>(dense&63)&1 == 0
}

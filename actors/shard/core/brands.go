package core

import (
	"github.com/ovation-analytics/ovation/actors/catalog"
	"github.com/ovation-analytics/ovation/actors/domain"
)

// known cuts records before the first that names a brand which the catalog at hand does not have: a node that has
// read more of the catalog wrote it. Where that is the first record, lacks is the brand. What is applied in the
// end is the same wherever the cut is (I6).
//
// Nothing else of the catalog is looked up by an id that a record names. The compare is no measurable part of the
// 8.5 µs of a record (BenchmarkApply).
func (m *Machine) known(records []domain.Record) (before []domain.Record, lacks domain.BrandID) {
	view := m.c.Partition.Catalog.View()
	last := view.LastBrand()
	for i := range records {
		r := &records[i]
		brand := r.Activity.Brand
		if l, is := r.Command.(*domain.Lend); is && l != nil {
			brand = highestBrand(l)
		}
		if brand <= last || !m.counts(view, r) {
			continue
		}
		if i == 0 {
			lacks = brand
		}
		return records[:i], lacks
	}
	return records, 0
}

// highestBrand is the highest id of a brand that a step of a merge names.
func highestBrand(l *domain.Lend) (brand domain.BrandID) {
	for i := range l.Rows {
		brand = max(brand, l.Rows[i].Row.Brand)
	}
	return brand
}

// counts reports that applying a record may count something. The brand of any other may be one that never was:
// such a record must not stop the shard.
func (m *Machine) counts(view *catalog.View, r *domain.Record) bool {
	return r.IsFor(m.c.Partition.ID, m.c.Partition.Shards) && r.Activity.Refusal == domain.Accepted && !view.SetsAside(m.placeOf(r))
}

// placeOf is the place of a record of the journal.
func (m *Machine) placeOf(r *domain.Record) catalog.RecordPlace {
	return catalog.RecordPlace{Topic: m.State.Shard.Journal, Partition: m.c.Partition.ID, Offset: r.Offset, Epoch: r.Epoch}
}

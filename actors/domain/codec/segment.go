package codec

import (
	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/actors/domain/codec/schema"
)

func putSegmentToWire(p *domain.PutSegment) *schema.PutSegment {
	return &schema.PutSegment{Segment: segmentToWire(&p.Segment), Given: p.Given, At: p.At}
}

func putSegmentFromWire(c *checker, m *schema.PutSegment) domain.PutSegment {
	return domain.PutSegment{Segment: segmentFromWire(c, m.Segment), Given: m.Given, At: m.At}
}

func deleteSegmentToWire(d *domain.DeleteSegment) *schema.DeleteSegment {
	return &schema.DeleteSegment{Id: uint32(d.ID), At: d.At}
}

func deleteSegmentFromWire(_ *checker, m *schema.DeleteSegment) domain.DeleteSegment {
	return domain.DeleteSegment{ID: domain.SegmentID(m.Id), At: m.At}
}

func segmentToWire(s *domain.Segment) *schema.Segment {
	return &schema.Segment{
		Id:           uint32(s.ID),
		Account:      uint32(s.Account),
		Brand:        uint32(s.Brand),
		Name:         s.Name,
		Label:        s.Label,
		Activities:   list(s.Activities, segmentActivityToWire),
		Rule:         s.Rule,
		Threshold:    s.Threshold,
		PeriodAmount: uint32(s.Period.Amount),
		PeriodUnit:   uint32(s.Period.Unit),
		Page:         s.Page,
		Created:      s.Created,
		Updated:      s.Updated,
		Deleted:      s.Deleted,
		Version:      s.Version,
		Followed:     s.Followed,
	}
}

func segmentFromWire(c *checker, m *schema.Segment) domain.Segment {
	return domain.Segment{
		ID:         domain.SegmentID(m.GetId()),
		Account:    domain.AccountID(m.GetAccount()),
		Brand:      domain.BrandID(m.GetBrand()),
		Name:       m.GetName(),
		Label:      m.GetLabel(),
		Activities: listFrom(c, m.GetActivities(), segmentActivityFromWire),
		Rule:       m.GetRule(),
		Threshold:  m.GetThreshold(),
		Period: domain.Period{
			Amount: small[uint16](c, m.GetPeriodAmount()),
			Unit:   small[domain.Unit](c, m.GetPeriodUnit()),
		},
		Page:    m.GetPage(),
		Created: m.GetCreated(),
		Updated: m.GetUpdated(),
		Deleted: m.GetDeleted(),

		Version:  m.GetVersion(),
		Followed: m.GetFollowed(),
	}
}

func segmentActivityToWire(a *domain.SegmentActivity) *schema.SegmentActivity {
	return &schema.SegmentActivity{Definition: uint32(a.Definition), Points: uint32(a.Points), Own: a.Own}
}

func segmentActivityFromWire(c *checker, m *schema.SegmentActivity) domain.SegmentActivity {
	return domain.SegmentActivity{
		Definition: domain.DefinitionID(m.Definition),
		Points:     small[uint16](c, m.Points),
		Own:        m.Own,
	}
}

package codec

import (
	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/actors/domain/codec/schema"
)

func listRuleToWire(l *domain.ListRule) *schema.ListRule {
	m := &schema.ListRule{
		Rule: l.Rule, Brand: uint32(l.Brand), Threshold: l.Threshold,
		PeriodAmount: uint32(l.Period.Amount), PeriodUnit: uint32(l.Period.Unit),
	}
	for _, d := range l.Definitions {
		m.Definitions = append(m.Definitions, uint32(d))
	}
	if encoder.Size(m) == 0 {
		return nil
	}
	return m
}

func listRuleFromWire(c *checker, m *schema.ListRule) domain.ListRule {
	l := domain.ListRule{
		Rule: m.GetRule(), Brand: domain.BrandID(m.GetBrand()), Threshold: m.GetThreshold(),
		Period: domain.Period{
			Amount: small[uint16](c, m.GetPeriodAmount()),
			Unit:   small[domain.Unit](c, m.GetPeriodUnit()),
		},
	}
	for _, d := range m.GetDefinitions() {
		l.Definitions = append(l.Definitions, domain.DefinitionID(d))
	}
	return l
}

func followListToWire(f *domain.FollowList) *schema.FollowList {
	return &schema.FollowList{
		Segment: uint32(f.Segment), Partition: f.Partition, Version: f.Version, Rule: listRuleToWire(&f.Rule), Ends: f.Ends,
		Catalog: f.Catalog,
	}
}

func followListFromWire(c *checker, m *schema.FollowList) domain.FollowList {
	return domain.FollowList{
		Segment: domain.SegmentID(m.GetSegment()), Partition: m.GetPartition(), Version: m.GetVersion(),
		Rule: listRuleFromWire(c, m.GetRule()), Ends: m.GetEnds(), Catalog: m.GetCatalog(),
	}
}

func followedListToWire(l *domain.FollowedList) *schema.FollowedList {
	return &schema.FollowedList{
		Account: uint32(l.Account), Segment: uint32(l.Segment), Version: l.Version, Rule: listRuleToWire(&l.Rule),
		Since: l.Since, Gone: l.Gone, Catalog: l.Catalog,
	}
}

func followedListFromWire(c *checker, m *schema.FollowedList) domain.FollowedList {
	return domain.FollowedList{
		Account: domain.AccountID(m.GetAccount()), Segment: domain.SegmentID(m.GetSegment()), Version: m.GetVersion(),
		Rule: listRuleFromWire(c, m.GetRule()), Since: m.GetSince(), Gone: m.GetGone(), Catalog: m.GetCatalog(),
	}
}

func followSegmentToWire(f *domain.FollowSegment) *schema.FollowSegment {
	return &schema.FollowSegment{Id: uint32(f.ID), At: f.At}
}

func followSegmentFromWire(_ *checker, m *schema.FollowSegment) domain.FollowSegment {
	return domain.FollowSegment{ID: domain.SegmentID(m.GetId()), At: m.GetAt()}
}

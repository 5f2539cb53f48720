package codec

import (
	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/actors/domain/codec/schema"
)

func putPlanToWire(p *domain.PutPlan) *schema.PutPlan {
	return &schema.PutPlan{Application: uint32(p.Application), Plan: uint32(p.Plan), At: p.At}
}

func putPlanFromWire(c *checker, m *schema.PutPlan) domain.PutPlan {
	return domain.PutPlan{
		Application: domain.ApplicationID(m.Application), Plan: small[domain.Plan](c, m.Plan), At: m.At,
	}
}

func putLimitsToWire(p *domain.PutLimits) *schema.PutLimits {
	return &schema.PutLimits{Account: uint32(p.Account), Limits: limitsToWire(&p.Limits), At: p.At}
}

func putLimitsFromWire(c *checker, m *schema.PutLimits) domain.PutLimits {
	return domain.PutLimits{Account: domain.AccountID(m.Account), Limits: limitsFromWire(c, m.Limits), At: m.At}
}

// limitsToWire is nil where all are the plan's: a message has one form.
func limitsToWire(l *domain.Limits) *schema.Limits {
	if *l == (domain.Limits{}) {
		return nil
	}
	return &schema.Limits{Rate: l.Rate, Burst: l.Burst, Mode: uint32(l.Mode), Month: l.Month}
}

func limitsFromWire(c *checker, m *schema.Limits) domain.Limits {
	if m == nil {
		return domain.Limits{}
	}
	return domain.Limits{Rate: m.Rate, Burst: m.Burst, Mode: small[domain.LimitMode](c, m.Mode), Month: m.Month}
}

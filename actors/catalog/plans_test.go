package catalog

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/ovation-analytics/ovation/actors/domain"
)

// Plans and limits are those of the last command; a change shows in the account's Changed, a
// repeat changes nothing, an unknown id is refused.
func TestLedger_PlansAndLimits(t *testing.T) {
	b, account := withAccount(t)
	b.do(0, 0, &domain.CreateApplication{AccountName: "label", Name: "shop", Plan: domain.Standard})
	b.do(0, 0, &domain.CreateApplication{AccountName: "other", Name: "shop", Plan: domain.Standard})
	before := b.l.publish()
	own := domain.Limits{Rate: 7, Burst: 9, Mode: domain.SoftLimit, Month: 11}
	if out := b.do(0, 5, &domain.PutLimits{Account: account, Limits: own}); out.Code != domain.OK {
		t.Fatal(out)
	}
	if out := b.do(0, 6, &domain.PutPlan{Application: 2, Plan: domain.Enterprise}); out.Code != domain.OK || out.Second != uint32(account) {
		t.Fatal(out)
	}
	b.do(0, 0, &domain.PutLimits{Account: account, Limits: domain.Limits{Rate: 1}})
	b.do(0, 0, &domain.PutLimits{Account: account, Limits: own})
	if out, first := b.submit(0, 5, 1, &domain.PutLimits{Account: account, Limits: own}); out.Code != domain.OK || first != 0 {
		t.Errorf("a repeat: %+v", out)
	}
	if out := b.do(0, 0, &domain.PutLimits{Account: 9}); out.Code != domain.NotFound {
		t.Errorf("an unknown account: %+v", out)
	}
	if out := b.do(0, 0, &domain.PutPlan{Application: 9, Plan: domain.Advanced}); out.Code != domain.NotFound {
		t.Errorf("an unknown application: %+v", out)
	}
	v := b.l.publish()
	a, _ := v.Account(account)
	if d := cmp.Diff(own, a.Limits); d != "" {
		t.Error(d)
	}
	var plans []domain.Plan
	for _, app := range v.ApplicationsOf(account) {
		plans = append(plans, app.Plan)
	}
	if d := cmp.Diff([]domain.Plan{domain.Advanced, domain.Enterprise}, plans); d != "" {
		t.Error(d)
	}
	if v.Changed(account) <= before.Changed(account) || v.Changed(2) != before.Changed(2) {
		t.Errorf("changed %d and %d, before %d and %d", v.Changed(account), v.Changed(2), before.Changed(account), before.Changed(2))
	}
	if old, _ := before.Account(account); old.Limits != (domain.Limits{}) {
		t.Errorf("a view that was published has %+v", old.Limits)
	}
}

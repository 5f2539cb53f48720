package catalog

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/ovation-analytics/ovation/actors/domain"
)

// A webhook is made with what is given, and an edit overwrites what it names alone. A rotation keeps the secret before
// it for a day.
func TestWebhooks_PutOverwritesWhatIsGiven(t *testing.T) {
	b, account := withAccount(t)
	made := domain.Webhook{
		URL: "https://a.example/", Events: domain.EventKindsOf(domain.EventActivity), Batch: 5, Secret: []byte("s1"), Begin: []uint64{3, 4},
		Filters: []domain.WebhookFilter{{Name: "brandID", Value: "4"}}, Created: 99, Updated: 99, Deleted: true,
	}
	out := b.do(account, 0, &domain.PutWebhook{Webhook: made, Given: []string{"URL", "Events", "Filters", "Batch", "Secret"}, At: 7})
	if out.Code != domain.OK || out.ID != 1 || !out.New {
		t.Fatalf("%+v", out)
	}
	want := made
	want.ID, want.Account, want.Created, want.Updated, want.Deleted = 1, account, 7, 7, false
	same := func(what string) {
		t.Helper()
		got, _ := b.l.view.Webhook(account, 1)
		if diff := cmp.Diff(&want, got); diff != "" {
			t.Fatalf("%s (-want +got)\n%s", what, diff)
		}
	}
	same("created")
	edit := domain.Webhook{ID: 1, URL: "https://ignored.example/", Secret: []byte("s2"), Batch: 9, Begin: []uint64{9}}
	if out = b.do(account, 0, &domain.PutWebhook{Webhook: edit, Given: []string{"Secret", "Batch"}, At: 8}); out.New || out.ID != 1 {
		t.Fatalf("%+v", out)
	}
	want.Former, want.Secret, want.Until, want.Batch, want.Updated = []byte("s1"), []byte("s2"), 8+domain.RotationLife, 9, 8
	same("rotated")
	if got := want.Filter("brandID") + want.Filter("keyword"); got != "4" {
		t.Errorf("filters: %q", got)
	}
	if out = b.do(account, 0, &domain.DeleteWebhook{ID: 1, At: 9}); out.Code != domain.OK {
		t.Fatalf("%+v", out)
	}
	if w := b.l.view.Webhooks()[0]; !w.Deleted || w.Secret != nil || w.Former != nil {
		t.Errorf("deleted: %+v", w)
	}
	for _, c := range []domain.Command{&domain.DeleteWebhook{ID: 1}, &domain.PutWebhook{Webhook: domain.Webhook{ID: 1}}, &domain.DeleteWebhook{ID: 2}} {
		if out := b.do(account, 0, c); out.Code != domain.NotFound || out.Parameter != "webhookid" {
			t.Errorf("%T of what is not there: %+v", c, out)
		}
	}
}

// What a node decided by the receiver's answers disables the webhook as the node knew it, and none that was edited since.
func TestWebhooks_DisabledAsItWas(t *testing.T) {
	b, account := withAccount(t)
	b.do(account, 0, &domain.PutWebhook{Webhook: domain.Webhook{URL: "u"}, Given: []string{"URL"}, At: 7})
	set := func(why domain.Disabled, updated, at int64) (domain.Disabled, int64) {
		b.do(account, 0, &domain.PutWebhook{Webhook: domain.Webhook{ID: 1, Disabled: why, Updated: updated}, Given: []string{"Enabled"}, At: at})
		w, _ := b.l.view.Webhook(account, 1)
		return w.Disabled, w.Since
	}
	for _, step := range []struct {
		name        string
		why         domain.Disabled
		updated, at int64
		want        domain.Disabled
		since       int64
	}{
		{"by a node that knew an earlier state", domain.DisabledByGone, 6, 8, domain.NotDisabled, 0},
		{"by one that knew the state", domain.DisabledByGone, 8, 9, domain.DisabledByGone, 9},
		{"again, for another reason", domain.DisabledByFailing, 9, 10, domain.DisabledByGone, 9},
		{"enabled by its owner", domain.NotDisabled, 0, 11, domain.NotDisabled, 11},
		{"disabled by its owner", domain.DisabledByOwner, 0, 12, domain.DisabledByOwner, 12},
		{"failing, while it is disabled", domain.DisabledByFailing, 12, 13, domain.DisabledByOwner, 12},
	} {
		if got, since := set(step.why, step.updated, step.at); got != step.want || since != step.since {
			t.Errorf("%s: %d since %d, want %d since %d", step.name, got, since, step.want, step.since)
		}
	}
}

// An account has so many webhooks at most; those that are deleted make room, and other accounts do not see them.
func TestWebhooks_Bounded(t *testing.T) {
	b, account := withAccount(t)
	put := func() domain.Outcome {
		return b.do(account, 0, &domain.PutWebhook{Webhook: domain.Webhook{URL: "u"}, Given: []string{"URL"}})
	}
	for i := range domain.MaxWebhooks {
		if out := put(); out.Code != domain.OK || out.ID != uint32(i+1) {
			t.Fatalf("webhook %d: %+v", i, out)
		}
	}
	if out := put(); out.Code != domain.PlanLimit {
		t.Errorf("one more: %+v", out)
	}
	b.do(account, 0, &domain.DeleteWebhook{ID: 5})
	if out := put(); out.ID != domain.MaxWebhooks+1 {
		t.Errorf("in the room of one that was deleted: %+v", out)
	}
	if _, ok := b.l.view.Webhook(account+1, 1); ok {
		t.Error("another account has the webhook")
	}
	if out := b.do(99, 0, &domain.PutWebhook{}); out.Code != domain.NotFound {
		t.Errorf("an account that is not there: %+v", out)
	}
}

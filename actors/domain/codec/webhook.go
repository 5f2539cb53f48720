package codec

import (
	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/actors/domain/codec/schema"
)

func putWebhookToWire(p *domain.PutWebhook) *schema.PutWebhook {
	return &schema.PutWebhook{Webhook: webhookToWire(&p.Webhook), Given: p.Given, At: p.At}
}

func putWebhookFromWire(c *checker, m *schema.PutWebhook) domain.PutWebhook {
	return domain.PutWebhook{Webhook: webhookFromWire(c, m.Webhook), Given: m.Given, At: m.At}
}

func deleteWebhookToWire(d *domain.DeleteWebhook) *schema.DeleteWebhook {
	return &schema.DeleteWebhook{Id: uint32(d.ID), At: d.At}
}

func deleteWebhookFromWire(_ *checker, m *schema.DeleteWebhook) domain.DeleteWebhook {
	return domain.DeleteWebhook{ID: domain.WebhookID(m.Id), At: m.At}
}

func webhookToWire(w *domain.Webhook) *schema.Webhook {
	return &schema.Webhook{
		Id:       uint32(w.ID),
		Account:  uint32(w.Account),
		Url:      w.URL,
		Events:   uint32(w.Events),
		Filters:  list(w.Filters, webhookFilterToWire),
		Batch:    uint32(w.Batch),
		Disabled: uint32(w.Disabled),
		Since:    w.Since,
		Secret:   w.Secret,
		Former:   w.Former,
		Until:    w.Until,
		Begin:    w.Begin,
		Created:  w.Created,
		Updated:  w.Updated,
		Deleted:  w.Deleted,
	}
}

func webhookFromWire(c *checker, m *schema.Webhook) domain.Webhook {
	return domain.Webhook{
		ID:       domain.WebhookID(m.GetId()),
		Account:  domain.AccountID(m.GetAccount()),
		URL:      m.GetUrl(),
		Events:   small[domain.EventKinds](c, m.GetEvents()),
		Filters:  listFrom(c, m.GetFilters(), webhookFilterFromWire),
		Batch:    small[uint16](c, m.GetBatch()),
		Disabled: small[domain.Disabled](c, m.GetDisabled()),
		Since:    m.GetSince(),
		Secret:   m.GetSecret(),
		Former:   m.GetFormer(),
		Until:    m.GetUntil(),
		Begin:    m.GetBegin(),
		Created:  m.GetCreated(),
		Updated:  m.GetUpdated(),
		Deleted:  m.GetDeleted(),
	}
}

func webhookFilterToWire(f *domain.WebhookFilter) *schema.WebhookFilter {
	return &schema.WebhookFilter{Name: f.Name, Value: f.Value}
}

func webhookFilterFromWire(_ *checker, m *schema.WebhookFilter) domain.WebhookFilter {
	return domain.WebhookFilter{Name: m.GetName(), Value: m.GetValue()}
}

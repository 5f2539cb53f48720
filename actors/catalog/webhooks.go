package catalog

import "github.com/ovation-analytics/ovation/actors/domain"

var noWebhook = domain.Bad(domain.NotFound, "webhookid", "no such webhook")

func (l *ledger) putWebhook(account domain.AccountID, c *domain.PutWebhook) domain.Outcome {
	if _, ok := l.view.Account(account); !ok {
		return domain.Failed(domain.Fail(domain.NotFound, "no such account"))
	}
	w := domain.Webhook{Account: account, Batch: 1, Created: c.At, Begin: c.Webhook.Begin}
	if c.Webhook.ID != 0 {
		old, ok := l.view.Webhook(account, c.Webhook.ID)
		if !ok {
			return domain.Failed(noWebhook)
		}
		w = *old
	} else if l.livingWebhooks(account) >= domain.MaxWebhooks {
		return domain.Failed(domain.Fail(domain.PlanLimit, "the account has 100 webhooks, which is the most: delete one first"))
	}
	for _, name := range c.Given {
		overwriteWebhook(&w, c, name)
	}
	w.Updated = max(c.At, w.Updated+1) // two edits have two states, whatever their clocks say
	isNew := w.ID == 0
	if isNew {
		w.ID = domain.WebhookID(l.count(countWebhooks))
	}
	l.keep(&w)
	return domain.Outcome{ID: uint32(w.ID), New: isNew}
}

// livingWebhooks is how many webhooks an account has.
func (l *ledger) livingWebhooks(account domain.AccountID) (n int) {
	for _, w := range l.view.WebhooksOf(account) {
		if !w.Deleted {
			n++
		}
	}
	return n
}

// overwriteWebhook copies the field of that name in the contract's spelling.
func overwriteWebhook(w *domain.Webhook, c *domain.PutWebhook, name string) {
	from := &c.Webhook
	switch name {
	case "URL":
		w.URL = from.URL
	case "Events":
		w.Events = from.Events
	case "Filters":
		w.Filters = from.Filters
	case "Batch":
		w.Batch = from.Batch
	case "Enabled":
		disableWebhook(w, c)
	case "Secret":
		w.Former, w.Until = w.Secret, c.At+domain.RotationLife
		w.Secret = from.Secret
		if w.Former == nil {
			w.Until = 0
		}
	}
}

// disableWebhook takes what a command says of whether a webhook sends. A node that saw its receiver fail may have
// decided so before the webhook was edited: then that edit counts.
func disableWebhook(w *domain.Webhook, c *domain.PutWebhook) {
	why := c.Webhook.Disabled
	decided := why == domain.DisabledByGone || why == domain.DisabledByFailing
	if decided && (c.Webhook.Updated != w.Updated || w.Disabled != domain.NotDisabled) || why == w.Disabled {
		return
	}
	w.Disabled, w.Since = why, c.At
}

func (l *ledger) deleteWebhook(account domain.AccountID, c *domain.DeleteWebhook) domain.Outcome {
	old, ok := l.view.Webhook(account, c.ID)
	if !ok {
		return domain.Failed(noWebhook)
	}
	w := *old
	w.Deleted, w.Updated = true, c.At
	w.Secret, w.Former, w.Filters, w.Begin = nil, nil, nil, nil
	l.keep(&w)
	return domain.Outcome{ID: uint32(c.ID)}
}

package core

import (
	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/actors/shard/tx"
)

// delivered notes how far the events of a webhook came. A record that is based on another version than that there is
// changes nothing.
func delivered(t *tx.Tx, r *domain.Record, d *domain.Delivered) {
	all := t.State.Progress
	next, changed := all[d.Webhook].After(d)
	if !changed {
		t.Complete(r, domain.Outcome{Again: true})
		return
	}
	if all[d.Webhook] = next; d.Forget {
		delete(all, d.Webhook)
	}
	t.Change(domain.Change{Kind: domain.ProgressPut, Value: &domain.ProgressChange{Progress: next, From: d, Clock: t.Clock()}})
	t.Complete(r, domain.Outcome{ID: uint32(d.Webhook)})
}

package core

import (
	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/actors/shard/tx"
)

// delivered notes how far the events of a webhook came. A record that is based on another version than that there is
// changes nothing: changed is false then.
func delivered(t *tx.Tx, r *domain.Record, d *domain.Delivered) (changed bool) {
	all := t.State.Progress
	next, changed := all[d.Webhook].After(d)
	if !changed {
		t.Complete(r, domain.Outcome{Again: true})
		return false
	}
	if all[d.Webhook] = next; d.Forget {
		delete(all, d.Webhook)
	}
	t.Change(domain.Change{Kind: domain.ProgressPut, Value: &domain.ProgressChange{Progress: next, From: d, Clock: t.Clock()}})
	t.Complete(r, domain.Outcome{ID: uint32(d.Webhook)})
	return true
}

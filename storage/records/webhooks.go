package records

import (
	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/storage/format"
	"github.com/ovation-analytics/ovation/storage/internal/scan"
)

// Progresses calls f with the progress of each webhook, by their ids.
func (s Set) Progresses(f func(*domain.Progress)) error {
	return s.all(format.FamilyWebhook, func(k, v []byte) error {
		if !format.IsProgressKey(k) {
			return nil
		}
		p := new(domain.Progress)
		err := format.DecodeMessage(v, p)
		if err == nil {
			f(p)
		}
		return err
	})
}

// Progress is how far the events of a webhook came, and what is pending, by its places; zero: nothing was kept.
func (s Set) Progress(id domain.WebhookID) (p domain.Progress, pending []domain.Undelivered, err error) {
	p.Webhook = id
	_, err = scan.Get(s.db, format.AppendProgressKey(nil, s.shard, id), func(v []byte) error {
		return format.DecodeMessage(v, &p)
	})
	if err == nil {
		err = scan.Prefix(s.db, format.PendingPrefix(nil, s.shard, id), func(_, v []byte) error {
			pending = append(pending, domain.Undelivered{})
			return format.DecodeMessage(v, &pending[len(pending)-1])
		})
	}
	return p, pending, err
}

// Ended calls f with the messages of a webhook that ended, in no order: the last domain.MaxDeliveries, and those that
// were given up.
func (s Set) Ended(id domain.WebhookID, f func(*domain.Delivery)) error {
	for _, prefix := range [][]byte{format.TakenPrefix(nil, s.shard, id), format.GivenUpPrefix(nil, s.shard, id)} {
		if err := scan.Prefix(s.db, prefix, func(_, v []byte) error {
			d := new(domain.Delivery)
			err := format.DecodeMessage(v, d)
			if err == nil {
				f(d)
			}
			return err
		}); err != nil {
			return err
		}
	}
	return nil
}

package store

import (
	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/storage/format"
)

// putProgress stages how far the events of a webhook came.
func (s *staging) putProgress(c *domain.ProgressChange) error {
	d := c.From
	if d.Forget {
		prefix := format.WebhookPrefix(nil, s.shard, d.Webhook)
		return s.batch.DeleteRange(prefix, format.PrefixEnd(prefix), nil)
	}
	s.key = format.AppendProgressKey(s.key[:0], s.shard, d.Webhook)
	if err := s.setMessage(&c.Progress); err != nil {
		return err
	}
	for _, at := range d.Done {
		s.key = format.AppendPendingKey(s.key[:0], s.shard, d.Webhook, at)
		if err := s.batch.Delete(s.key, nil); err != nil {
			return err
		}
	}
	for i := range d.Pending {
		p := &d.Pending[i]
		s.key = format.AppendPendingKey(s.key[:0], s.shard, d.Webhook, p.Place())
		if err := s.setMessage(p); err != nil {
			return err
		}
	}
	return s.putEnded(c)
}

// putEnded stages the messages that ended, and drops those that were given up too long ago.
func (s *staging) putEnded(c *domain.ProgressChange) error {
	d := c.From
	if len(d.Ended) == 0 {
		return nil
	}
	number := c.Progress.Taken
	for i := range d.Ended {
		if !d.Ended[i].GivenUp {
			number--
		}
	}
	for i := range d.Ended {
		of := &d.Ended[i]
		if of.GivenUp {
			s.key = format.AppendGivenUpKey(s.key[:0], s.shard, d.Webhook, of.At, of.Events[0].EventPlace)
		} else {
			s.key = format.AppendTakenKey(s.key[:0], s.shard, d.Webhook, number)
			number++
		}
		if err := s.setMessage(of); err != nil {
			return err
		}
	}
	from := format.GivenUpPrefix(nil, s.shard, d.Webhook)
	return s.batch.DeleteRange(from, format.AppendGivenUpKey(nil, s.shard, d.Webhook, c.Clock-domain.GivenUpLife, domain.EventPlace{}), nil)
}

package ingest

import (
	"math"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/ingest/kafka"
)

// Review is what this release reads in a message of the public topic, without what the
// catalog knows: whose it is and which action, and why it would be refused.
type Review struct {
	Account    domain.AccountID // 0: none that can be read
	Source, ID string           // the dedup key, where Keyed
	Keyed      bool
	Refusal    domain.Reason // Accepted: none
	Detail     string
}

// Review reads a message. It never fails. What it gives shares the message's memory, and
// hangs on no secret of the decoder's hasher.
func (d *Decoder) Review(m *kafka.Message) (r Review) {
	var record domain.Record
	d.Decode(&record, Incoming{TimeMs: m.TimeMs, Key: m.Key, Value: m.Value, Headers: func(yield func(key, value []byte)) {
		for _, h := range m.Headers {
			yield([]byte(h.Key), h.Value)
		}
	}})
	r.Refusal, r.Detail = record.Activity.Refusal, record.Activity.Detail
	if n, fault := d.event.id("account", account, math.MaxUint32); fault == accepted {
		r.Account = domain.AccountID(n)
	}
	id, source := &d.event.fields[eventID], &d.event.fields[eventSource]
	name, named := id.name()
	text, said := source.text()
	if named && said && id.given() && source.given() {
		r.Source, r.ID, r.Keyed = text, name, true
	}
	return r
}

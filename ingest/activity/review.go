package activity

import (
	"math"

	"github.com/ovation-analytics/ovation/actors/domain"
)

// Review is what this release reads in a record of the public topic, without what the
// catalog knows: whose it is and which action, and why it would be refused.
type Review struct {
	Account domain.AccountID // 0: none that can be read
	Source  string           // empty: none that can be read
	ID      string           // with Source the dedup key, where Keyed
	Keyed   bool
	Refusal domain.Reason // Accepted: none
	Detail  string
}

// Review reads a record. It never fails. What it gives shares the record's memory, and
// hangs on no secret of the decoder's hasher.
func (d *Decoder) Review(in Incoming) (r Review) {
	var record domain.Record
	d.Decode(&record, in)
	r.Refusal, r.Detail = record.Activity.Refusal, record.Activity.Detail
	if n, fault := d.event.id("account", account, math.MaxUint32); fault == accepted {
		r.Account = domain.AccountID(n)
	}
	id, source := &d.event.fields[eventID], &d.event.fields[eventSource]
	if text, readable := source.text(); readable && source.given() {
		r.Source = text
	}
	if name, named := id.name(); named && id.given() && r.Source != "" {
		r.ID, r.Keyed = name, true
	}
	return r
}

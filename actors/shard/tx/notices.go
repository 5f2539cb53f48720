package tx

import "github.com/ovation-analytics/ovation/actors/domain"

// Notify has streams tell something, under the next sequence.
func (t *Tx) Notify(n domain.Notice) {
	n.Seq, n.At = t.NextSequence(), t.At.Clock
	t.Change(domain.Change{Kind: domain.NoticePut, Value: &n})
}

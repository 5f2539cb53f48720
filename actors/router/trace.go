package router

import (
	"time"

	"github.com/ovation-analytics/ovation/actors/domain"
)

// timing is when the parts of routing a page began; zero: no record is traced.
type timing struct{ stamp, append time.Time }

// timing begins to route a page.
func (r *router) timing() (t timing) {
	if r.o.Traces != nil {
		t.stamp = time.Now()
	}
	return t
}

// stamped notes that the page's records are stamped.
func (t *timing) stamped() {
	if !t.stamp.IsZero() {
		t.append = time.Now()
	}
}

// trace records the records of an appended page that are sampled: from when they were read to when the journal has
// them.
func (r *router) trace(p *sourcePage, t *timing) {
	if r.o.Traces == nil {
		return
	}
	now := time.Now()
	for i := range p.Arrivals {
		rec := &p.Arrivals[i].Record
		if !r.o.Traces.Sampled(&rec.Origin) {
			continue
		}
		s := r.o.Traces.Routed(&rec.Origin, p.readAt)
		s.Int("ovation.partition", int64(rec.Origin.Partition))
		s.Int("ovation.offset", rec.Origin.Offset)
		s.Int("ovation.records", int64(len(p.Arrivals)))
		if reason := rec.Activity.Refusal; reason != domain.Accepted {
			s.Text("ovation.refused", reason.String())
		}
		s.StartAt("stamp", t.stamp).EndAt(t.append)
		s.StartAt("append", t.append).EndAt(now)
		s.EndAt(now)
	}
}

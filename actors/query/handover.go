package query

import (
	"slices"

	"github.com/ovation-analytics/ovation/actors/domain"
)

// Members that merge take their rows from one shard to another (domain.Handover): in one commit of
// the sender they stop to count, in a later one of the receiver they begin. Both count the switch.
// Views of which the sender's has it and the receiver's has not would count the rows nowhere, the
// other way round twice. So the views that an answer is made of have to agree: where two do not,
// the one that is behind is read again, not before it has what the other one knows of. What the
// others answered is kept.

// viewState is a view that an answer is made of.
type viewState struct {
	shard     int
	handovers []domain.Handover
}

// lost reports that the shard's journal has lost records.
func (s *viewState) lost() bool {
	return len(s.handovers) > 0 && s.handovers[0].Shard == domain.JournalLost
}

// handoverWith is what a shard has counted with another.
func handoverWith(all []domain.Handover, shard int) domain.Handover {
	if shard >= 0 && shard < len(all) && all[shard].Shard == shard {
		return all[shard]
	}
	for i := range all {
		if all[i].Shard == shard {
			return all[i]
		}
	}
	return domain.Handover{Shard: shard}
}

// reached reports that a view has all handovers of a floor.
func reached(have, floor []domain.Handover) bool {
	for i := range floor {
		h := handoverWith(have, floor[i].Shard)
		if h.Sent < floor[i].Sent || h.Received < floor[i].Received {
			return false
		}
	}
	return true
}

// floors is, by shard, what a view of it must have before the views of an answer agree.
type floors [][]domain.Handover

// raise raises the floor of a shard.
func (f floors) raise(shard int, h domain.Handover) {
	i := slices.IndexFunc(f[shard], func(o domain.Handover) bool { return o.Shard == h.Shard })
	if i < 0 {
		f[shard] = append(f[shard], h)
		return
	}
	o := &f[shard][i]
	o.Sent, o.Received = max(o.Sent, h.Sent), max(o.Received, h.Received)
}

// check reports that the views of several shards agree, or raises the floors of those that are
// behind. Shards that are not among them do not matter. Of a shard there may be two views: they
// must be alike.
func (f floors) check(views []viewState) bool {
	agree := true
	lacks := func(shard int, h domain.Handover) {
		f.raise(shard, h)
		agree = false
	}
	of := make([]*viewState, len(f))
	for i := range views {
		v := &views[i]
		if v.lost() {
			continue
		}
		o := of[v.shard]
		of[v.shard] = v
		if o != nil && !(reached(v.handovers, o.handovers) && reached(o.handovers, v.handovers)) {
			for _, h := range slices.Concat(o.handovers, v.handovers) {
				lacks(v.shard, h)
			}
		}
	}
	for i := range views {
		own := views[i].shard
		if views[i].lost() {
			continue
		}
		for _, h := range views[i].handovers {
			if h.Shard >= len(of) || of[h.Shard] == nil {
				continue
			}
			other := handoverWith(of[h.Shard].handovers, own)
			switch {
			case h.Sent > other.Received:
				lacks(h.Shard, domain.Handover{Shard: own, Received: h.Sent})
			case h.Sent < other.Received:
				lacks(own, domain.Handover{Shard: h.Shard, Sent: other.Received})
			}
			switch {
			case h.Received > other.Sent:
				lacks(h.Shard, domain.Handover{Shard: own, Sent: h.Received})
			case h.Received < other.Sent:
				lacks(own, domain.Handover{Shard: h.Shard, Received: other.Sent})
			}
		}
	}
	return agree
}

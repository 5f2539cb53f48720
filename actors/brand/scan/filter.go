package scan

import (
	"encoding/binary"

	"github.com/ovation-analytics/ovation/actors/brand/bitset"
	"github.com/ovation-analytics/ovation/actors/brand/rows"
	"github.com/ovation-analytics/ovation/actors/domain"
)

// memberFilter is the members whose rows count.
type memberFilter struct {
	filter []uint64 // nil: all members
	flat   []uint8  // the filter, a byte a member, if not empty
	padded []uint64
	alone  bool // only the member one passes the filter
	one    uint32
	words  int // of a set of members
}

// pad is the filter with a word for every member.
func (x *memberFilter) pad(f []uint64) []uint64 {
	if f == nil || len(f) >= x.words {
		return f
	}
	x.padded = bitset.Sized(x.padded, x.words)
	clear(x.padded[copy(x.padded, f):])
	return x.padded
}

// filterBy has rows of these members alone pass.
func (x *memberFilter) filterBy(f []uint64) { x.filter, x.flat = f, x.flat[:0] }

// passing is about how many of so many rows are of members that pass the filter.
func (x *memberFilter) passing(size int) int {
	if x.filter == nil || size == 0 {
		return size
	}
	return int(uint64(size) * bitset.Count(x.filter[:x.words]) / uint64(64*x.words))
}

// flatten spreads the filter to a byte a member where the spans have more rows,
// spanned of them, than there
// are members: a row takes half as long then.
func (x *memberFilter) flatten(spanned int) {
	if x.filter == nil || x.alone || len(x.flat) > 0 || spanned < x.words*64 {
		return
	}
	x.flat = bitset.Sized(x.flat, x.words*64)
	for i, w := range x.filter[:x.words] {
		to := x.flat[i*64:][:64]
		for j := 0; j < 64; j += 8 {
			binary.LittleEndian.PutUint64(to[j:], eight[w>>j&255])
		}
	}
}

// eight are the bits of a byte, a byte each.
var eight = func() (out [256]uint64) {
	for v := range out {
		for i := range 8 {
			out[v] |= uint64(v>>i&1) << (8 * i)
		}
	}
	return out
}()

// kindTargets maps kinds to what their rows count for: a group of the question, or a service.
type kindTargets struct {
	asked    *Plan
	all      []rows.Kind // of the account or of its visits, by number
	labels   []uint32    // the groups that targets are, if not daily
	sites    sites       // of a question about visits
	daily    bool        // targets are services and rows keep their day; else targets are groups
	targets  uint32      // so many; a row of this target is dropped
	known    []uint32    // account's number of a kind → 1 + its target; 0: not looked up yet
	allKinds int8        // 1: rows of every kind of the account count; −1: not so; 0: not known yet
	memo     [64]struct {
		kind   rows.Kind
		target uint32 // 1 + that of a kind read from disk lately; 0: none
	}
}

// begin begins with a question about an account's kinds.
func (x *kindTargets) begin(p *Plan, all []rows.Kind, places []domain.VisitPlace, daily bool) {
	x.asked, x.all, x.daily, x.allKinds = p, all, daily, 0
	x.labels = p.labels
	if p.visits != nil {
		x.labels = x.sites.begin(p, places)
	}
	x.targets = uint32(len(x.labels))
	if daily {
		x.targets = uint32(domain.Services)
	}
	x.known = bitset.Sized(x.known, len(all))
	clear(x.known)
	clear(x.memo[:])
}

// target is where rows of a kind count, by the account's number of it.
func (x *kindTargets) target(k uint32) uint32 {
	if t := x.known[k]; t != 0 {
		return t - 1
	}
	t := x.targetOf(x.all[k])
	x.known[k] = t + 1
	return t
}

func (x *kindTargets) targetOf(k rows.Kind) uint32 {
	g, ok := x.asked.groupOf(k)
	if x.asked.visits != nil {
		g, ok = x.sites.groupOf(k)
	}
	switch {
	case !ok:
		return x.targets
	case x.daily:
		return uint32(k.Service)
	}
	return g
}

// coldTarget is where rows of a kind count, the kind as a row from disk has it.
func (x *kindTargets) coldTarget(k rows.Kind) uint32 {
	n := &x.memo[(uint32(k.Definition)^uint32(k.Service)<<3)%uint32(len(x.memo))]
	if n.target == 0 || n.kind != k {
		n.kind, n.target = k, x.targetOf(k)+1
	}
	return n.target - 1
}

// everyKind reports that rows of every kind of the account count.
func (x *kindTargets) everyKind() bool {
	if x.allKinds == 0 {
		x.allKinds = 1
		for k := range x.all {
			if x.target(uint32(k)) == x.targets {
				x.allKinds = -1
				break
			}
		}
	}
	return x.allKinds > 0
}

package audit

import (
	"errors"
	"fmt"
	"iter"
	"maps"
	"slices"
	"strings"

	"github.com/ovation-analytics/ovation/storage/format"
)

// Difference is a place in which a store is not what it should be. It names the key and
// nothing of the value.
type Difference struct {
	Family string // the letter of keys.go
	Key    string // its fields as Dump writes them; of an action its sequence too
	What   string
}

// Findings are the differences of an audit: the first ones of each family, and how many
// there are.
type Findings struct {
	First []Difference
	Total int
	of    map[string]int // by family
}

// maxFindings is how many differences of a family are named.
const maxFindings = 10

func (f *Findings) add(family byte, key, what string) {
	if f.of == nil {
		f.of = map[string]int{}
	}
	name := string(rune(family))
	f.Total++
	if f.of[name]++; f.of[name] <= maxFindings {
		f.First = append(f.First, Difference{name, key, what})
	}
}

// named reports that more differences of the family are still to be named.
func (f *Findings) named(family byte) bool { return f.of[string(rune(family))] < maxFindings }

// How a difference reads.
const (
	altered    = "altered"
	missing    = "missing"
	unexpected = "not in the replay"
)

// Compare compares what is stored of two shards of one position, the second being a
// replay: everything but how rows were spread over keys, which follows the commits. An
// error says that one of them cannot be read.
func Compare(have, replay *Audit) (*Findings, error) {
	f := &Findings{}
	if names := sameState(&have.state, &replay.state); len(names) > 0 {
		f.add(format.FamilyState, fmt.Sprintf("z shard=%d state", have.shard), altered+": "+strings.Join(names, ", "))
	}
	if err := compareOrigins(f, have, replay); err != nil {
		return f, err
	}
	for _, family := range []byte(keyed) {
		if err := compareKeys(f, family, have, replay); err != nil {
			return f, err
		}
	}
	for _, c := range []struct {
		family       byte
		have, replay walk
	}{
		{format.FamilyRows, have.rows, replay.rows},
		{format.FamilyContent, have.contents, replay.contents},
		{format.FamilyTimeline, have.actions, replay.actions},
	} {
		w := pairWalk{
			findings: f, family: c.family, shard: have.shard, have: c.have, replay: c.replay, missing: missing,
			unexpected: unexpected,
		}
		if err := w.compare(); err != nil {
			return f, err
		}
	}
	return f, nil
}

// sums are the sums over the items of a section, by stretches of sequences: they are
// compared first, and items only where they differ.
type sums map[uint64]format.StateHash

// sumBits is how many bits of a sequence a stretch has.
const sumBits = 12

func (s sums) add(items []item) {
	for i := range items {
		at := items[i].seq >> sumBits
		sum := s[at]
		sum.Add(items[i].sum)
		s[at] = sum
	}
}

// pairWalk compares the items of two walks.
type pairWalk struct {
	findings            *Findings
	family              byte
	shard               uint16
	have, replay        walk
	missing, unexpected string // how a difference reads
}

// summed is one section's sums.
type summed struct {
	k    format.BrandMonth
	sums sums
}

// summedSections gives the sections of a walk one by one. An error ends it.
func summedSections(w walk) iter.Seq2[summed, error] {
	return func(yield func(summed, error) bool) {
		errEnough := errors.New("enough")
		cur := summed{}
		err := w(nil, func(k format.BrandMonth, items []item) error {
			if cur.sums != nil && k != cur.k {
				if !yield(cur, nil) {
					return errEnough
				}
				cur.sums = nil
			}
			if cur.sums == nil {
				cur = summed{k, sums{}}
			}
			cur.sums.add(items)
			return nil
		})
		switch {
		case errors.Is(err, errEnough):
		case err != nil:
			yield(summed{}, err)
		case cur.sums != nil:
			yield(cur, nil)
		}
	}
}

func (w *pairWalk) compare() error {
	nextHave, stopHave := iter.Pull2(summedSections(w.have))
	defer stopHave()
	nextReplay, stopReplay := iter.Pull2(summedSections(w.replay))
	defer stopReplay()
	a, errA, okA := nextHave()
	b, errB, okB := nextReplay()
	for okA || okB {
		if err := errors.Join(errA, errB); err != nil {
			return err
		}
		c := a.k.Compare(b.k)
		if !okB {
			c = -1
		} else if !okA {
			c = 1
		}
		k, x, y := a.k, a.sums, b.sums
		if c < 0 {
			y = nil
		} else if c > 0 {
			k, x = b.k, nil
		}
		if !maps.Equal(x, y) {
			if err := w.name(k, x, y); err != nil {
				return err
			}
		}
		if c <= 0 {
			a, errA, okA = nextHave()
		}
		if c >= 0 {
			b, errB, okB = nextReplay()
		}
	}
	return nil
}

// name finds the items that differ in a section: as many as are named, all of it is one
// difference more after them.
func (w *pairWalk) name(k format.BrandMonth, x, y sums) error {
	if !w.findings.named(w.family) {
		w.findings.add(w.family, w.key(k), altered)
		return nil
	}
	differ := map[uint64]bool{}
	for _, s := range []sums{x, y} {
		for at := range s {
			if x[at] != y[at] {
				differ[at] = true
			}
		}
	}
	for _, at := range slices.Sorted(maps.Keys(differ)) {
		have, err := itemsOf(w.have, k, at)
		if err != nil {
			return err
		}
		replay, err := itemsOf(w.replay, k, at)
		if err != nil {
			return err
		}
		w.nameItems(k, have, replay)
		if !w.findings.named(w.family) {
			return nil
		}
	}
	return nil
}

func (w *pairWalk) nameItems(k format.BrandMonth, have, replay map[uint64]format.StateHash) {
	all := maps.Clone(have)
	maps.Copy(all, replay)
	for _, seq := range slices.Sorted(maps.Keys(all)) {
		x, here := have[seq]
		y, there := replay[seq]
		what := altered
		switch {
		case here && there && x == y:
			continue
		case !here:
			what = w.missing
		case !there:
			what = w.unexpected
		}
		w.findings.add(w.family, fmt.Sprintf("%s sequence=%d", w.key(k), seq), what)
	}
}

// key names a section.
func (w *pairWalk) key(k format.BrandMonth) string {
	name := fmt.Sprintf("%c month=%04d-%02d shard=%d account=%d",
		w.family, 1970+k.Month/12, k.Month%12+1, w.shard, k.Account)
	if k.Brand != 0 || w.family != format.FamilyTimeline {
		name += fmt.Sprintf(" brand=%d", k.Brand)
	}
	return name
}

// itemsOf are the items of one stretch of a section, those of one sequence added up.
func itemsOf(w walk, k format.BrandMonth, at uint64) (map[uint64]format.StateHash, error) {
	found := map[uint64]format.StateHash{}
	err := w(&k, func(_ format.BrandMonth, items []item) error {
		for i := range items {
			if items[i].seq>>sumBits == at {
				sum := found[items[i].seq]
				sum.Add(items[i].sum)
				found[items[i].seq] = sum
			}
		}
		return nil
	})
	return found, err
}

package actors

import (
	"github.com/ovation-analytics/ovation/actors/domain"
)

// A reader goes on behind a gap by the operator's word only (domain.AcceptGap), which it
// looks up where it meets the gap: by topic, partition, the offset at which it is, and the
// epoch of the batch before. So a word that was given to one pass over a log is found by
// every other that comes to the same gap: the next start, a rebuild, a replay beside the
// shard. A pass that meets no gap there, since the log was cut and has grown again, uses
// none.
//
// Words of a partition are numbered in the order of the catalog, over all topics that words
// led from to the one being read. A word that leads forward is alive until a later one leads
// back to where it stands or below: what it passed over is cut then. One that leads back
// answers once, in the pass that has read what was cut: passed tells those that are behind.
// Of words on one gap the first is used. Behind one gap may be the next: it has a word of
// its own.

// gapPlace is where a reader met a gap.
type gapPlace struct {
	topic     domain.TopicID
	partition int
	next      int64
	epoch     int32 // of the batch before; below zero: not known
	passed    int32 // number of the word under which the record before was applied
}

// behind is the place at which a word has reading go on.
func (p gapPlace) behind(w *domain.AcceptGap) gapPlace {
	p.topic, p.next, p.epoch = w.NewTopic, w.To, -1
	return p
}

// wordsOn are the words on a partition, in their order.
func (v *CatalogView) wordsOn(topic domain.TopicID, partition int) []*domain.AcceptedGap {
	var on []*domain.AcceptedGap
	led := map[domain.TopicID]bool{topic: true}
	for i := len(v.words) - 1; i >= 0; i-- { // what led to a topic is older than words on it
		w := v.words[i]
		if w.Partition != partition || !led[w.NewTopic] && !led[w.Topic] {
			continue
		}
		led[w.Topic] = true
		on = append(on, w)
	}
	for i, j := 0, len(on)-1; i < j; i, j = i+1, j-1 {
		on[i], on[j] = on[j], on[i]
	}
	return on
}

// word is the operator's word on the gap that a reader met; nil: none.
func (v *CatalogView) word(at gapPlace) *domain.AcceptGap {
	if len(v.words) == 0 {
		return nil
	}
	on := v.wordsOn(at.topic, at.partition)
	for i, w := range on {
		if w.Topic != at.topic || w.From != at.next || w.Epoch >= 0 && at.epoch >= 0 && w.Epoch != at.epoch {
			continue
		}
		if w.NewTopic == w.Topic {
			if w.Back() && int32(i) < at.passed || !w.Back() && cutBelow(on[i+1:], &w.AcceptGap) {
				continue
			}
		}
		return &w.AcceptGap
	}
	return nil
}

// cutBelow reports that one of the later words leads back to where w stands, or below.
func cutBelow(later []*domain.AcceptedGap, w *domain.AcceptGap) bool {
	for _, l := range later {
		if l.Topic == w.Topic && l.NewTopic == w.Topic && l.Back() && l.To <= w.From {
			return true
		}
	}
	return false
}

// given reports that a word leading forward, or to another topic, is there already and
// alive: the same again has no number of its own.
func (v *CatalogView) given(w *domain.AcceptGap) bool {
	if w.NewTopic == w.Topic && w.Back() {
		return false
	}
	have := v.word(gapPlace{topic: w.Topic, partition: w.Partition, next: w.From, epoch: w.Epoch})
	return have != nil && have.Epoch == w.Epoch && have.NewTopic == w.NewTopic && have.To == w.To
}

// life is how often the journal's partition was given up before the record at an offset:
// the number of the last word on it at or below. It is a function of the catalog and the
// offset, the same in every pass: senders' sequences of different pasts are told apart by
// it. next is the lowest offset above at which it is another; below zero: none.
func (v *CatalogView) life(topic domain.TopicID, partition int, offset int64) (life int32, next int64) {
	next = -1
	if len(v.words) == 0 {
		return 0, next
	}
	for i, w := range v.wordsOn(topic, partition) {
		at := w.From
		switch {
		case w.Topic != topic: // left for good
			at = 0
		case w.NewTopic == topic:
			at = min(w.From, w.To)
		}
		if at <= offset {
			life = int32(i) + 1
		} else if next < 0 || at < next {
			next = at
		}
	}
	return life, next
}

// ledBack reports that a word on the partition led back, or here from another topic: what
// was applied before may not be in the log.
func (v *CatalogView) ledBack(topic domain.TopicID, partition int) bool {
	for _, w := range v.wordsOn(topic, partition) {
		if w.Back() {
			return true
		}
	}
	return false
}

package core

import (
	"sort"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/actors/journal"
)

// Position is where a machine is in its journal, and which gaps it may pass since an operator
// accepted them. It is owned by the shard.
type Position struct {
	of    *Partition
	state *domain.ShardState
}

// Place is where the machine is.
func (p *Position) Place() journal.GapPlace {
	return journal.GapPlace{
		Topic: p.state.Journal, Partition: p.of.ID, Next: p.state.Next, Epoch: p.state.Epoch, Passed: p.state.Life,
	}
}

// Accepted is the accepted gap that begins where the machine is; nil: none.
func (p *Position) Accepted() *domain.AcceptGap {
	return p.of.Catalog.View().AcceptedGaps().At(p.Place())
}

// Pass moves the state after an accepted gap.
func (p *Position) Pass(w *domain.AcceptGap) {
	p.of.Log.Warn("reading on after a gap that the operator accepted", "shard", p.of.ID, "from", w.From, "to", w.To)
	p.state.Journal, p.state.Next, p.state.Epoch = w.NewTopic, w.To, -1
}

// sameLog passes the accepted gaps to the journal that is there, if the state was made of
// another one.
func (p *Position) sameLog() error {
	now := p.of.Journal.Topic()
	for p.state.Journal != now {
		w := p.Accepted()
		if w == nil || w.NewTopic == p.state.Journal {
			return &domain.GapError{
				Kind: domain.GapRecreated, Topic: "journal", TopicID: now, Partition: p.of.ID, Want: p.state.Next,
				Detail: "the store was made from topic " + p.state.Journal.String(),
			}
		}
		p.Pass(w)
	}
	return nil
}

// Lifted reports that accepted gaps lead on from the gap at which the shard stopped, in the
// journal that this process reads.
func (p *Position) Lifted() bool {
	v, at, now := p.of.Catalog.View(), p.Place(), p.of.Journal.Topic()
	w := v.AcceptedGaps().At(at)
	for w != nil && w.NewTopic != now {
		at = at.After(w)
		w = v.AcceptedGaps().At(at)
	}
	return w != nil
}

// living sets the life of the records to be applied, and cuts them where the next begins.
func (p *Position) living(records []domain.Record) []domain.Record {
	if len(records) == 0 {
		return records
	}
	life, next := p.of.Catalog.View().AcceptedGaps().Life(p.state.Journal, p.of.ID, records[0].Offset)
	if next >= 0 {
		records = records[:sort.Search(len(records), func(i int) bool { return records[i].Offset >= next })]
	}
	p.state.Life = life
	return records
}

package shard

import (
	"sort"

	"github.com/asynkron/protoactor-go/actor"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/actors/journal"
)

// journalPlace is where the machine is in its journal, and which gaps it may pass by the
// operator's word. It is owned by the shard.
type journalPlace struct {
	env   *Config
	state *domain.ShardState
}

// place is where the shard is in its journal.
func (s *journalPlace) place() journal.GapPlace {
	return journal.GapPlace{Topic: s.state.Journal, Partition: s.env.ID, Next: s.state.Next, Epoch: s.state.Epoch, Passed: s.state.Life}
}

// word is the operator's word on a gap where the shard is; nil: none.
func (s *journalPlace) word() *domain.AcceptGap {
	return s.env.Catalog.View().AcceptedGaps().At(s.place())
}

// atGap goes on behind the gap that the fetcher met, by the operator's word, or stops at it.
// What was read before is applied and committed first: the gap is where the shard is, in
// every pass.
func (s *shard) atGap(ctx actor.Context) {
	g := s.gap
	if g == nil || !s.queue.empty() {
		return
	}
	s.gap = nil
	w := s.machine.journal.word()
	if w == nil || w.NewTopic != s.env.Journal.Topic() {
		s.halt(ctx, s.machine.journal.place().Met(g))
		return
	}
	s.machine.journal.pass(w)
	var err error
	if w.Back() { // views and what polls are compared by are of what was cut
		if err = s.machine.store.Commit(s.machine.state, nil); err == nil {
			s.again(ctx)
			return
		}
	} else if err = s.commit(ctx); err == nil {
		s.fetcher.Stop()
		s.read()
		return
	}
	s.failed(ctx, err)
}

// pass moves the state behind a gap.
func (s *journalPlace) pass(w *domain.AcceptGap) {
	s.env.Log.Warn("reading on behind a gap, by the operator's word", "shard", s.env.ID, "from", w.From, "to", w.To)
	s.state.Journal, s.state.Next, s.state.Epoch = w.NewTopic, w.To, -1
}

// sameLog follows the operator's words to the journal that is there, if the state was made
// of another one.
func (s *journalPlace) sameLog() error {
	now := s.env.Journal.Topic()
	for s.state.Journal != now {
		w := s.word()
		if w == nil || w.NewTopic == s.state.Journal {
			return &domain.GapError{
				Kind: domain.GapRecreated, Topic: "journal", TopicID: now, Partition: s.env.ID, Want: s.state.Next,
				Detail: "the store was made from topic " + s.state.Journal.String(),
			}
		}
		s.pass(w)
	}
	return nil
}

// lifted reports that the operator's words lead on from the gap at which the shard stopped,
// in the journal that this process reads.
func (s *journalPlace) lifted() bool {
	v, at, now := s.env.Catalog.View(), s.place(), s.env.Journal.Topic()
	w := v.AcceptedGaps().At(at)
	for w != nil && w.NewTopic != now {
		at = at.Behind(w)
		w = v.AcceptedGaps().At(at)
	}
	return w != nil
}

// living sets the life of the records to be applied, and cuts them where the next begins.
func (s *journalPlace) living(records []domain.Record) []domain.Record {
	if len(records) == 0 {
		return records
	}
	life, next := s.env.Catalog.View().AcceptedGaps().Life(s.state.Journal, s.env.ID, records[0].Offset)
	if next >= 0 {
		records = records[:sort.Search(len(records), func(i int) bool { return records[i].Offset >= next })]
	}
	s.state.Life = life
	return records
}

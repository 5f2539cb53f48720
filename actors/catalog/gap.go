package catalog

import (
	"errors"
	"fmt"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/actors/internal/remedy"
	"github.com/ovation-analytics/ovation/actors/internal/retry"
	"github.com/ovation-analytics/ovation/actors/journal"
)

// A gap of the catalog can only be accepted by a record of the catalog, after the gap. So a
// reader that meets one looks ahead: it reads on after the gap, and after those that follow,
// applies nothing, and takes the first record that accepts the gap where it was met. Then it
// applies what is at that record's To and after, the record itself among it. That is a
// function of the log, the same in every replay. Until there is one the catalog stays stopped
// and keeps looking: any node may append it.
//
// Only a record that leads forward in the same topic is taken. A catalog that was cut below
// what was applied, or is another topic, would give ids again that the journal has from what
// was lost.

// ErrStopped says that the catalog cannot be read on without an operator.
var ErrStopped = errors.New("the catalog stopped")

type (
	// gapAccepted is the acceptance of the gap at which the catalog is.
	gapAccepted struct {
		at journal.GapPlace
		by *domain.AcceptGap
	}
	// notAccepted says that the log has none to its end.
	notAccepted struct {
		at  journal.GapPlace
		gap *domain.GapError
	}
)

// place is where the catalog is in its log.
func (c *Actor) place() journal.GapPlace {
	return journal.GapPlace{Topic: c.ledger.state.Topic, Next: c.ledger.state.Next, Epoch: c.ledger.state.Epoch}
}

// sameLog checks that the catalog's log is the one that the state was made of, and notes in
// a new state which that is.
func (c *Actor) sameLog() error {
	state, id, cluster := &c.ledger.state, c.o.Log.Topic(), c.o.Log.Cluster()
	if state.Topic.IsZero() {
		state.Topic, state.Cluster = id, cluster
	}
	if state.Topic == id && state.Cluster == cluster {
		return nil
	}
	return &domain.GapError{
		Kind: domain.GapRecreated, Topic: "catalog", TopicID: id, Want: state.Next,
		Detail: fmt.Sprintf("the store was made from topic %s of cluster %s, this is %s of cluster %s",
			state.Topic, state.Cluster, id, cluster),
	}
}

// read begins to read the log where the state is.
func (c *Actor) read() {
	c.fetcher = journal.StartFetcher(c.ctx, c.o.Log.Reader(0), c.ledger.state.Next, c.ledger.state.Epoch, c.tell)
}

// atGap looks for the acceptance of the gap that was met, if there may be one, and stops without.
func (c *Actor) atGap(g *domain.GapError) {
	at := c.place()
	g = at.Met(g)
	if w := c.acceptance(g); w != nil {
		c.o.Beside(func() { c.lookAhead(at, g, w.To) })
		return
	}
	c.halt(g)
}

// acceptance is what would have to be accepted to let the catalog go on; nil: none does.
func (c *Actor) acceptance(g *domain.GapError) *domain.AcceptGap {
	w := c.place().Acceptance(g)
	if w == nil || w.Back() {
		return nil
	}
	return w
}

// lookAhead looks for the acceptance of a gap from an offset on, and when there is none to the
// log's end, in what is appended then.
func (c *Actor) lookAhead(at journal.GapPlace, g *domain.GapError, from int64) {
	reader, next, epoch, reported := c.o.Log.Reader(0), from, int32(-1), false
	for failures := 0; ; {
		p, err := reader.Read(c.ctx, next, epoch, nil)
		var behind *domain.GapError
		switch {
		case c.ctx.Err() != nil:
			return
		case errors.As(err, &behind) && behind.Kind != domain.GapTruncated && behind.Kind != domain.GapDiverged &&
			behind.Kind != domain.GapRecreated:
			next, epoch = max(behind.End, next+1), -1
			if behind.Kind == domain.GapRetention {
				next = max(behind.Start, next+1)
			}
			continue
		case err != nil:
			failures++
			c.tell(&journal.FetchFailed{Err: err, Failures: failures})
			if !retry.Backoff(c.ctx, failures) {
				return
			}
			continue
		}
		failures = 0
		for i := range p.Records {
			if w, ok := p.Records[i].Command.(*domain.AcceptGap); ok && answers(w, at) {
				c.tell(&gapAccepted{at, w})
				return
			}
		}
		p.Memory.Release(false)
		next, epoch = p.Next, p.Epoch
		if next >= p.End && !reported {
			reported = true
			c.tell(&notAccepted{at, g})
		}
	}
}

// answers reports that an acceptance leads on from a gap of the catalog.
func answers(w *domain.AcceptGap, at journal.GapPlace) bool {
	return w.Topic == at.Topic && w.Partition == 0 && w.From == at.Next && !w.Back() &&
		(w.Epoch < 0 || at.Epoch < 0 || w.Epoch == at.Epoch)
}

// pass reads on after an accepted gap.
func (c *Actor) pass(m *gapAccepted) {
	state := &c.ledger.state
	if c.broken || m.at != c.place() {
		return
	}
	c.o.Logger.Warn("reading the catalog on behind a gap that the operator accepted", "from", m.by.From, "to", m.by.To)
	state.Next, state.Epoch = m.by.To, -1
	if err := c.o.Store.Commit(*state, nil); err != nil {
		c.fail(err)
		return
	}
	c.handle.Stopped.Store(nil)
	c.handle.Gap.Store(nil)
	c.read()
}

// halt stops the catalog at a gap, and says what helps.
func (c *Actor) halt(g *domain.GapError) {
	w, help := c.acceptance(g), ""
	switch {
	case w != nil:
		help = fmt.Sprintf("`ovation accept-gap %s 0` gives up what is lost", g.Topic)
	case g.Kind == domain.GapNewer:
		help = "upgrade this node: start a newer ovation"
	case g.Kind == domain.GapOlder:
		help = remedy.StartAnew
	case g.Kind == domain.GapRecreated:
		help = "bring the topic back that the node was made with, or start a new installation in an empty --data"
	default:
		help = "the log lost what was applied: restore the topic; " +
			"or stop the node and remove the directory catalog of --data: " +
			"it is read anew then, and ids that only the lost records gave are given again"
	}
	why := g.Error() + ": " + help + ". Runbook: " + remedy.GapEntry(g.Kind) + "."
	c.o.Logger.Error("the catalog stopped", "err", g, "help", help)
	c.handle.Gap.Store(w)
	c.handle.newer.Store(g.Kind == domain.GapNewer)
	c.handle.Stopped.Store(&why)
}

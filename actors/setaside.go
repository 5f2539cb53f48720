package actors

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"time"

	"github.com/ovation-analytics/ovation/actors/catalog"
	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/actors/internal/deadline"
	"github.com/ovation-analytics/ovation/actors/internal/retry"
)

// setAsides lets an operator set aside a record that a shard cannot apply. A node that is alone does so by itself. Among
// several it is the operator's word: a node that has applied the record keeps what it changed, and what the shard
// sends is numbered otherwise there than at a node that makes a dead letter of it.
type setAsides struct {
	o         *Options
	submitter *submitter
	among     *among
}

// SetAsideRecord makes a dead letter, at every node, of the record at which a shard of this node stopped, and returns once
// the shard has gone on. One that is not stopped at that record is NotFound. Not forced it is a Conflict, unless
// every other listed node says that it stopped at the record too. Unavailable says what is waited for.
func (a *setAsides) SetAsideRecord(ctx context.Context, shard int, offset int64, force bool) error {
	s, err := a.submitter.shards.find(shard)
	if err != nil {
		return domain.Bad(domain.NotFound, "shard", fmt.Sprintf("there is no shard %d", shard))
	}
	at := s.Poisoned.Load()
	switch {
	case at == nil:
		return domain.Bad(domain.NotFound, "shard", fmt.Sprintf("shard %d of this node did not stop at a record that it "+
			"cannot apply; `ovation status` says of each node what is wrong", shard))
	case at.Offset != offset:
		return domain.Bad(domain.NotFound, "offset", fmt.Sprintf("shard %d stopped at record %d, not at %d", shard, at.Offset, offset))
	}
	if why := a.unproven(at); why != "" && !force {
		return domain.Bad(domain.Conflict, "force", fmt.Sprintf("%s, and may have applied record %d: its shard %d would "+
			"differ from this one's. Restart the node that stopped, which tries the record again; or use --force, and then "+
			"ovation rebuild %d at every node that has applied it", why, offset, shard, shard))
	}
	sub := domain.Submission{Command: asideOf(*at, a.o.timeOfDay())}
	_, _ = rand.Read(sub.Request[:])
	out, err := a.submitter.Submit(ctx, sub)
	if err := errors.Join(err, out.Err()); err != nil {
		return err
	}
	return a.wentOn(ctx, s, at)
}

// unproven names a listed node that may have applied a record; empty: all have stopped at it.
func (a *setAsides) unproven(at *catalog.RecordPlace) string {
	s := a.among.snapshot()
	for _, n := range a.submitter.catalog.Catalog().Nodes() {
		switch m := s.Member(n.ID); {
		case n.ID == a.among.id:
		case m == nil || !m.Alive || !m.Heard:
			return fmt.Sprintf("node %s is away", n.ID)
		case !m.Beat.Poisoned.Has(at.Partition, at.Offset, at.Epoch):
			return fmt.Sprintf("node %s does not say that it stopped there", n.ID)
		}
	}
	return ""
}

// wentOn returns when a shard has left the record that was set aside.
func (a *setAsides) wentOn(ctx context.Context, s *runningShard, at *catalog.RecordPlace) error {
	ctx, cancel := context.WithTimeout(ctx, deadline.Left(ctx))
	defer cancel()
	for {
		switch why := s.Stopped.Load(); {
		case s.Applied.Load() > at.Offset:
			return nil
		case why != nil && s.Poisoned.Load() != at:
			return domain.Fail(domain.Conflict, "the record is set aside; the shard stopped for another reason: "+*why)
		}
		if !retry.Pause(ctx, time.Millisecond) {
			return domain.Fail(domain.Unavailable, "the record is set aside for good; the shard has not passed it yet: "+
				retry.Causes(&s.Space, &s.Reading, &s.Behind))
		}
	}
}

// asideOf is the record of the catalog that sets a record of the journal aside.
func asideOf(p catalog.RecordPlace, now time.Time) *domain.SetAside {
	return &domain.SetAside{Topic: p.Topic, Partition: p.Partition, Offset: p.Offset, Epoch: p.Epoch, At: now.UnixMilli()}
}

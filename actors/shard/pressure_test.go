package shard

import (
	"context"
	"log/slog"
	"testing"
	"testing/synctest"
	"time"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/actors/journal"
	"github.com/ovation-analytics/ovation/actors/shard/core"
	"github.com/ovation-analytics/ovation/actors/shard/outbox"
)

// gated is a log that takes nothing until it is opened.
type gated struct {
	open chan struct{}
	got  []domain.Record
}

func (g *gated) Append(ctx context.Context, _ int, records []domain.Record) (int64, error) {
	select {
	case <-g.open:
	case <-ctx.Done():
		return 0, ctx.Err()
	}
	g.got = append(g.got, records...)
	return 0, nil
}

func (g *gated) AppendEach(context.Context, [][]domain.Record, func(int, int64)) {}

// What was published is said in the journal in the end, also where there was no room for the record when it
// was due and nothing is published after it: else the outbox of an idle shard is never trimmed.
func TestPublished_IsSaidWhenThereIsRoomAgain(t *testing.T) {
	for _, kind := range []outbox.Kind{outbox.Forwards, outbox.DeadLetters, outbox.KeyDeletions} {
		for _, upTo := range []uint64{1, maxUnacked} {
			synctest.Test(t, func(t *testing.T) {
				ctx, cancel := context.WithCancel(t.Context())
				log := &gated{open: make(chan struct{})}
				a := journal.StartAppender(ctx, log, 3, slog.New(slog.DiscardHandler))
				told := make(chan any, 1)
				s := acking(a)
				s.tell = func(m any) { told <- m }
				acks := &s.acks
				synctest.Wait()
				filled := 0
				for a.Post(domain.Record{Kind: domain.KindTick, Command: &domain.Tick{Partition: 3}}, nil) {
					filled++
					synctest.Wait()
				}
				acks.note(&published{kind, upTo})
				acks.acknowledge(acks.many(&s.machine.State.Shard), s)
				for range 3 { // it is tried again, each second
					began := time.Now()
					if _, is := (<-told).(*ackPublished); !is || time.Since(began) != time.Second {
						t.Fatalf("tried again after %v", time.Since(began))
					}
					acks.due(s)
				}
				close(log.open)
				synctest.Wait()
				<-told
				acks.due(s)
				synctest.Wait()
				if len(log.got) != filled+1 || acks.scheduled {
					t.Fatalf("%d records, %d were before it, scheduled %v", len(log.got), filled, acks.scheduled)
				}
				p := log.got[filled].Command.(*domain.Published)
				if p.Partition != 3 || p.Node != (domain.NodeID{7}) || p.UpTo+p.DeadUpTo+p.KeysUpTo != upTo {
					t.Errorf("%+v is said", p)
				}
				cancel()
				<-a.Done()
			})
		}
	}
}

// acking is a shard without a store, with an appender.
func acking(a *journal.PartitionAppender) *shard {
	s := &shard{env: &Config{ID: a.Partition(), Appender: a, Duty: noDuty{}}, machine: core.New(&core.Config{})}
	s.machine.Outbox = outbox.New(outbox.Config{Status: &outbox.Status{}})
	s.duties = newDuties(s.env, s.machine.Outbox)
	return s
}

// noDuty is that of a node alone.
type noDuty struct{}

func (noDuty) Node() domain.NodeID      { return domain.NodeID{7} }
func (noDuty) Rank() int                { return 0 }
func (noDuty) RankOf(domain.NodeID) int { return 0 }
func (noDuty) Alone() bool              { return true }
func (noDuty) Receiver(int) *Handle     { return nil }

// Many entries of any kind are said at once.
func TestPublished_ManyOfEachKindAreSaidAtOnce(t *testing.T) {
	for kind := range outbox.Kinds {
		var a publisherAcks
		a.note(&published{kind, maxUnacked - 1})
		if a.many(&domain.ShardState{}) {
			t.Errorf("%d entries of kind %d are many", maxUnacked-1, kind)
		}
		if a.note(&published{kind, maxUnacked}); !a.many(&domain.ShardState{}) {
			t.Errorf("%d entries of kind %d are not", maxUnacked, kind)
		}
	}
}

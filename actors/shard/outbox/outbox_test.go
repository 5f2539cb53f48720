package outbox

import (
	"context"
	"errors"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/ovation-analytics/ovation/actors/domain"
)

// What waits at the node that publishes is bounded in bytes as well as in entries (I8): entries of every kind count from
// when they are staged until they are published. Once they are out there is room again. What is in memory is bounded at
// every node.
func TestOutbox_IsBoundedInBytes(t *testing.T) {
	const each = 1 << 20
	text := strings.Repeat("x", each)
	for name, entry := range map[string]func() *domain.Outgoing{
		"steps of merges": func() *domain.Outgoing {
			return &domain.Outgoing{Forward: &domain.Record{Kind: domain.KindLend, Command: &domain.Lend{
				Rows: []domain.LentRow{{Content: domain.Content{Content: text}}},
			}}}
		},
		"records of merged members": func() *domain.Outgoing {
			return &domain.Outgoing{Forward: &domain.Record{Kind: domain.KindLend, Command: &domain.Lend{
				Record: &domain.Member{Personal: domain.PersonalPart{Sealed: domain.Sealed{Data: text}}},
			}}}
		},
		"activities": func() *domain.Outgoing {
			return &domain.Outgoing{Forward: &domain.Record{Activity: domain.Activity{Raw: text}}}
		},
		"dead letters": func() *domain.Outgoing { return &domain.Outgoing{To: -1, Dead: &domain.DeadLetter{Raw: text}} },
		"data keys":    func() *domain.Outgoing { return &domain.Outgoing{To: -1, Keys: make([]domain.KeyID, each/16)} },
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var open atomic.Bool
				send := func(_ context.Context, _ []*domain.Outgoing) error {
					if !open.Load() {
						return errors.New("away")
					}
					return nil
				}
				r := newReplica(0, [Kinds]Send{send, send, send})
				r.start(t, true)
				add := func() {
					e := entry()
					r.sequence++
					e.Sequence = r.sequence
					r.store.staged = append(r.store.staged, e)
					r.Stage(e)
				}
				for !r.Full() {
					add()
					if r.sequence > 2*usualBytes/each {
						t.Fatalf("%d MiB wait and there is room", r.sequence)
					}
				}
				if r.sequence < usualBytes/each {
					t.Errorf("%d MiB are too many", r.sequence)
				}
				for range 3 * usualBytes / each { // a commit that goes on: they stay in the store
					add()
				}
				r.commit(t)
				if held := r.held(); held > 2*usualBytes {
					t.Errorf("%d MiB are in memory", held>>20)
				}
				synctest.Wait()
				if !r.Full() {
					t.Error("there is room while nothing is published")
				}
				r.Wait(false)
				if r.Full() {
					t.Error("the shard of a node that took over waits")
				}
				r.Wait(true)
				open.Store(true)
				for r.status.Waiting(DeadLetters)+r.status.Waiting(Forwards)+r.status.Waiting(KeyDeletions) > 0 {
					time.Sleep(time.Second) // until which the publisher tries again
					r.handle(t)
				}
				if r.Full() || r.held() != 0 {
					t.Errorf("%d bytes are held of nothing", r.held())
				}
				r.Stop()
			})
		})
	}
}

package outbox

import (
	"context"
	"errors"
	"log/slog"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"

	"github.com/ovation-analytics/ovation/actors/domain"
)

// What waits is bounded in bytes as well as in entries (I8): entries of every kind count from when they are
// staged until they are published, those of a life before too. Once they are out there is room again.
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
		for _, earlier := range []bool{false, true} {
			t.Run(name, func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					var open atomic.Bool
					send := func(_ context.Context, _ []*domain.Outgoing) error {
						if !open.Load() {
							return errors.New("away")
						}
						return nil
					}
					o := New(0, 0, [Kinds]Send{send, send, send}, slog.New(slog.DiscardHandler))
					waiting := 0
					for !o.Full() {
						e := entry()
						waiting++
						e.Sequence = uint64(waiting)
						if earlier {
							o.Offer(e)
						} else {
							o.Stage(e)
						}
						if waiting > 2*usualBytes/each {
							t.Fatalf("%d MiB wait and there is room", waiting)
						}
					}
					if waiting < usualBytes/each {
						t.Errorf("%d MiB are too many", waiting)
					}
					o.Committed()
					var status Status
					out := make(chan uint64, Kinds)
					o.Start(func(_ Kind, upTo uint64) { out <- upTo }, &status)
					synctest.Wait()
					if !o.Full() {
						t.Error("there is room while nothing is published")
					}
					open.Store(true)
					<-out // until which the publisher tries again
					synctest.Wait()
					o.Stop()
					if left := o.held.Load(); left != 0 {
						t.Errorf("%d bytes are held of nothing", left)
					}
				})
			})
		}
	}
}

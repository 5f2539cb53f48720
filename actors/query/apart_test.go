package query

import (
	"context"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/actors/internal/yield"
)

// stubborn is a shard that has what it has: what it is to have besides never comes.
type stubborn struct {
	Shard
	id        int
	handovers []domain.Handover
	moves     bool // each look at it is of another view
	looks     int
}

const tooMany = 100_000

func (s *stubborn) Answer(ctx context.Context, m *Ask, done func(*Part)) {
	if !reached(s.handovers, m.Handovers) {
		go func() {
			<-ctx.Done()
			done(&Part{Shard: s.id, Err: domain.ErrUnavailable})
		}()
		return
	}
	done(&Part{Shard: s.id, AsOf: AsOf{Handovers: s.handovers}, Tally: &domain.Tally{Total: domain.Count{Actions: 1, Members: 1}}})
}

func (s *stubborn) Survivors(ctx context.Context, m Named) (Survivors, error) {
	if s.looks++; s.looks > tooMany {
		panic("a question spins")
	}
	if s.moves {
		sent := s.handovers[0].Sent + uint64(s.looks)
		return Survivors{
			AsOf:   AsOf{Handovers: []domain.Handover{{Shard: 1, Sent: sent}}},
			Merged: []domain.MergedMember{{Member: m.Members[0], Into: m.Members[0] + domain.Slots}},
		}, nil
	}
	if !reached(s.handovers, m.Handovers) {
		<-ctx.Done()
		return Survivors{}, domain.ErrUnavailable
	}
	return Survivors{AsOf: AsOf{Handovers: s.handovers}}, nil
}

// Where two shards never agree on what they handed over, a question that needs both has an error within its
// time, which names them, and so does who looks after the node. Once they agree, they are named no more.
func TestCoordinator_NamesShardsThatNeverAgree(t *testing.T) {
	of := func(shard int) domain.MemberID { return domain.MemberIDOf(1, domain.Slot((shard*domain.Slots+2)/3)) }
	tally := func(members ...domain.MemberID) *domain.Question {
		return &domain.Question{
			Account: 1, Shape: domain.ShapeTally, Range: domain.AllTime,
			Filter: domain.Filter{Members: members},
		}
	}
	for name, ask := range map[string]func(context.Context, *Coordinator) error{
		"of all": func(ctx context.Context, c *Coordinator) error {
			_, err := c.Ask(ctx, tally(), domain.Position{})
			return err
		},
		"of named members": func(ctx context.Context, c *Coordinator) error {
			_, err := c.Ask(ctx, tally(of(0), of(2)), domain.Position{})
			return err
		},
		"a list's survivors": func(ctx context.Context, c *Coordinator) error {
			_, _, err := c.Survivors(ctx, 1, []domain.MemberID{of(0), of(2)}, domain.Position{})
			return err
		},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				noted := new(Disagreement)
				shards := []*stubborn{{id: 0}, {id: 1}, {id: 2}}
				o := Options{Logs: fakeLogs{}, Yield: &yield.Questions{}, Apart: noted}
				for _, s := range shards {
					o.Shards = append(o.Shards, s)
				}
				shards[0].handovers = []domain.Handover{{Shard: 2, Sent: 2}}
				shards[2].handovers = []domain.Handover{{Shard: 0, Received: 1}}
				c, began := New(o), time.Now()
				err := ask(t.Context(), c)
				if domain.CodeOf(err) != domain.Unavailable || !strings.Contains(err.Error(), "shards 0 and 2 did not agree") {
					t.Errorf("%v", err)
				}
				if took := time.Since(began); took > maxLife {
					t.Errorf("the question took %v", took)
				}
				if pairs, n := noted.List(); !slices.Equal(pairs, []Apart{{0, 2}}) || n != 1 {
					t.Errorf("%v are named, %d questions", pairs, n)
				}
				ctx, leave := context.WithCancel(t.Context())
				leave()
				if err := ask(ctx, c); domain.CodeOf(err) != domain.Unavailable {
					t.Errorf("a client that left: %v", err)
				}
				shards[2].handovers = []domain.Handover{{Shard: 0, Received: 2}}
				if err := ask(t.Context(), c); err != nil {
					t.Error(err)
				}
				if pairs, n := noted.List(); len(pairs) > 0 || n != 1 {
					t.Errorf("%v are named, %d questions", pairs, n)
				}
			})
		})
	}
}

// Two looks at a shard that always differ, as under steady merges, keep no processor busy: between rounds a
// question waits.
func TestCoordinator_WaitsBetweenLooks(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		shard := &stubborn{handovers: []domain.Handover{{Shard: 1}}, moves: true}
		c := New(Options{Shards: []Shard{shard}, Logs: fakeLogs{}, Yield: &yield.Questions{}})
		ids := []domain.MemberID{domain.MemberIDOf(1, 0)}
		if _, _, err := c.Survivors(t.Context(), 1, ids, domain.Position{}); domain.CodeOf(err) != domain.Unavailable {
			t.Errorf("%v", err)
		}
		if maxLooks := int(maxLife/roundPause) * 3; shard.looks > maxLooks {
			t.Errorf("%d looks, at most %d", shard.looks, maxLooks)
		}
	})
}

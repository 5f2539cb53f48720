package query

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/actors/internal/yield"
)

// wrong is how many of the audiences of seeds have an answer of no serial history, and one of them.
func wrong(seeds []uint64, blind bool) (n int, err error) {
	for _, seed := range seeds {
		w := newAudience(seed, 1+int(seed%5), 12)
		w.blind = blind
		c := w.coordinator()
		for i := range 60 {
			if e := w.ask(c); e != nil {
				err = fmt.Errorf("seed %d, question %d: %w", seed, i, e)
				n++
				break
			}
		}
	}
	return n, err
}

// Only what is behind is asked again, and not before it has what the others know of; what the others
// answered is kept.
func TestCoordinator_AsksAgainOnlyWhatIsBehind(t *testing.T) {
	for _, of := range []struct {
		name      string
		handovers [4][]domain.Handover
		asked     [4]int
	}{
		{name: "none", asked: [4]int{1, 1, 1, 1}},
		{
			name:      "the receiver is behind",
			handovers: [4][]domain.Handover{1: {{Shard: 3, Sent: 2}}, 3: {{Shard: 1, Received: 1}}}, asked: [4]int{1, 1, 1, 2},
		},
		{
			name:      "the sender is behind",
			handovers: [4][]domain.Handover{3: {{Shard: 1, Received: 1}}}, asked: [4]int{1, 2, 1, 1},
		},
		{
			name:      "one has not got what it sent itself",
			handovers: [4][]domain.Handover{2: {{Shard: 2, Sent: 1}}}, asked: [4]int{1, 1, 2, 1},
		},
		{
			name:      "both are behind",
			handovers: [4][]domain.Handover{0: {{Shard: 1, Sent: 5}}, 1: {{Shard: 0, Sent: 3}}}, asked: [4]int{2, 2, 1, 1},
		},
		{
			name:      "the receiver's journal has lost records",
			handovers: [4][]domain.Handover{0: {{Shard: 1, Sent: 5}}, 1: {{Shard: domain.JournalLost}}}, asked: [4]int{1, 1, 1, 1},
		},
		{
			name:      "with one that is not asked",
			handovers: [4][]domain.Handover{0: {{Shard: 7, Sent: 5, Received: 1}}}, asked: [4]int{1, 1, 1, 1},
		},
	} {
		t.Run(of.name, func(t *testing.T) {
			o := Options{Logs: fakeLogs{}, Yield: &yield.Questions{}}
			var shards [4]*obedient
			for i := range shards {
				shards[i] = &obedient{id: i, handovers: of.handovers[i]}
				o.Shards = append(o.Shards, shards[i])
			}
			q := &domain.Question{Account: 1, Shape: domain.ShapeTally, Range: domain.AllTime}
			a, err := New(o).Ask(context.Background(), q, domain.Position{})
			if err != nil || a.Tally.Total.Members != 4 || len(a.Position.Shards) != 4 {
				t.Fatalf("%+v, %v", a, err)
			}
			for i, s := range shards {
				if s.asked != of.asked[i] {
					t.Errorf("shard %d was asked %d times", i, s.asked)
				}
			}
		})
	}
}

// obedient is a shard of one member that has what it is asked to have.
type obedient struct {
	Shard
	id, asked int
	handovers []domain.Handover
}

// Answer is the part of one member.
func (s *obedient) Answer(_ context.Context, m *Ask, done func(*Part)) {
	s.asked++
	have := floors{s.handovers}
	for _, h := range m.Handovers {
		have.raise(0, h)
	}
	s.handovers = have[0]
	done(&Part{Shard: s.id, AsOf: AsOf{Handovers: slices.Clone(s.handovers)}, Tally: &domain.Tally{Total: domain.Count{Actions: 1, Members: 1}}})
}

// Every answer, about all members or some, is one that a serial history of merges gives, however
// their steps lie beside it. Of shards that do not count them most audiences get a wrong answer.
func TestI7_AnswersWhileMembersMerge(t *testing.T) {
	seeds := make([]uint64, 400)
	for i := range seeds {
		seeds[i] = rand.Uint64()
	}
	if n, err := wrong(seeds, false); n > 0 {
		t.Errorf("%d of %d: %v", n, len(seeds), err)
	}
	n, err := wrong(seeds, true)
	if n < len(seeds)/2 {
		t.Errorf("without counters only %d of %d audiences get a wrong answer", n, len(seeds))
	}
	t.Logf("without counters %d of %d audiences get a wrong answer: %v", n, len(seeds), err)
}

// A list stands for the members that those on it were merged into, each once.
func TestCoordinator_Survivors(t *testing.T) {
	seed := rand.Uint64()
	w := newAudience(seed, 4, 20)
	c := w.coordinator()
	for range 200 {
		w.left = 20
		list := w.some()
		if _, _, err := c.Survivors(context.Background(), 1, list, domain.Position{}); err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		w.left = 0
		for slices.ContainsFunc(w.shards, func(s *shardModel) bool { return len(slices.Concat(w.between[s.id]...)) > 0 }) {
			w.step(false)
		}
		var want []domain.MemberID
		for _, id := range list {
			i := slices.Index(w.ids, id)
			for w.parent(i) != i {
				i = w.parent(i)
			}
			want = append(want, w.ids[i])
		}
		slices.Sort(want)
		got, _, err := c.Survivors(context.Background(), 1, list, domain.Position{})
		if err != nil || !slices.Equal(got, slices.Compact(want)) {
			t.Fatalf("seed %d: %v stand for %v, not %v: %v", seed, list, want, got, err)
		}
	}
	if len(w.loans) == 0 {
		t.Errorf("seed %d: none was merged", seed)
	}
}

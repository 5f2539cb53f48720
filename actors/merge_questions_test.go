package actors

import (
	"context"
	"errors"
	"fmt"
	"math/bits"
	"slices"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/ovation-analytics/ovation/actors/domain"
)

// powers is members of whom the i-th has 1<<i actions, so that the number of actions of a member says
// who counts in it.
type powers struct {
	*harness
	ids  []domain.MemberID
	sent byte // requests
}

func newPowers(t *testing.T, shards, members int) *powers {
	x := &powers{harness: newHarness(t, shards, Options{})}
	x.furnish(1)
	var acts []domain.Activity
	for i := range members {
		x.ids = append(x.ids, x.register(i))
		for n := range 1 << i {
			acts = append(acts, domain.Activity{
				Member: x.ids[i], Definition: 100, Brand: 1, Time: 1_600_000_000 + int64(n), Hash: uint64(i)<<32 | uint64(n),
			})
		}
	}
	x.publish(acts...)
	x.settled()
	return x
}

func (x *powers) leaders(f domain.Filter) *domain.Question {
	q := allOf(domain.ShapeLeaders, 1)
	q.Top, q.Filter = domain.Top{Order: domain.ByActions, Limit: len(x.ids)}, f
	return q
}

// count is who counts in which member, by an answer; what counts twice, or as another's while it is on
// the list itself, is an error.
func (x *powers) count(l *domain.Leaders) (in map[int]int, err error) {
	in = map[int]int{}
	for _, m := range l.Members {
		own := slices.Index(x.ids, m.Member)
		if m.Actions>>own&1 == 0 {
			return nil, fmt.Errorf("%d lost its own", own)
		}
		for s := m.Actions; s != 0; s &= s - 1 {
			i := bits.TrailingZeros64(s)
			if _, twice := in[i]; twice {
				return nil, fmt.Errorf("%d counts twice", i)
			}
			in[i] = own
		}
	}
	return in, nil
}

// question asks about all members, about one, and about all but one.
func (x *powers) question(n int) error {
	i := n % len(x.ids)
	one := []domain.MemberID{x.ids[i]}
	f := []domain.Filter{{}, {Members: one}, {Exclude: one}}[n/len(x.ids)%3]
	a, err := x.node.Ask(context.Background(), x.leaders(f), domain.Position{})
	if err != nil {
		return err
	}
	in, err := x.count(a.Leaders)
	_, named := in[i]
	switch {
	case err != nil:
	case f.Exclude != nil && named:
		err = errors.New("it is excluded, and counts")
	case f.Exclude == nil && !named:
		err = errors.New("it counts nowhere")
	case f.Members != nil && len(a.Leaders.Members) != 1:
		err = errors.New("others are on the list")
	case f.Members == nil && f.Exclude == nil && len(in) != len(x.ids):
		err = fmt.Errorf("%d of %d members count", len(in), len(x.ids))
	}
	if err != nil {
		err = fmt.Errorf("%d, %+v: %+v: %w", i, f, a.Leaders, err)
	}
	return err
}

func (x *powers) do(id domain.MemberID, c domain.Command) error {
	x.sent++
	out, err := x.repeated(domain.Submission{
		Account: 1, Slot: id.Slot(), Command: c, Request: domain.RequestID{3, 15: x.sent},
	})
	if err == nil {
		err = out.Err()
	}
	return err
}

// While members merge and part over shards, every answer has each action once and each member once, and
// one who is named counts, whichever it is merged into.
func TestI7_QuestionsWhileMembersMerge(t *testing.T) {
	rnd := seeded(t)
	x := newPowers(t, 3, 7)
	var over atomic.Bool
	var asking sync.WaitGroup
	var asked atomic.Int64
	for g := range 2 {
		asking.Go(func() {
			for n := g; !over.Load(); n++ {
				if err := x.question(n); err != nil {
					t.Error(err)
					return
				}
				asked.Add(1)
			}
		})
	}
	defer func() {
		over.Store(true)
		asking.Wait()
		t.Logf("%d questions", asked.Load())
	}()
	into := map[int]int{}
	for range 60 {
		a, b := rnd.IntN(len(x.ids)), rnd.IntN(len(x.ids))
		_, lent := into[a]
		to, merged := into[b]
		_, both := into[to]
		var err error
		switch {
		case merged && !both:
			err = x.do(x.ids[to], &domain.UnmergeMember{Member: x.ids[to], From: x.ids[b]})
			delete(into, b)
		case a != b && !lent && !merged:
			// What is taken back may be on its way yet.
			for err = errBusy; domain.CodeOf(err) == domain.Conflict; {
				err = x.do(x.ids[a], &domain.MergeMembers{Member: x.ids[a], From: x.ids[b]})
			}
			into[b] = a
		}
		if err != nil {
			t.Fatal(err)
		}
	}
}

var errBusy = domain.Fail(domain.Conflict, "")

// An answer that names a merged member is unchanged until that one, or the survivor, changes: also
// where the merge alone is taken back, or made.
func TestMerge_PollsOfANamedMember(t *testing.T) {
	x := newPowers(t, 4, 4)
	q := x.leaders(domain.Filter{Members: x.ids[:1]})
	answer := func() (since domain.Versions, f domain.ReadSet, actions uint64) {
		since = x.node.Versions()
		a := x.ask(q)
		f, _ = domain.ReadSetOf(q)
		f.Follow(a.Merged)
		return since, f, a.Leaders.Members[0].Actions
	}
	changes := func(what string, want uint64, change func() error) {
		t.Helper()
		since, f, actions := answer()
		if actions != want {
			t.Fatalf("before %s: %d actions, want %d", what, actions, want)
		}
		if _, ok := x.node.Unchanged(1, since, &f, []domain.Range{q.Range}); !ok {
			t.Errorf("before %s: it is the same, and is not known to be", what)
		}
		if err := change(); err != nil {
			t.Fatal(err)
		}
		x.settled()
		if _, ok := x.node.Unchanged(1, since, &f, []domain.Range{q.Range}); ok {
			t.Errorf("%s is not noticed", what)
		}
	}
	act := func(member int) func() error {
		return func() error {
			x.publish(domain.Activity{Member: x.ids[member], Definition: 100, Brand: 1, Time: 1_600_000_000, Hash: uint64(member)<<40 | 1})
			return nil
		}
	}
	merge := func(into, from int) func() error {
		return func() error {
			return x.do(x.ids[into], &domain.MergeMembers{Member: x.ids[into], From: x.ids[from]})
		}
	}
	part := func(into, from int) func() error {
		return func() error {
			return x.do(x.ids[into], &domain.UnmergeMember{Member: x.ids[into], From: x.ids[from]})
		}
	}
	changes("a merge", 1, merge(1, 0))
	changes("an action of the survivor", 1|2, act(1))
	changes("a merge of the survivor", 1|2+1, merge(2, 1))
	changes("an action of that one", 1|2|4+1, act(2))
	changes("the end of the second merge", 1|2|4+2, part(2, 1))
	changes("the end of the first", 1|2+1, part(1, 0))
	changes("an action of its own", 1, act(0))
}

package query

import (
	"context"
	"errors"
	"slices"
	"testing"
	"time"

	diff "github.com/google/go-cmp/cmp"

	"github.com/ovation-analytics/ovation/actors/brand/rows"
	"github.com/ovation-analytics/ovation/actors/catalog"
	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/actors/internal/yield"
	"github.com/ovation-analytics/ovation/actors/member"
	"github.com/ovation-analytics/ovation/actors/view"
)

// merger is the shard 1 of 2 with members who merge.
type merger struct {
	holder view.Holder
	writer view.Writer
	roster *member.Roster
	index  *member.Index
	table  *rows.Table
	next   int64
	lent   map[domain.Ordinal]domain.MemberID
	reads  int // of members' records
}

func newMerger(members int) *merger {
	s := &merger{
		roster: member.NewRoster(domain.Slots/2, domain.Slots), table: rows.NewTable(rows.Options{}),
		lent: map[domain.Ordinal]domain.MemberID{},
	}
	s.writer = view.NewWriter(&s.holder, 1, 0)
	audience := member.NewAudience()
	for i := range members {
		s.roster.Add(s.id(i), member.Place{Account: 1, Ord: audience.Members()})
		audience.Add(s.id(i))
	}
	s.index = audience.Commit()
	return s
}

func (s *merger) id(i int) domain.MemberID {
	return domain.MemberIDOf(uint64(1+i), domain.Slots/2)
}

// lend merges a member into another in the coming commit; 0: takes the merge back.
func (s *merger) lend(i int, to domain.MemberID) {
	s.lent[domain.Ordinal(i)] = to
	s.table.Counting().Set(domain.Ordinal(i), rows.Counted{As: domain.Ordinal(i), Hidden: to != 0})
}

func (s *merger) publish(handovers ...domain.Handover) {
	s.next++
	s.writer.Set(1, &view.Account{Members: s.index, Rows: s.table.Commit(nil), Access: &view.Access{}})
	s.writer.Publish(s.next, handovers, s.roster, recordsOf{s: s})
}

// recordsOf reads members' records.
type recordsOf struct {
	view.Snapshot
	s *merger
}

func (r recordsOf) Close() error { return nil }

// Members are those that lend.
func (r recordsOf) Members(_ domain.AccountID, ords []domain.Ordinal, f func(*domain.Member)) error {
	if !slices.IsSorted(ords) {
		return errors.New("the ordinals do not ascend")
	}
	for _, o := range ords {
		r.s.reads++
		f(&domain.Member{
			ID: r.s.id(int(o)), Ord: o, State: domain.MemberActive, Lent: &domain.Loan{To: r.s.lent[o], Done: r.s.lent[o] != 0},
		})
	}
	return nil
}

func (s *merger) local(t *testing.T) *Local {
	ctx, cancel := context.WithCancel(context.Background())
	e := StartExecutor(ctx, 1)
	t.Cleanup(func() {
		cancel()
		e.Wait()
		s.holder.Retract()
		s.holder.Wait() // every view was released
	})
	return &Local{ID: 1, Shards: 2, Views: &s.holder, Executor: e, Catalog: func() *catalog.View { return &catalog.View{} }, Now: time.Now}
}

// A shard says of the members named which of them were merged. It reads the records of these alone.
func TestLocal_SurvivorsAreOfMergedMembersAlone(t *testing.T) {
	s := newMerger(5)
	l := s.local(t)
	other := domain.MemberIDOf(1, 3)
	named := Named{Account: 1, Members: []domain.MemberID{s.id(3), other, s.id(1), s.id(2), s.id(1), s.id(9), 0}}
	ask := func(m Named) Survivors {
		t.Helper()
		s, err := l.Survivors(context.Background(), m)
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	if _, err := l.Survivors(context.Background(), named); domain.CodeOf(err) != domain.Unavailable {
		t.Errorf("a shard without a view: %v", err)
	}
	s.publish()
	if d := diff.Diff(Survivors{AsOf: AsOf{Next: 1}}, ask(named)); d != "" || s.reads != 0 {
		t.Errorf("%d reads where nothing was merged: %s", s.reads, d)
	}
	s.publish(domain.Handover{Shard: 0, Sent: 1})
	if d := diff.Diff(Survivors{AsOf: AsOf{2, []domain.Handover{{Sent: 1}}}}, ask(named)); d != "" || s.reads != 0 {
		t.Errorf("%d reads where another account's member was merged: %s", s.reads, d)
	}
	s.lend(1, other)
	s.lend(3, s.id(1))
	s.lend(4, other)
	s.publish(domain.Handover{Shard: 0, Sent: 3})
	want := []domain.MergedMember{{Member: s.id(1), Into: other}, {Member: s.id(3), Into: s.id(1)}}
	if d := diff.Diff(want, ask(named).Merged); d != "" || s.reads != 2 {
		t.Errorf("%d reads: %s", s.reads, d)
	}
	if d := diff.Diff([]domain.MergedMember(nil), ask(Named{Account: 2, Members: named.Members}).Merged); d != "" {
		t.Errorf("of another account: %s", d)
	}
	if _, err := l.Survivors(context.Background(), Named{Account: 1, Next: 4}); domain.CodeOf(err) != domain.Unavailable {
		t.Errorf("what is not applied: %v", err)
	}
	s.lend(1, 0)
	s.publish(domain.Handover{Shard: 0, Sent: 3, Received: 1})
	if d := diff.Diff(want[1:], ask(named).Merged); d != "" {
		t.Errorf("after the merge was taken back: %s", d)
	}
}

// A shard that is to have a handover answers from the first view that has it, and refuses where none
// comes in time.
func TestLocal_WaitsForHandovers(t *testing.T) {
	s := newMerger(1)
	l := s.local(t)
	s.publish(domain.Handover{Shard: 0, Sent: 1})
	q := &domain.Question{Account: 1, Shape: domain.ShapeMemberList, Range: domain.AllTime, MemberListing: domain.MemberListing{Limit: 1}}
	floor := []domain.Handover{{Shard: 0, Received: 2}}
	ask := func(ctx context.Context) <-chan *Part {
		done := make(chan *Part, 1)
		l.Answer(ctx, &Ask{Question: q, Handovers: floor}, func(p *Part) { done <- p })
		return done
	}
	told := func(ctx context.Context) <-chan error {
		done := make(chan error, 1)
		go func() {
			s, err := l.Survivors(ctx, Named{Account: 1, Handovers: floor})
			if err == nil && !reached(s.Handovers, floor) {
				err = errors.New("it did not wait")
			}
			done <- err
		}()
		return done
	}
	part, err := ask(context.Background()), told(context.Background())
	s.publish(domain.Handover{Shard: 0, Sent: 1, Received: 1})
	s.publish(domain.Handover{Shard: 0, Sent: 1, Received: 2})
	if p := <-part; p.Err != nil || p.Shard != 1 || p.Next < 3 || !reached(p.Handovers, floor) {
		t.Errorf("%+v", p)
	}
	if err := <-err; err != nil {
		t.Error(err)
	}
	if p := <-ask(context.Background()); p.Err != nil || p.Next != 3 {
		t.Errorf("where it is there already: %+v", p)
	}

	floor = []domain.Handover{{Shard: 5, Sent: 1}}
	ctx, cancel := context.WithCancel(context.Background())
	part, err = ask(ctx), told(ctx)
	cancel()
	if p := <-part; domain.CodeOf(p.Err) != domain.Unavailable {
		t.Errorf("the context ended: %+v", p)
	}
	if err := <-err; domain.CodeOf(err) != domain.Unavailable {
		t.Errorf("the context ended: %v", err)
	}
	part, err = ask(context.Background()), told(context.Background())
	s.holder.Retract()
	if p := <-part; domain.CodeOf(p.Err) != domain.Unavailable {
		t.Errorf("the shard stopped: %+v", p)
	}
	if err := <-err; domain.CodeOf(err) != domain.Unavailable {
		t.Errorf("the shard stopped: %v", err)
	}
}

// again is a shard that says when it is to have handovers.
type again struct {
	Shard
	asked chan struct{}
}

// Answer is the shard's.
func (s again) Answer(ctx context.Context, m *Ask, done func(*Part)) {
	s.Shard.Answer(ctx, m, done)
	if len(m.Handovers) > 0 {
		close(s.asked)
	}
}

// A question whose shards never agree ends with its context.
func TestCoordinator_UnavailableWhereShardsNeverAgree(t *testing.T) {
	s := newMerger(1)
	shard := again{s.local(t), make(chan struct{})}
	s.publish(domain.Handover{Shard: 1, Sent: 1})
	c := New(Options{Shards: []Shard{&obedient{}, shard}, Logs: fakeLogs{}, Yield: &yield.Questions{}})
	ctx, cancel := context.WithCancel(context.Background())
	failed := make(chan error, 1)
	go func() {
		_, err := c.Ask(ctx, &domain.Question{Account: 1, Shape: domain.ShapeTally, Range: domain.AllTime}, domain.Position{})
		failed <- err
	}()
	<-shard.asked
	cancel()
	if err := <-failed; domain.CodeOf(err) != domain.Unavailable {
		t.Errorf("%v", err)
	}
}

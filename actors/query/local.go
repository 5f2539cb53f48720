package query

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"time"

	"github.com/ovation-analytics/ovation/actors/brand/rows"
	"github.com/ovation-analytics/ovation/actors/brand/scan"
	"github.com/ovation-analytics/ovation/actors/catalog"
	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/actors/domain/trace"
	"github.com/ovation-analytics/ovation/actors/view"
)

// Local is a Shard of this process: questions are answered from its published view, so that
// they never wait for ingestion.
type Local struct {
	ID, Shards int
	Views      *view.Holder
	Executor   *Executor
	Catalog    func() *catalog.View
	Rows       func() int64                                 // that the shard has
	Warm       func(account domain.AccountID, dense uint32) // a question met a cold brand
	Now        func() time.Time
}

// Answer answers on a worker, unless too many questions wait.
func (l *Local) Answer(ctx context.Context, m *Ask, done func(*Part)) {
	refuse := func(error) { done(&Part{Shard: l.ID, Err: domain.ErrUnavailable}) }
	run := func(x *scratch, v *view.View) {
		span := trace.From(ctx).Start("scan")
		span.Int("ovation.shard", int64(l.ID))
		s := l.answer(ctx, x, v, m)
		span.Failed(s.part.Err)
		for _, dense := range s.cold {
			l.Warm(m.Question.Account, dense)
		}
		done(s.part)
	}
	if v := l.Views.Peek(); v != nil && !reached(v.Handovers, m.Handovers) {
		go func() { l.offerView(l.await(ctx, m.Handovers), m.Next, refuse, run) }()
		return
	}
	l.offer(m.Next, refuse, run)
}

// await acquires the newest view as soon as it has the handovers; nil where that is not in time.
func (l *Local) await(ctx context.Context, handovers []domain.Handover) *view.View {
	return l.Views.Await(ctx, func(v *view.View) bool { return reached(v.Handovers, handovers) })
}

// errBehind says that the newest view has not applied what a question waits for.
var errBehind = errors.New("the shard is behind")

// offer runs f with a view that has applied all below next, on a worker, or refuse.
func (l *Local) offer(next int64, refuse func(error), f func(*scratch, *view.View)) {
	l.offerView(l.Views.Acquire(), next, refuse, f)
}

// offerView is offer with an acquired view; nil: the shard has none.
func (l *Local) offerView(v *view.View, next int64, refuse func(error), f func(*scratch, *view.View)) {
	if v = atLeast(v, next); v == nil {
		refuse(errBehind)
		return
	}
	l.run(v, refuse, f)
}

// acquire is the newest view, if it has applied all below next; nil: it has not, or there is none.
func (l *Local) acquire(next int64) *view.View { return atLeast(l.Views.Acquire(), next) }

// atLeast is an acquired view if it has applied all below next; else it is released.
func atLeast(v *view.View, next int64) *view.View {
	if v != nil && v.Next < next {
		v.Release()
		return nil
	}
	return v
}

// run runs f with an acquired view on a worker, or refuse, and releases it.
func (l *Local) run(v *view.View, refuse func(error), f func(*scratch, *view.View)) {
	job := func(x *scratch) {
		defer v.Release()
		if l.Executor.stopping() {
			refuse(domain.ErrUnavailable)
			return
		}
		f(x, v)
	}
	if !l.Executor.offer(job) {
		v.Release()
		refuse(domain.ErrUnavailable)
	}
}

// label is the id of an account's brand by its dense number. It reads the newest catalog,
// since a view may hold rows of a brand that is newer than the question.
func (l *Local) label(account domain.AccountID) func(dense uint32) domain.BrandID {
	return func(dense uint32) domain.BrandID {
		ids := l.Catalog().BrandIDs(account)
		if dense == rows.Visits || int(dense) > len(ids) {
			return 0
		}
		return ids[dense-1]
	}
}

// answer answers from the view, on a worker, until its context ends. A panic
// is an error of this question alone.
func (l *Local) answer(ctx context.Context, x *scratch, v *view.View, m *Ask) (s *execution) {
	p := &Part{Shard: l.ID, AsOf: AsOf{v.Next, v.Handovers}}
	s = &execution{local: l, ctx: ctx, view: v, scratch: x, question: m.Question, part: p}
	x.scan.CancelWhen(s.ended)
	defer s.endReaders()
	defer func() {
		x.scan.CancelWhen(nil)
		if r := recover(); r != nil {
			x.scan = scan.NewScratch()
			p.Err = &domain.Error{Code: domain.Internal, Op: "query", Err: fmt.Errorf("%v\n%s", r, debug.Stack())}
		}
		if errors.Is(p.Err, scan.ErrCancelled) {
			p.Err = domain.ErrUnavailable
		}
	}()
	if s.ended() {
		p.Err = domain.ErrUnavailable
		return s
	}
	s.plan = m.plan
	if s.plan == nil {
		if s.plan, p.Err = newPlan(l.Catalog(), m.Question); p.Err != nil {
			return s
		}
	}
	s.account = v.Account(m.Question.Account)
	switch {
	case m.Question.Stream.Kinds.Any(domain.ListEvents):
		p.Stream, p.Err = s.withMemberships()
	case s.account != nil: // else the account has no member here
		p.Err = s.run()
	}
	return s
}

// run answers the question of an account that has members here.
func (s *execution) run() error {
	q := s.question
	p := s.part
	s.noteAccess()
	if q.Shape == domain.ShapeLists {
		return s.countLists()
	}
	set, err := s.members()
	if err != nil {
		return err
	}
	if q.Shape == domain.ShapeMemberList {
		p.MemberList = s.account.Members.List(set, &q.MemberListing)
		return nil
	}
	p.PlacesFull = q.Visits != nil && s.account.Full
	one := s.ask(set)
	if q.Shape == domain.ShapeStream {
		return s.stream(one)
	}
	ans, err := s.scratch.scan.Answer(s.account.Rows, one)
	if q.Explain && err == nil { // of the same view: the actions are those that were counted
		ans.Feed, err = s.explain(one)
	}
	p.Tally = ans.Tally
	p.Timeline = ans.Timeline
	p.Leaders = ans.Leaders
	p.Crossover = ans.Crossover
	p.Standings = ans.Standings
	p.Histogram = ans.Histogram
	p.Domains = ans.Domains
	p.Summaries = ans.Summaries
	p.Feed = withMembers(ans.Feed, s.account.Members)
	if p.Feed != nil {
		p.Feed.HandedOver = s.account.Members.HandedOver()
	}
	if p.Leaders != nil && q.Top.Audience {
		p.Leaders.Audience = s.audience
	}
	return err
}

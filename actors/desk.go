package actors

import (
	"context"
	"fmt"
	"runtime/debug"
	"slices"
	"time"

	"github.com/asynkron/protoactor-go/actor"

	"github.com/ovation-analytics/ovation/actors/brand"
	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/actors/member"
)

// desk is the actor that takes a shard's questions: it has a mailbox of its own, so
// that a question never waits for ingestion, and answers from the published view
// on a worker.
type desk struct {
	shard   *shardShared
	pid     *actor.PID // of the shard
	workers *workers
	now     func() time.Time
}

// Receive is the mailbox.
func (d *desk) Receive(ctx actor.Context) {
	switch m := ctx.Message().(type) {
	case *ask:
		root := ctx.ActorSystem().Root
		d.work(ctx, m.next, &partial{shard: d.shard.id, err: domain.ErrUnavailable}, func(x *workbench, v *shardView) any {
			p := d.answer(x, v, m)
			for _, dense := range p.cold {
				root.Send(d.pid, &warm{m.question.Account, dense})
			}
			return p
		})
	case *show:
		d.work(ctx, m.next, &shown{err: domain.ErrUnavailable}, func(_ *workbench, v *shardView) any { return m.from(v) })
	}
}

// work gives the one who asks what f makes of a view that has applied all below next,
// on a worker; refused when there are too many questions.
func (d *desk) work(ctx actor.Context, next int64, refused any, f func(*workbench, *shardView) any) {
	v := d.shard.acquireView()
	if v == nil || v.next < next {
		if v != nil {
			v.release()
		}
		ctx.Respond(&notReady{d.shard.id})
		return
	}
	who, root := ctx.Sender(), ctx.ActorSystem().Root
	job := func(x *workbench) {
		defer v.release()
		root.Send(who, f(x, v))
	}
	if !d.workers.offer(job) {
		v.release()
		ctx.Respond(refused)
	}
}

// answer answers from the view, on a worker. A panic is an error of this question
// alone.
func (d *desk) answer(x *workbench, v *shardView, m *ask) (p *partial) {
	p = &partial{shard: d.shard.id, next: v.next}
	defer func() {
		if r := recover(); r != nil {
			p.err = &domain.Error{Code: domain.Internal, Op: "desk", Err: fmt.Errorf("%v\n%s", r, debug.Stack())}
		}
	}()
	if m.ctx.Err() != nil {
		p.err = domain.ErrUnavailable
		return p
	}
	q := m.question
	av := v.accounts.get(uint32(q.Account))
	if av == nil {
		return p // nobody of the account lives here
	}
	if q.Shape == domain.ShapeLists {
		p.count(x, v, av, m)
		return p
	}
	x.members = av.crowd.Select(x.members, &q.Filter, ordinalsOf(v.roster, q.Account))
	set := x.members
	if set == nil {
		x.members = nil
	}
	if m.dense != brand.EveryBrand {
		av.heat.ask(m.dense, d.now())
	}
	one := &brand.Ask{Plan: m.plan, Brand: m.dense, Members: set, Cold: p.fromDisk(v.snapshot, q)}
	if q.Shape == domain.ShapeLocation {
		x.countries = av.crowd.Countries(x.countries)
		one.Country = x.countries
	}
	if q.Shape == domain.ShapeFeed {
		one.Label, one.Says = m.label, m.says(v.snapshot)
	}
	if q.Shape == domain.ShapeLeaders {
		one.Label, one.ID, one.At = m.label, av.crowd.ID, times(q.Top.Order, av.crowd)
	}
	one.Brands = m.brands
	ans, err := av.rows.Answer(x.scratch, one)
	p.tally, p.timeline, p.leaders, p.cross, p.err = ans.Tally, ans.Timeline, ans.Leaders, ans.Crossover, err
	if p.leaders != nil {
		p.leaders.Audience = audience(set, av.crowd)
	}
	p.feed = named(ans.Feed, av.crowd)
	return p
}

// ordinalsOf finds members of one account.
func ordinalsOf(r *member.Roster, account domain.AccountID) func(domain.MemberID) (domain.Ordinal, bool) {
	return func(id domain.MemberID) (domain.Ordinal, bool) {
		at, ok := r.Find(id)
		return at.Ord, ok && at.Account == account
	}
}

// fromDisk reads the rows of a brand that is on disk only, and notes that it was, if
// it is the one asked about.
func (p *partial) fromDisk(s Snapshot, q *domain.Question) brand.Source {
	return func(b brand.Cold, f func([]domain.Row)) error {
		if q.Brand != 0 && q.Brand == b.Brand && !slices.Contains(p.cold, b.Dense) {
			p.cold = append(p.cold, b.Dense)
		}
		return s.Rows(q.Account, b.Brand, q.Range, f)
	}
}

// workbench is what a worker needs to answer questions.
type workbench struct {
	scratch   *brand.Scratch
	members   []uint64
	countries brand.Column
	doers     []uint64 // of a segment's rule
	listed    []uint64 // on a segment's list
}

// workers are the goroutines that scan: as many as asked for, with a bounded queue
// before them (I8).
type workers struct {
	jobs chan func(*workbench)
	done chan struct{}
	n    int
}

// questionsWaiting is how many scans may wait for a worker.
const questionsWaiting = 4096

func startWorkers(ctx context.Context, n int) *workers {
	w := &workers{jobs: make(chan func(*workbench), questionsWaiting), done: make(chan struct{}, n), n: n}
	for range n {
		go func() {
			defer func() { w.done <- struct{}{} }()
			x := &workbench{scratch: brand.NewScratch()}
			for {
				select {
				case job := <-w.jobs:
					job(x)
				case <-ctx.Done():
					return
				}
			}
		}()
	}
	return w
}

func (w *workers) offer(job func(*workbench)) bool {
	select {
	case w.jobs <- job:
		return true
	default:
		return false
	}
}

// wait returns when all workers have ended.
func (w *workers) wait() {
	for range w.n {
		<-w.done
	}
}

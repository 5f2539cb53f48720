package actors

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"slices"
	"sync"
	"time"

	"github.com/asynkron/protoactor-go/actor"

	"github.com/ovation-analytics/ovation/actors/brand"
	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/actors/member"
	"github.com/ovation-analytics/ovation/actors/view"
)

// desk is the actor that takes a shard's questions: it has a mailbox of its own, so
// that a question never waits for ingestion, and answers from the published view
// on a worker.
type desk struct {
	shard   *shardShared
	pid     *actor.PID // of the shard
	workers *workers
	now     func() time.Time
	done    chan struct{} // closed when the actor has ended
}

// inline is for an actor that never waits and does little: it runs where it is sent to,
// one message after another as ever, and no goroutine has to be woken for it. A question
// passes a dozen mailboxes.
var inline = actor.WithDispatcher(actor.NewSynchronizedDispatcher(300))

// Receive is the mailbox. A panic is an error of the question alone.
func (d *desk) Receive(ctx actor.Context) {
	defer func() {
		if r := recover(); r != nil {
			err := &domain.Error{Code: domain.Internal, Op: "desk", Err: fmt.Errorf("%v\n%s", r, debug.Stack())}
			switch ctx.Message().(type) {
			case *ask:
				ctx.Respond(&partial{shard: d.shard.id, err: err})
			case *show:
				ctx.Respond(&shown{err: err})
			}
		}
	}()
	switch m := ctx.Message().(type) {
	case *ask:
		root := ctx.ActorSystem().Root
		d.work(ctx, m.next, &partial{shard: d.shard.id, err: domain.ErrUnavailable}, func(x *workbench, v *view.View) any {
			p := d.answer(x, v, m)
			for _, dense := range p.cold {
				root.Send(d.pid, &warm{m.question.Account, dense})
			}
			return p
		})
	case *show:
		d.work(ctx, m.next, &shown{err: domain.ErrUnavailable}, func(_ *workbench, v *view.View) any { return m.from(v) })
	case *actor.Stopped:
		close(d.done)
	}
}

// work gives the one who asks what f makes of a view that has applied all below next,
// on a worker; refused when there are too many questions.
func (d *desk) work(ctx actor.Context, next int64, refused any, f func(*workbench, *view.View) any) {
	v := d.shard.view.Acquire()
	if v == nil || v.Next < next {
		if v != nil {
			v.Release()
		}
		ctx.Respond(&notReady{d.shard.id})
		return
	}
	who, root := ctx.Sender(), ctx.ActorSystem().Root
	job := func(x *workbench) {
		defer v.Release()
		if d.workers.over() {
			root.Send(who, refused)
			return
		}
		root.Send(who, f(x, v))
	}
	if !d.workers.offer(job) {
		v.Release()
		ctx.Respond(refused)
	}
}

// answer answers from the view, on a worker, as long as somebody waits for it. A panic
// is an error of this question alone.
func (d *desk) answer(x *workbench, v *view.View, m *ask) (p *partial) {
	p = &partial{shard: d.shard.id, next: v.Next, ended: func() bool { return m.ctx.Err() != nil || d.workers.over() }}
	x.scratch.Until(p.ended)
	defer p.endReaders()
	defer func() {
		x.scratch.Until(nil)
		if r := recover(); r != nil {
			x.scratch = brand.NewScratch()
			p.err = &domain.Error{Code: domain.Internal, Op: "desk", Err: fmt.Errorf("%v\n%s", r, debug.Stack())}
		}
		if errors.Is(p.err, brand.ErrEnded) {
			p.err = domain.ErrUnavailable
		}
	}()
	if p.ended() {
		p.err = domain.ErrUnavailable
		return p
	}
	q := m.question
	av := v.Account(q.Account)
	if av == nil {
		return p // nobody of the account lives here
	}
	d.asked(av, m)
	if q.Shape == domain.ShapeLists {
		p.count(x, v, av, m)
		return p
	}
	set, err := p.whoCounts(x, v, av, m)
	if err != nil {
		p.err = err
		return p
	}
	if q.Shape == domain.ShapeRoll {
		p.roll = av.Crowd.Roll(set, &q.Roll)
		return p
	}
	one := p.rowsOf(x, v, av, m, set)
	ans, err := av.Rows.Answer(x.scratch, one)
	if q.Explain && err == nil { // of the same view: the actions are those that were counted
		ans.Feed, err = av.Rows.Feed(x.scratch, one)
	}
	p.tally, p.timeline, p.leaders, p.cross, p.err = ans.Tally, ans.Timeline, ans.Leaders, ans.Crossover, err
	if p.leaders != nil && q.Top.Audience {
		p.leaders.Audience = p.audience
	}
	p.stands = ans.Standings
	p.feed, p.depths = named(ans.Feed, av.Crowd), ans.Depths
	return p
}

// rowsOf is the question as an account's rows are asked it, of the members in a set.
func (p *partial) rowsOf(x *workbench, v *view.View, av *view.Account, m *ask, set []uint64) *brand.Ask {
	q := m.question
	x.column = av.Crowd.Column(x.column, q.Shape)
	one := &brand.Ask{
		Plan: m.plan, Brand: m.dense, Members: set, Cold: p.source(v, q), Column: x.column,
		Label: m.label, ID: av.Crowd.ID, Brands: m.brands,
	}
	if q.Shape == domain.ShapeNewcomers {
		one.Earlier = p.source(v, earlier(q))
	}
	if q.Shape == domain.ShapeFeed || q.Explain {
		one.Says, one.Search = m.says(v.Snapshot), m.search(v.Snapshot)
	}
	if q.Shape == domain.ShapeLeaders || q.Shape == domain.ShapeDepths {
		one.At = times(q.Top.Order, av.Crowd)
	}
	return one
}

// asked notes the brands that a question looks into.
func (d *desk) asked(av *view.Account, m *ask) {
	now := d.now()
	if m.dense != brand.EveryBrand {
		av.Access.Note(m.dense, now)
	}
	for _, dense := range m.choice.brands {
		av.Access.Note(dense, now)
	}
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
func (p *partial) fromDisk(s view.Snapshot, q *domain.Question) brand.Source {
	var read func(domain.BrandID, func([]domain.Row) error) error
	return func(b brand.Cold, f func([]domain.Row)) error {
		if q.Brand != 0 && q.Brand == b.Brand && !slices.Contains(p.cold, b.Dense) {
			p.cold = append(p.cold, b.Dense)
		}
		if read == nil {
			var end func() error
			read, end = s.Reader(q.Account, q.Range)
			p.readers = append(p.readers, end)
		}
		return read(b.Brand, func(rows []domain.Row) error {
			if p.ended() {
				return brand.ErrEnded
			}
			f(rows)
			return nil
		})
	}
}

// endReaders ends what has read from disk.
func (p *partial) endReaders() {
	for _, end := range p.readers {
		if err := end(); err != nil && p.err == nil {
			p.err = err
		}
	}
	p.readers = nil
}

// earlier is the question about the time before its range.
func earlier(q *domain.Question) *domain.Question {
	before := *q
	before.Range = domain.Range{To: q.Range.From}
	return &before
}

// workbench is what a worker needs to answer questions.
type workbench struct {
	scratch *brand.Scratch
	members []uint64
	column  brand.Column // what the members are counted by
	doers   []uint64     // of a segment's rule
	listed  []uint64     // on a segment's list
	union   []uint64     // on any of the lists
}

// workers are the goroutines that scan: as many as asked for, with a bounded queue
// before them (I8).
type workers struct {
	ctx  context.Context // ends with the node, and with it every scan
	jobs chan func(*workbench)
	all  sync.WaitGroup
}

// questionsWaiting is how many scans may wait for a worker.
const questionsWaiting = 4096

func startWorkers(ctx context.Context, n int) *workers {
	w := &workers{ctx: ctx, jobs: make(chan func(*workbench), questionsWaiting)}
	for range n {
		w.all.Go(func() {
			x := &workbench{scratch: brand.NewScratch()}
			for {
				select {
				case job := <-w.jobs:
					job(x)
				case <-ctx.Done():
					w.refuse(x)
					return
				}
			}
		})
	}
	return w
}

// over reports that the node stops: what still waits for a worker is refused.
func (w *workers) over() bool { return w.ctx.Err() != nil }

// refuse runs what waits for a worker that ends: a job holds a view, and only the job
// gives it back. It scans nothing, since the workers are over.
func (w *workers) refuse(x *workbench) {
	for {
		select {
		case job := <-w.jobs:
			job(x)
		default:
			return
		}
	}
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
func (w *workers) wait() { w.all.Wait() }

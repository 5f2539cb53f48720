package peers

import (
	"fmt"
	"sync"
	"time"

	"github.com/ovation-analytics/ovation/actors/brand/rows"
	"github.com/ovation-analytics/ovation/actors/brand/scan"
	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/actors/member"
	"github.com/ovation-analytics/ovation/actors/query/shape"
	"github.com/ovation-analytics/ovation/deploy/bench/population"
)

// Engine is the rows in shards as a node keeps them in memory, and workers that answer from
// them.
type Engine struct {
	scene     *Scene
	dense     []uint32 // by a brand's place
	shards    []engineShard
	directory *scan.Directory
	jobs      chan job
	done      sync.WaitGroup
}

type engineShard struct {
	audience *member.Audience
	index    *member.Index
	table    *rows.Table
	view     *rows.View
	pending  []domain.Row // room for one
	taken    uint64
}

// job is a shard's part of a question.
type job struct {
	plan  *scan.Plan
	q     *domain.Question
	dense uint32
	shard int
	to    *domain.Answer
	err   *error
	left  *sync.WaitGroup
}

// commitRows is how many rows are appended to a shard before they are committed.
const commitRows = 1000

// NewEngine takes a scene's rows into so many shards, and starts workers. Close it.
func NewEngine(c *Scene, shards, workers int) (*Engine, error) {
	e := &Engine{
		scene: c, dense: c.dense(), shards: make([]engineShard, shards),
		directory: scan.NewDirectory(c.ordered, nil), jobs: make(chan job, shards),
	}
	ordinals := make([]domain.Ordinal, len(c.Members))
	for i := range e.shards {
		e.shards[i].audience, e.shards[i].table = member.NewAudience(), rows.NewTable(rows.Options{})
	}
	for i := range c.Members {
		p := &c.Members[i]
		ordinals[i] = e.shards[p.ID.Slot().Shard(shards)].enter(p)
	}
	for i := range e.shards {
		e.shards[i].index = e.shards[i].audience.Commit()
	}
	err := c.arrivals(shards, func(r *Row, at int, id domain.ActionID) error {
		s, k := &e.shards[at], &c.Definitions[r.Definition]
		s.take(e.dense[r.Brand], domain.Row{
			Seq: uint64(id) >> 12, Time: r.Time, Ord: ordinals[r.Member], Brand: c.Brands[r.Brand], Definition: k.ID,
			Points: uint16(k.Points), Service: k.Service,
		})
		return nil
	})
	for i := range e.shards {
		e.shards[i].commit()
	}
	for range workers {
		e.done.Go(e.work)
	}
	return e, err
}

// Close ends the workers.
func (e *Engine) Close() {
	close(e.jobs)
	e.done.Wait()
}

// enter gives the next member of the shard its ordinal.
func (s *engineShard) enter(p *population.Member) domain.Ordinal {
	o := s.audience.Members()
	s.audience.Add(p.ID)
	s.audience.Put(&domain.Bit{Ord: o, Attribute: domain.AttrMember, On: true})
	if p.Paid {
		s.audience.Put(&domain.Bit{Ord: o, Attribute: domain.AttrPaid, On: true})
	}
	s.audience.PutColumn(&domain.Column{Ord: o, Attribute: domain.AttrCountry, Value: domain.CountryCode(p.Country)})
	return o
}

// take appends a row, and commits now and then.
func (s *engineShard) take(dense uint32, r domain.Row) {
	s.pending = append(s.pending[:0], r)
	s.table.Append(dense, s.pending)
	if s.taken++; s.taken%commitRows == 0 {
		s.commit()
	}
}

// commit publishes what was appended, and does what a node does beside it.
func (s *engineShard) commit() time.Duration {
	began := time.Now()
	s.view = s.table.Commit(nil)
	took := time.Since(began)
	s.table.Settle()
	return took
}

// work answers parts of questions.
func (e *Engine) work() {
	x, members, column := scan.NewScratch(), []uint64(nil), scan.Column(nil)
	for j := range e.jobs {
		s := &e.shards[j.shard]
		set := s.index.Select(members, &j.q.Filter, nil)
		if set != nil {
			members = set
		}
		ask := &scan.Ask{
			Plan: j.plan, Brand: j.dense, Members: set, Brands: e.directory, ID: s.index.ID,
			Label: func(dense uint32) domain.BrandID { return e.scene.ordered[dense-1] },
		}
		column = s.index.Column(column, j.q.Shape)
		ask.Column = column
		*j.to, *j.err = x.Answer(s.view, ask)
		if f := j.to.Feed; f != nil {
			for i := range f.Items {
				f.Items[i].Member = s.index.ID(f.Items[i].Row.Ord)
				f.Items[i].Row.Slot = f.Items[i].Member.Slot()
			}
		}
		j.left.Done()
	}
}

// Answers asks all shards, merges their answers and returns how long that took.
func (e *Engine) Answers(q *Question) (Answer, time.Duration, error) {
	d := q.of(e.scene)
	dense := rows.EveryBrand
	if q.Brand != Everywhere {
		dense = e.dense[q.Brand]
	}
	began := time.Now()
	parts, errs := make([]domain.Answer, len(e.shards)), make([]error, len(e.shards))
	var left sync.WaitGroup
	left.Add(len(e.shards))
	plan := scan.NewPlan(d)
	for i := range e.shards {
		e.jobs <- job{plan, d, dense, i, &parts[i], &errs[i], &left}
	}
	left.Wait()
	for _, err := range errs {
		if err != nil {
			return nil, 0, err
		}
	}
	whole, err := merge(d, parts)
	took := time.Since(began)
	if err != nil {
		return nil, 0, err
	}
	return e.scene.answerOf(d, whole), took, nil
}

// merge makes one answer of the shards'.
func merge(q *domain.Question, parts []domain.Answer) (*domain.Answer, error) {
	switch q.Shape {
	case domain.ShapeTally, domain.ShapeLocation:
		return &domain.Answer{Tally: shape.MergeTally(each(parts,
			func(a *domain.Answer) *domain.Tally { return a.Tally }))}, nil
	case domain.ShapeTimeline:
		t, err := shape.MergeTimeline(q.Range, each(parts,
			func(a *domain.Answer) *domain.Timeline { return a.Timeline }))
		return &domain.Answer{Timeline: t}, err
	case domain.ShapeLeaders:
		return &domain.Answer{Leaders: shape.MergeLeaders(q.Top,
			each(parts, func(a *domain.Answer) *domain.Leaders { return a.Leaders }))}, nil
	case domain.ShapeCrossover:
		return &domain.Answer{Crossover: shape.MergeCrossover(q.Top,
			each(parts, func(a *domain.Answer) *domain.Crossover { return a.Crossover }))}, nil
	case domain.ShapeFeed:
		return &domain.Answer{Feed: shape.MergeFeed(&q.Listing,
			each(parts, func(a *domain.Answer) *domain.Feed { return a.Feed }))}, nil
	}
	return nil, fmt.Errorf("no question of shape %d is asked here", q.Shape)
}

func each[T any](parts []domain.Answer, of func(*domain.Answer) T) []T {
	out := make([]T, len(parts))
	for i := range parts {
		out[i] = of(&parts[i])
	}
	return out
}

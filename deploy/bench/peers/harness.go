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
)

// Rig is the rows in shards as a node keeps them in memory, and workers that answer
// from them.
type Rig struct {
	scene     *Scene
	dense     []uint32 // by a brand's place
	shards    []rigShard
	directory *scan.Directory
	jobs      chan job
	done      sync.WaitGroup
}

type rigShard struct {
	audience *member.Audience
	crowd    *member.Index
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

// NewRig takes a scene's rows into so many shards, and starts workers. Close it.
func NewRig(c *Scene, shards, workers int) (*Rig, error) {
	g := &Rig{scene: c, dense: c.dense(), shards: make([]rigShard, shards), directory: scan.NewDirectory(c.ordered, nil), jobs: make(chan job, shards)}
	ordinals := make([]domain.Ordinal, len(c.People))
	for i := range g.shards {
		g.shards[i].audience, g.shards[i].table = member.NewAudience(), rows.NewTable(rows.Options{})
	}
	for i := range c.People {
		p := &c.People[i]
		ordinals[i] = g.shards[p.ID.Slot().Shard(shards)].enter(p)
	}
	for i := range g.shards {
		g.shards[i].crowd = g.shards[i].audience.Commit()
	}
	err := c.arrivals(shards, func(r *Row, at int, id domain.ActionID) error {
		s, k := &g.shards[at], &c.Kinds[r.Kind]
		s.take(g.dense[r.Brand], domain.Row{
			Seq: uint64(id) >> 12, Time: r.Time, Ord: ordinals[r.Person], Brand: c.Brands[r.Brand], Definition: k.ID, Points: k.Points, Service: k.Service,
		})
		return nil
	})
	for i := range g.shards {
		g.shards[i].commit()
	}
	for range workers {
		g.done.Go(g.work)
	}
	return g, err
}

// Close ends the workers.
func (g *Rig) Close() {
	close(g.jobs)
	g.done.Wait()
}

// enter gives the next member of the shard its ordinal.
func (s *rigShard) enter(p *Person) domain.Ordinal {
	o := s.audience.Members()
	s.audience.Add(p.ID)
	s.audience.Put(&domain.Bit{Ord: o, Attribute: domain.AttrMember, On: true})
	if p.Paid {
		s.audience.Put(&domain.Bit{Ord: o, Attribute: domain.AttrPaid, On: true})
	}
	s.audience.PutColumn(&domain.Column{Ord: o, Attribute: domain.AttrCountry, Value: p.Country})
	return o
}

// take appends a row, and commits now and then.
func (s *rigShard) take(dense uint32, r domain.Row) {
	s.pending = append(s.pending[:0], r)
	s.table.Append(dense, s.pending)
	if s.taken++; s.taken%commitRows == 0 {
		s.commit()
	}
}

// commit publishes what was appended, and does what a node does beside it.
func (s *rigShard) commit() time.Duration {
	began := time.Now()
	s.view = s.table.Commit(nil)
	took := time.Since(began)
	s.table.Settle()
	return took
}

// work answers parts of questions.
func (g *Rig) work() {
	x, members, column := scan.NewScratch(), []uint64(nil), scan.Column(nil)
	for j := range g.jobs {
		s := &g.shards[j.shard]
		set := s.crowd.Select(members, &j.q.Filter, nil)
		if set != nil {
			members = set
		}
		ask := &scan.Ask{
			Plan: j.plan, Brand: j.dense, Members: set, Brands: g.directory, ID: s.crowd.ID,
			Label: func(dense uint32) domain.BrandID { return g.scene.ordered[dense-1] },
		}
		column = s.crowd.Column(column, j.q.Shape)
		ask.Column = column
		*j.to, *j.err = x.Answer(s.view, ask)
		if f := j.to.Feed; f != nil {
			for i := range f.Items {
				f.Items[i].Member = s.crowd.ID(f.Items[i].Row.Ord)
				f.Items[i].Row.Slot = f.Items[i].Member.Slot()
			}
		}
		j.left.Done()
	}
}

// Answers asks all shards, merges their answers, and tells how long that took.
func (g *Rig) Answers(q *Question) (Answer, time.Duration, error) {
	d := q.of(g.scene)
	dense := rows.EveryBrand
	if q.Brand != Everywhere {
		dense = g.dense[q.Brand]
	}
	began := time.Now()
	parts, errs := make([]domain.Answer, len(g.shards)), make([]error, len(g.shards))
	var left sync.WaitGroup
	left.Add(len(g.shards))
	plan := scan.NewPlan(d)
	for i := range g.shards {
		g.jobs <- job{plan, d, dense, i, &parts[i], &errs[i], &left}
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
	return g.scene.answerOf(d, whole), took, nil
}

// merge makes one answer of the shards'.
func merge(q *domain.Question, parts []domain.Answer) (*domain.Answer, error) {
	switch q.Shape {
	case domain.ShapeTally, domain.ShapeLocation:
		return &domain.Answer{Tally: shape.MergeTally(each(parts, func(a *domain.Answer) *domain.Tally { return a.Tally }))}, nil
	case domain.ShapeTimeline:
		t, err := shape.MergeTimeline(q.Range, each(parts, func(a *domain.Answer) *domain.Timeline { return a.Timeline }))
		return &domain.Answer{Timeline: t}, err
	case domain.ShapeLeaders:
		return &domain.Answer{Leaders: shape.MergeLeaders(q.Top, each(parts, func(a *domain.Answer) *domain.Leaders { return a.Leaders }))}, nil
	case domain.ShapeCrossover:
		return &domain.Answer{Crossover: shape.MergeCrossover(q.Top, each(parts, func(a *domain.Answer) *domain.Crossover { return a.Crossover }))}, nil
	case domain.ShapeFeed:
		return &domain.Answer{Feed: shape.MergeFeed(&q.Listing, each(parts, func(a *domain.Answer) *domain.Feed { return a.Feed }))}, nil
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

// Bytes is the memory of the columns.
func (g *Rig) Bytes() (n int) {
	for i := range g.shards {
		n += g.shards[i].table.Bytes()
	}
	return n
}

// Commits appends the scene's first rows once more, commitRows to each shard n times, and
// tells how long each time took to append and settle them, and to publish them. What the
// rig answers afterwards is another scene's.
func (g *Rig) Commits(n int) (appended, published []time.Duration) {
	for i := range g.shards {
		s := &g.shards[i]
		for k := range n {
			began := time.Now()
			for j := range commitRows {
				r := &g.scene.Rows[(k*commitRows+j)%len(g.scene.Rows)]
				kind := &g.scene.Kinds[r.Kind]
				s.taken++
				s.pending = append(s.pending[:0], domain.Row{
					Seq: s.taken, Time: g.scene.End + domain.Second(k), Ord: domain.Ordinal(int(r.Person) % s.crowd.Members()), Brand: g.scene.Brands[r.Brand],
					Definition: kind.ID, Points: kind.Points, Service: kind.Service,
				})
				s.table.Append(g.dense[r.Brand], s.pending)
			}
			took := time.Since(began)
			commit := s.commit()
			published = append(published, commit)
			appended = append(appended, took)
		}
	}
	return appended, published
}

package scan

import (
	"github.com/ovation-analytics/ovation/actors/brand/rows"
	"github.com/ovation-analytics/ovation/actors/domain"
)

// Scratch is the memory of one worker: a question's selection, and for each family of questions what it
// counts with. It grows with the members and rows of what it is asked and holds no chunk between
// questions. After a panic it is discarded.
type Scratch struct {
	selection selection
	visitor   rowScan
	members   memberSet
	marks     marks

	tally        tally
	newcomers    newcomers
	demographics demographics
	timeline     timeline
	daily        dailyCounts
	crossover    crossover
	ranking      ranking
	latest       latestRows
	histogram    histogram
	feed         feedScan
	performed    performedScan
	stream       streamScan
}

// NewScratch is an empty scratch.
func NewScratch() *Scratch {
	x := &Scratch{}
	s := &x.selection
	x.visitor.selection = s
	x.members = memberSet{selection: s, marks: &x.marks}
	x.tally = tally{selection: s, marks: &x.marks}
	x.newcomers = newcomers{tally: &x.tally}
	x.demographics.selection = s
	x.timeline.selection = s
	x.daily = dailyCounts{selection: s, marks: &x.marks}
	x.crossover = crossover{selection: s, memberSet: &x.members}
	x.latest = latestRows{rowScan: &x.visitor}
	x.ranking = ranking{rowScan: &x.visitor, latest: &x.latest}
	x.histogram = histogram{rowScan: &x.visitor, ranking: &x.ranking}
	x.feed = feedScan{selection: s, memberSet: &x.members}
	x.feed.cold.feedScan = &x.feed
	x.feed.feed.hits.atOnce = searchAtOnce
	x.performed.selection = s
	x.stream.selection = s
	return x
}

// Answer answers by the question's shape; the rest of the answer is the caller's. The
// error is ErrCold, that of a Source, or ErrCancelled.
func (x *Scratch) Answer(v *rows.View, a *Ask) (domain.Answer, error) {
	out, err := x.answer(v, a)
	if err = x.selection.result(err); err != nil {
		return domain.Answer{}, err
	}
	return out, nil
}

func (x *Scratch) answer(v *rows.View, a *Ask) (domain.Answer, error) {
	switch a.Plan.shape {
	case domain.ShapeTally:
		t, err := x.countGroups(v, a)
		return domain.Answer{Tally: t}, err
	case domain.ShapeDomains:
		d, err := visitCounts{&x.tally, &x.visitor}.domains(v, a)
		return domain.Answer{Domains: d}, err
	case domain.ShapeLocation, domain.ShapeGender:
		t, err := x.demographics.byValue(v, a)
		return domain.Answer{Tally: t}, err
	case domain.ShapeAge:
		t, err := x.demographics.byAge(v, a)
		return domain.Answer{Tally: t}, err
	case domain.ShapeNewcomers:
		t, err := x.newcomers.answer(v, a)
		return domain.Answer{Tally: t}, err
	case domain.ShapeDaily:
		t, err := x.daily.answer(v, a)
		return domain.Answer{Timeline: t}, err
	case domain.ShapeTimeline:
		t, err := x.timeline.answer(v, a)
		out := domain.Answer{Timeline: t}
		if q := a.Plan.visits; q != nil && q.Totals && err == nil {
			out.Tally, err = x.tally.answer(v, a)
		}
		return out, err
	case domain.ShapeLeaders:
		l, err := x.ranking.answer(v, a)
		return domain.Answer{Leaders: l}, err
	case domain.ShapeFeed:
		f, err := x.feed.answer(v, a)
		return domain.Answer{Feed: f}, err
	case domain.ShapeRankHistogram:
		d, err := x.histogram.answer(v, a)
		return domain.Answer{Histogram: d}, err
	case domain.ShapeStandings:
		s, err := x.visitor.standings(v, a)
		return domain.Answer{Standings: s}, err
	case domain.ShapeSummaries:
		s, err := x.visitor.summaries(v, a)
		return domain.Answer{Summaries: s}, err
	case domain.ShapeCrossover:
		c, err := x.crossover.answer(v, a)
		return domain.Answer{Crossover: c}, err
	case domain.ShapeLists, domain.ShapeMemberList: // they read members, no rows
	case domain.ShapeStream: // Stream and StreamFrom
	}
	return domain.Answer{}, &domain.Error{Code: domain.Internal, Op: "scan.Answer", Message: "unknown shape of question"}
}

// countGroups answers a tally.
func (x *Scratch) countGroups(v *rows.View, a *Ask) (*domain.Tally, error) {
	if q := a.Plan.visits; q != nil && q.Valid {
		return visitCounts{&x.tally, &x.visitor}.valid(v, a)
	}
	return x.tally.answer(v, a)
}

// CancelWhen has the questions that x answers from now on end, with ErrCancelled, once ended
// reports that their answers are not wanted any more. It is asked before every stretch of at
// most 65,536 rows; it is not asked again after it reported so. nil: they do not end.
func (x *Scratch) CancelWhen(ended func() bool) {
	x.selection.cancellation = cancellation{ended: ended}
}

// Feed answers a question of that shape.
func (x *Scratch) Feed(v *rows.View, a *Ask) (*domain.Feed, error) { return x.feed.answer(v, a) }

// Stream is the first of the question's rows with sequences above one, in their order, whatever their time.
func (x *Scratch) Stream(v *rows.View, a *Ask, above uint64, limit int) (*domain.StreamPart, error) {
	p, err := x.stream.answer(v, a, above, limit)
	return p, x.selection.result(err)
}

// StreamFrom is a sequence that those of the question's rows have that were recorded before a moment, in ms, or lower
// ones; the other rows have higher ones.
func (x *Scratch) StreamFrom(v *rows.View, a *Ask, ms int64) (uint64, error) {
	seq, err := x.feed.recordedBefore(v, a, ms)
	return seq, x.selection.result(err)
}

// Performed is the set of the members that meet a condition, in dst's memory where that is large
// enough. The error is ErrCold, ErrCancelled, or that of the Source.
func (x *Scratch) Performed(v *rows.View, dst []uint64, d *Performed, from rows.Source) ([]uint64, error) {
	return x.performed.answer(v, dst, d, from)
}

// AtLeast is the set of the members that have at least so many rows of the question, of any group, in
// dst's memory where that is large enough. The error is ErrCold, ErrCancelled, or that of the Source.
func (x *Scratch) AtLeast(v *rows.View, dst []uint64, a *Ask, minActions uint32) ([]uint64, error) {
	return x.tally.atLeast(v, dst, a, minActions)
}

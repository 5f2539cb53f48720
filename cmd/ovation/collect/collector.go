package collect

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/ovation-analytics/ovation/cmd/ovation/collect/input"
	"github.com/ovation-analytics/ovation/cmd/ovation/collect/runs"
	"github.com/ovation-analytics/ovation/ingest/kafka"
)

// Options say how a source is published. Log, State, API and Rejects may be nil only
// as their comments say.
type Options struct {
	Account   uint32
	Log       Log      // nil: a dry run
	State     *State   // nil: a dry run
	API       *API     // makes what is missing, of a dry run only tells what is there; nil: a row that names what has no id and is not known ends the run
	Rate      int      // actions a second; 0: as fast as it goes
	MaxErrors int      // bad rows after which to give up; below 0: never
	FromStart bool     // publish again what is published
	Rejects   *Rejects // gets every bad row as it is in the input; nil: the position stays before the first one
	Report    Report
	Now       func() time.Time // nil: time.Now
}

// Report receives what happens, from one goroutine. Done is called often: Report decides how
// much of it is shown.
type Report interface {
	// Bad tells what is wrong with a row of a file.
	Bad(line int64, err error)
	// Resumed tells that so much was published by earlier runs.
	Resumed(p Position)
	// Sample shows one of the first records, of a dry run.
	Sample(a *input.Action)
	// Done tells how far it is.
	Done(t Totals)
}

// Totals count what was done since Run was called.
type Totals struct {
	runs.Counts
	Passed, Total int64 // of the source, in its unit
}

// ErrTooMany says that more rows are bad than allowed.
var ErrTooMany = errors.New("too many bad rows")

// saveEvery is how often a position is written, chunks being acknowledged more often.
const saveEvery = 250 * time.Millisecond

// collector is one run, or a part of it.
type collector struct {
	Options
	source Source
	makers *makers
	judge  *judge

	messages []kafka.Message // of the chunk that is published
	totals   Totals
	start    Position // of earlier runs
	last     Position // the one to write
	saved    time.Time
	pace     pace
	held     bool // a bad row is in no file of rejects: the position stays before it

	run    *runs.Run   // nil: no row was read yet, or a dry run
	before runs.Counts // of the run, before Run was called
	ids    *runs.IDs   // nil: no row was read yet
	buffer []byte      // for the contents of an action

	resumed *input.Mark // where this run goes on; nil: at the beginning
}

// Run publishes a source from where its position is to its end, or until ctx ends,
// and gives the totals of this run. When it returns, what it acknowledged is in
// the position; the next run resumes there.
func Run(ctx context.Context, source Source, o Options) (Totals, error) {
	if o.Now == nil {
		o.Now = time.Now
	}
	c := &collector{Options: o, source: source, pace: pace{rate: o.Rate, now: o.Now}}
	c.makers = &makers{api: o.API, state: o.State, refused: map[thingKey]error{}}
	var err error
	if c.judge, err = newJudge(c.API, o.Now); err != nil {
		return c.totals, err
	}
	if err := c.resume(); err != nil {
		return c.totals, err
	}
	if c.API != nil {
		if err := c.API.check(ctx, c.Account); err != nil {
			return c.totals, err
		}
	}
	err = c.all(ctx)
	err = errors.Join(err, c.end(err == nil))
	return c.totals, err
}

// resume finds where the source is to go on.
func (c *collector) resume() error {
	c.start.Identity = c.source.Identity()
	if c.State == nil {
		return nil
	}
	p, ok, err := c.State.Position(c.source.Name())
	if err != nil || !ok || c.FromStart {
		return err
	}
	if p.Identity != c.start.Identity {
		return fmt.Errorf("%d actions are published by another mapping or other options, tables or counts beside it: "+
			"go on with those, publish all rows again with --from-start (repeats count once), "+
			"or choose another source and another --state", p.Published)
	}
	if err := c.source.Resume(p.Mark); err != nil {
		if errors.Is(err, input.ErrChanged) {
			err = fmt.Errorf("%w; --from-start publishes all rows again (repeats count once)", err)
		}
		return err
	}
	c.start, c.last, c.resumed = p, p, &p.Mark
	c.Report.Resumed(p)
	return c.continued(p.Run)
}

// all moves chunk by chunk: the next is read and mapped while one is published.
func (c *collector) all(ctx context.Context) error {
	ctx, cancel := context.WithCancel(ctx)
	chunks := make(chan *chunk)
	free := make(chan *chunk, 1)
	ended := make(chan error, 1)
	cut := cutter{source: c.source, to: chunks, free: free, size: chunkSize(c.Rate), texts: c.Rejects != nil, resume: c.resumed}
	go func() {
		defer close(chunks)
		ended <- cut.run(ctx)
	}()
	var err error
	for ch := range chunks {
		if err == nil {
			err = c.publish(ctx, ch)
		}
		if err != nil {
			cancel()
		}
		ch.reset()
		select {
		case free <- ch:
		default:
		}
	}
	cancel()
	return errors.Join(err, notEnded(<-ended, err))
}

// notEnded is the reader's error, unless it only ended because the other side did.
func notEnded(reading, publishing error) error {
	if publishing != nil && errors.Is(reading, context.Canceled) {
		return nil
	}
	return reading
}

// publish makes what the chunk's actions name, publishes them and notes the position. Where a
// cause that is not a row's refuses one, nothing of the chunk is published.
func (c *collector) publish(ctx context.Context, ch *chunk) error {
	if err := c.begin(ch); err != nil {
		return err
	}
	made, err := c.makers.make(ctx, ch.items)
	c.totals.Created += made
	if err != nil {
		return err
	}
	if err := c.fill(ctx, ch); err != nil {
		return err
	}
	if err := c.tell(ch); err != nil {
		return err
	}
	if c.ids != nil {
		if err := c.ids.Keep(); err != nil {
			return fmt.Errorf("the ids of the run: %w", err)
		}
	}
	if len(c.messages) > 0 {
		if err := c.pace.wait(ctx, len(c.messages)); err != nil {
			return err
		}
		if err := c.Log.Publish(ctx, c.messages); err != nil {
			return err
		}
	}
	c.totals.Published += int64(len(c.messages))
	c.totals.Passed, c.totals.Total = ch.passed, ch.total
	if !c.held {
		c.last = Position{
			Identity: c.start.Identity, Mark: ch.mark,
			Published: c.start.Published + c.totals.Published, Rejected: c.start.Rejected + c.totals.Rejected,
			Run: c.soFar(),
		}
	}
	c.Report.Done(c.totals)
	return c.save(false)
}

// fill makes the records of the chunk's actions; of a dry run they are shown. Rows that the API or the engine
// refuses join the chunk's bad ones.
func (c *collector) fill(ctx context.Context, ch *chunk) error {
	clear(c.messages)
	c.messages = c.messages[:0]
	for i := range ch.items {
		it := &ch.items[i]
		m, err := c.message(ctx, it)
		if ofRow(err) {
			ch.bad = append(ch.bad, refused{it.row, err})
			continue
		}
		if err != nil {
			return fmt.Errorf("line %d: %w", it.row.line, err)
		}
		if c.Log == nil {
			c.Report.Sample(&it.action)
			c.totals.Published++
			continue
		}
		c.messages = append(c.messages, m)
	}
	return nil
}

// message is the record of an action, which is noted as one of the run.
func (c *collector) message(ctx context.Context, it *item) (m kafka.Message, err error) {
	if err := c.judge.ids(ctx, &it.action); err != nil {
		return m, err
	}
	if err := c.makers.fill(&it.action); err != nil {
		return m, err
	}
	given := c.mark(it)
	a, account := it.action, c.Account
	if c.Log == nil { // what is missing is not made
		a, account = madeUp(a), max(account, 1)
	}
	if m, err = message(&a, account, c.source.Event()); err != nil {
		return m, err
	}
	if err := c.judge.record(&a, &m); err != nil {
		return m, err
	}
	c.note(it, given)
	return m, nil
}

// madeUp is an action with some id of what is to be made.
func madeUp(a input.Action) input.Action {
	a.Activity.ID = max(a.Activity.ID, 1)
	if a.Brand.Name != "" {
		a.Brand.ID = max(a.Brand.ID, 1)
	}
	return a
}

// tell reports the rows that the chunk has no actions of.
func (c *collector) tell(ch *chunk) error {
	c.totals.Rows += ch.rows
	c.totals.Silent += ch.silent
	c.totals.Skipped += ch.skipped
	c.totals.NoCountry += ch.noCountry
	slices.SortStableFunc(ch.bad, func(a, b refused) int { return cmp.Compare(a.row.line, b.row.line) })
	for i := range ch.bad {
		if err := c.reject(ch.head, ch.bad[i].row, ch.bad[i].err); err != nil {
			return err
		}
	}
	return nil
}

// reject tells a bad row, once.
func (c *collector) reject(head []byte, o *origin, err error) error {
	if o.reported {
		return nil
	}
	o.reported = true
	c.totals.Bad(o.line, err.Error())
	c.Report.Bad(o.line, err)
	switch {
	case c.Rejects == nil:
		c.held = true
	case o.text != nil:
		if err := c.Rejects.Add(head, o.text); err != nil {
			return fmt.Errorf("the rejects: %w", err)
		}
	}
	if c.MaxErrors >= 0 && c.totals.Rejected > int64(c.MaxErrors) {
		return fmt.Errorf("%w: more than %d", ErrTooMany, c.MaxErrors)
	}
	return nil
}

// save writes the position and the run, now or when it is time.
func (c *collector) save(now bool) error {
	if c.State == nil || !now && c.Now().Sub(c.saved) < saveEvery {
		return nil
	}
	c.saved = c.Now()
	if c.Rejects != nil { // a position passes no row that they may lose
		if err := c.Rejects.Sync(); err != nil {
			return fmt.Errorf("the rejects: %w", err)
		}
	}
	if c.ids != nil {
		if err := c.ids.Sync(); err != nil {
			return fmt.Errorf("the ids of the run: %w", err)
		}
	}
	if c.last.Mark != (input.Mark{}) {
		if err := c.State.Save(c.source.Name(), c.last); err != nil {
			return err
		}
	}
	if c.run == nil {
		return nil
	}
	return c.State.Runs().Save(c.soFar())
}

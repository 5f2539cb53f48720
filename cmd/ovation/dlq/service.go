package dlq

import (
	"context"
	"errors"
	"log/slog"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/api/admin"
)

// Service is the dead letters of a node as its admin port needs them. Any goroutine.
type Service struct {
	open    func(context.Context) (*Log, error)
	log     *slog.Logger
	reading chan struct{} // one reads at a time: a page of the topic may be large
	running sync.WaitGroup

	mu     sync.Mutex
	run    *Run               // nil: there was none
	cancel context.CancelFunc // nil: none is under way
}

// NewService is the dead letters of a log, which open gives for one goroutine.
func NewService(open func(context.Context) (*Log, error), log *slog.Logger) *Service {
	return &Service{open: open, log: log, reading: make(chan struct{}, 1)}
}

// Order says what is replayed: chosen letters, or all that pass.
type Order struct {
	Offsets []int64          `json:"offsets"` // of letters
	All     bool             `json:"all"`     // all that pass the filter, which may be open
	Reasons []string         `json:"reasons"`
	Account domain.AccountID `json:"account"`
	Since   string           `json:"since"`  // as of admin.LetterQuery
	To      int64            `json:"to"`     // those before this offset; 0: all that there are as the run begins
	DryRun  bool             `json:"dryRun"` // nothing is published
}

// States of a run.
const (
	Running   = "running"
	Done      = "done"
	Failed    = "failed"
	Cancelled = "cancelled"
)

// Run is a replay of a node.
type Run struct {
	State   string         `json:"state"`
	Started time.Time      `json:"started"`
	Seconds float64        `json:"seconds"`
	Since   string         `json:"since,omitempty"` // the time that the order meant
	To      int64          `json:"to"`              // letters before this offset are meant
	Read    int64          `json:"read"`            // records
	Records int64          `json:"records"`         // to be read
	LeftAll int            `json:"leftAll"`         // of which Left names the first
	Refused map[string]int `json:"refused"`         // of those replayed: will be again, for what they hold
	Error   string         `json:"error,omitempty"`
	Replayed
}

// Bounds of an answer and of an order.
const (
	readRecords = 10_000 // of the topic, for one page of letters
	maxOffsets  = 1000
	namedLeft   = 20
	knownLeast  = 1 << 18 // ids that a run remembers
)

// Letters is a page of the letters that pass.
func (s *Service) Letters(ctx context.Context, q admin.LetterQuery) (page admin.LetterPage, err error) {
	f, err := filterOf(q.Reasons, q.Account, q.Since)
	if err != nil {
		return page, err
	}
	err = s.read(ctx, func(log *Log) error {
		page, err = log.Page(ctx, f, q.Before, q.Limit, readRecords)
		return err
	})
	return page, err
}

// Letter is the letter at an offset of the topic.
func (s *Service) Letter(ctx context.Context, offset int64) (shown admin.ShownLetter, err error) {
	err = s.read(ctx, func(log *Log) error {
		l, err := log.At(ctx, offset)
		if err != nil {
			return err
		}
		if l == nil {
			return domain.Bad(domain.NotFound, "offset", "there is no dead letter at this offset any more")
		}
		shown = admin.ShownLetter{ListedLetter: admin.ListedLetter{Offset: offset, Letter: log.Listed(l)}, LetterContent: l.Content()}
		if r := review(log.decoder, &l.Original); l.Whole && r.Refusal != domain.Accepted {
			shown.Refusal, shown.Where = r.Refusal.String(), r.Detail
		}
		return nil
	})
	return shown, err
}

// read calls f with a log once no other request reads.
func (s *Service) read(ctx context.Context, f func(*Log) error) error {
	select {
	case s.reading <- struct{}{}:
		defer func() { <-s.reading }()
	case <-ctx.Done():
		return ctx.Err()
	}
	log, err := s.open(ctx)
	if err != nil {
		return err
	}
	return f(log)
}

// filterOf are the letters that a request means.
func filterOf(reasons []string, account domain.AccountID, since string) (f Filter, err error) {
	f = Every()
	f.Reasons, f.Account = reasons, account
	if f.From, err = Moment(since, time.Now()); err != nil {
		err = domain.Bad(domain.InvalidParameter, "since", err.Error())
	}
	f.From -= f.From % 1000 // so that a run says exactly what it meant
	return f, err
}

// Start begins a run. While one is under way it is a Conflict.
func (s *Service) Start(o Order) error {
	f, err := filterOf(o.Reasons, o.Account, o.Since)
	if err != nil {
		return err
	}
	for _, word := range o.Reasons {
		if _, ok := domain.ParseReason(word); !ok {
			return domain.Bad(domain.InvalidParameter, "reasons", "no letter has such a reason")
		}
	}
	switch {
	case (len(o.Offsets) > 0) == o.All:
		return domain.Bad(domain.MissingParameter, "offsets", "replay what? Give the offsets of letters, or all")
	case len(o.Offsets) > 0 && !f.Open():
		return domain.Bad(domain.InvalidParameter, "offsets", "letters are chosen by their offsets or by a filter, not by both")
	case len(o.Offsets) > maxOffsets:
		return domain.Bad(domain.InvalidParameter, "offsets", "at most 1000 letters are chosen by their offsets")
	case o.To < 0 || slices.ContainsFunc(o.Offsets, func(at int64) bool { return at < 0 }):
		return domain.Bad(domain.InvalidParameter, "offsets", "an offset is a number from 0 up")
	}
	ctx, cancel := context.WithCancel(context.Background())
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.cancel != nil {
		cancel()
		return domain.Fail(domain.Conflict, "a replay of dead letters is under way")
	}
	s.cancel = cancel
	s.run = &Run{State: Running, Started: time.Now().UTC(), Refused: map[string]int{}, Replayed: Replayed{Reasons: map[string]int{}, Left: []Left{}, DryRun: o.DryRun}}
	if f.From > 0 {
		s.run.Since = stamp(f.From)
	}
	s.running.Go(func() { s.end(s.replay(ctx, o, f)) })
	return nil
}

// replay goes through the letters of an order.
func (s *Service) replay(ctx context.Context, o Order, f Filter) error {
	log, err := s.open(ctx)
	if err != nil {
		return err
	}
	all, err := log.bounds(ctx, f.From)
	if err != nil {
		return err
	}
	if o.To > 0 {
		all.To = min(all.To, o.To)
	}
	var parts []Window
	for _, at := range slices.Compact(slices.Sorted(slices.Values(o.Offsets))) {
		if at >= all.From && at < all.To {
			parts = append(parts, Window{at, at + 1})
		}
	}
	for at := all.From; o.All && at < all.To; at += chunk {
		parts = append(parts, Window{at, min(at+chunk, all.To)})
	}
	s.update(func(run *Run) {
		run.To = all.To
		for _, w := range parts {
			run.Records += w.To - w.From
		}
	})
	r, known := NewReplayer(log, o.DryRun, namedLeft), newReading(knownLeast)
	refused := map[string]int{}
	for _, w := range parts {
		err := log.scan(ctx, w, known, func(l *Letter) error {
			if !f.Passes(l) {
				return nil
			}
			if now := review(log.decoder, &l.Original); l.Whole && now.Refusal != domain.Accepted {
				refused[now.Refusal.String()]++
			}
			return r.Take(ctx, l)
		})
		if err == nil {
			err = r.Flush(ctx)
		}
		known.forget()
		s.update(func(run *Run) {
			run.Read += w.To - w.From
			run.Replayed, run.LeftAll = r.Done, r.Done.left
			run.Reasons, run.Left = maps.Clone(r.Done.Reasons), slices.Clone(r.Done.Left)
			run.Refused = maps.Clone(refused)
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// end concludes the run under way. Another may begin from now on.
func (s *Service) end(err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.cancel()
	s.cancel = nil
	s.run.Seconds, s.run.State = time.Since(s.run.Started).Seconds(), Done
	switch {
	case errors.Is(err, context.Canceled):
		s.run.State = Cancelled
	case err != nil:
		s.run.State, s.run.Error = Failed, err.Error()
	}
	s.log.Info("replay of dead letters ended", "state", s.run.State, "dryRun", s.run.DryRun, "chosen", s.run.Chosen, "replayed", s.run.Replayed.Replayed, "left", s.run.LeftAll, "err", err)
}

func (s *Service) update(f func(*Run)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	f(s.run)
}

// Last is a copy of the run under way, or of the last of this process; nil: there was none.
func (s *Service) Last() *Run {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.run == nil {
		return nil
	}
	run := *s.run // maps and lists of it are replaced, never changed
	if s.cancel != nil {
		run.Seconds = time.Since(run.Started).Seconds()
	}
	return &run
}

// Cancel ends the run under way; it has ended when Last says so.
func (s *Service) Cancel() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.cancel != nil {
		s.cancel()
	}
}

// Close ends the run under way and waits for it.
func (s *Service) Close() error {
	s.Cancel()
	s.running.Wait()
	return nil
}

package query

import (
	"context"
	"testing"
	"time"

	"github.com/ovation-analytics/ovation/actors/catalog"
	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/actors/internal/yield"
)

// fakeLogs has applied everything.
type fakeLogs struct{}

func (fakeLogs) Await(context.Context, domain.Position) error { return nil }
func (fakeLogs) End(context.Context, int) (int64, error)      { return 0, nil }
func (fakeLogs) Lag() time.Duration                           { return 0 }
func (fakeLogs) Journal() domain.TopicID                      { return domain.TopicID{1} }
func (fakeLogs) Catalog() *catalog.View                       { return &catalog.View{} }

// muteShard never answers.
type muteShard struct {
	Shard
	asked chan context.Context
}

func (s muteShard) Answer(ctx context.Context, _ *Ask, _ func(*Part)) { s.asked <- ctx }

// What is asked of the shards ends when the one who asks goes away, and after ten seconds at
// the latest.
func TestCoordinator_QuestionEndsWithItsContext(t *testing.T) {
	mute := muteShard{asked: make(chan context.Context, 1)}
	var questions yield.Questions
	c := New(Options{Shards: []Shard{mute}, Logs: fakeLogs{}, Yield: &questions})
	ctx, cancel := context.WithTimeout(context.Background(), time.Hour)
	failed := make(chan error, 1)
	go func() {
		_, err := c.Ask(ctx, &domain.Question{Account: 1, Shape: domain.ShapeTally, Range: domain.Range{To: 9}}, domain.Position{})
		failed <- err
	}()
	asked := <-mute.asked
	if end, ok := asked.Deadline(); !ok || time.Until(end) > maxLife || asked.Err() != nil {
		t.Errorf("it lives until %v: %v", end, asked.Err())
	}
	if questions.Open() != 1 {
		t.Errorf("%d questions are open", questions.Open())
	}
	cancel()
	if err := <-failed; domain.CodeOf(err) != domain.Unavailable {
		t.Errorf("%v", err)
	}
	if asked.Err() == nil || questions.Open() != 0 {
		t.Error("it is still asked")
	}
}

// A job that waits when the executor ends is run, so that it releases its view; a later one
// is refused.
func TestExecutor_EndsWithWaitingJobs(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	e := StartExecutor(ctx, 1)
	begun := make(chan struct{})
	free := make(chan struct{})
	e.offer(func(*scratch) { close(begun); <-free })
	<-begun
	ran := 0
	for range 40 {
		if !e.offer(func(*scratch) { ran++ }) {
			t.Fatal("refused")
		}
	}
	cancel()
	close(free)
	e.Wait()
	if ran != 40 || !e.stopping() || e.offer(func(*scratch) {}) {
		t.Errorf("%d of 40 ran", ran)
	}
}

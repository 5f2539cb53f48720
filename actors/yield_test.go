package actors

import (
	"context"
	"testing"

	"github.com/ovation-analytics/ovation/actors/domain"
)

// A question is open until it is answered: so long shards yield.
func TestNode_QuestionIsOpenUntilItIsAnswered(t *testing.T) {
	t.Parallel()
	r := newRig(t, 2, Options{Questions: Questions{Workers: 1}})
	read := r.spoilBusy()
	r.furnish(1)
	id := r.register(1)
	r.settled()
	q := &domain.Question{Account: 1, Shape: domain.ShapeTally, Brand: 1, Range: domain.AllTime, Groups: []domain.Group{{Definition: 100}}}
	item := domain.FeedItem{Member: id, Row: domain.Row{Brand: 1}}
	for name, ask := range map[string]func() error{
		"a question": func() error { _, err := r.node.Ask(context.Background(), q, domain.Position{}); return err },
		"what rows say": func() error {
			_, err := r.node.Show(context.Background(), 1, []domain.FeedItem{item}, domain.Position{})
			return err
		},
	} {
		if r.node.questions.Open() > 0 {
			t.Fatalf("before %s somebody waits", name)
		}
		free, answered := r.occupy(read), make(chan error)
		go func() { answered <- ask() }()
		r.eventually(name+" is known", func() bool { return r.node.questions.Open() > 0 })
		close(free)
		if err := <-answered; err != nil {
			t.Fatal(err)
		}
		if r.node.questions.Open() > 0 {
			t.Errorf("after %s somebody waits", name)
		}
	}
}

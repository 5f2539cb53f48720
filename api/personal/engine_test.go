package personal

import (
	"bytes"
	"context"
	"log/slog"
	"testing"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/actors/keys/keystest"
	"github.com/ovation-analytics/ovation/api/port"
)

// rereadEngine has a member, and from the second reading on what the test says.
type rereadEngine struct {
	port.Engine
	first, then *domain.Member
	err         error // of the readings from the second on
	reads       int
}

func (e *rereadEngine) Member(
	context.Context, domain.AccountID, domain.MemberID, domain.Position,
) (*domain.Member, domain.Position, error) {
	if e.reads++; e.reads == 1 {
		return e.first, domain.Position{}, nil
	}
	return e.then, domain.Position{}, e.err
}

func (e *rereadEngine) Show(
	_ context.Context, _ domain.AccountID, items []domain.FeedItem, _ domain.Position,
) ([]domain.Shown, error) {
	m, _, _ := e.Member(context.Background(), 0, 0, domain.Position{})
	return []domain.Shown{{Member: m}}, nil
}

// A member whose data key is gone when it is opened is read once more: one who was erased in between
// is gone, without a line in the log; one who is still there is bare.
func TestEngine_ErasedBeforeItIsOpened(t *testing.T) {
	var said bytes.Buffer
	s := NewSealer(new(keystest.Keys), 1<<20, slog.New(slog.NewTextHandler(&said, nil)))
	put, err := s.Put(t.Context(), 1, nil, ada())
	if err != nil {
		t.Fatal(err)
	}
	lost := stored(put)
	lost.Personal.Key[0] ^= 1
	for name, c := range map[string]struct {
		engine rereadEngine
		code   domain.Code
		reads  int
		logged bool
	}{
		"erased":        {rereadEngine{first: lost, err: domain.ErrErased}, domain.Gone, 2, false},
		"sealed anew":   {rereadEngine{first: lost, then: stored(put)}, domain.OK, 2, false},
		"still there":   {rereadEngine{first: lost, then: lost}, domain.OK, 2, true},
		"nothing wrong": {rereadEngine{first: stored(put), err: domain.ErrErased}, domain.OK, 1, false},
	} {
		said.Reset()
		m, _, err := Engine{&c.engine, s}.Member(t.Context(), 1, 4097, domain.Position{})
		if domain.CodeOf(err) != c.code || (m != nil) != (err == nil) || c.engine.reads != c.reads || (said.Len() > 0) != c.logged {
			t.Errorf("%s: %+v %v, %d reads, logged %q", name, m, err, c.engine.reads, &said)
		}
	}
	said.Reset()
	gone := rereadEngine{first: lost}
	shown, err := Engine{&gone, s}.Show(t.Context(), 1, make([]domain.FeedItem, 1), domain.Position{})
	if err != nil || len(shown) != 1 || shown[0].Member != nil || said.Len() > 0 {
		t.Errorf("%+v %v, logged %q", shown, err, &said)
	}
	shown, err = Engine{&rereadEngine{first: lost, then: lost}, s}.Show(t.Context(), 1, make([]domain.FeedItem, 1), domain.Position{})
	if ids, _ := s.Unopened(noneErased); err != nil || !shown[0].Member.IsBare() || len(ids) != 1 {
		t.Errorf("%+v %v, logged %q", shown, err, &said)
	}
}

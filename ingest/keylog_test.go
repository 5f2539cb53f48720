package ingest

import (
	"bytes"
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/twmb/franz-go/pkg/kerr"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/ingest/kafka"
	"github.com/ovation-analytics/ovation/ingest/kafka/topics"
)

// keyLog makes the topic of data keys as a node does, and opens it.
func (w *harness) keyLog() *KeyLog {
	w.Helper()
	_, err := topics.Ensure(w.ctx, w.client, []topics.Spec{topics.Keys("")})
	w.must(err)
	l, err := OpenKeyLog(w.ctx, w.client, kafka.Keys)
	w.must(err)
	return l
}

func wrappedKey(n byte) domain.WrappedKey {
	return domain.WrappedKey{ID: domain.KeyID{n, 1}, Wrapped: bytes.Repeat([]byte{n}, 61)}
}

// readKeys reads from a place to the log's end.
func (w *harness) readKeys(l *KeyLog, next int64) (keys []domain.WrappedKey, foreign int) {
	w.Helper()
	epoch := kafka.NoEpoch
	for {
		p, err := l.Read(w.ctx, next, epoch)
		if kafka.Retriable(err) {
			continue
		}
		w.must(err)
		keys = append(keys, p.Keys...)
		foreign += p.Foreign
		if next, epoch = p.Next, p.Epoch; next >= p.End {
			return keys, foreign
		}
	}
}

// Keys are read in the order in which they were appended, a mark of a deleted one as such; what
// is no key is passed over and counted.
func TestKeyLog_AppendAndRead(t *testing.T) {
	w := given(t)
	l := w.keyLog()
	end, err := l.End(w.ctx)
	if err != nil || end != 0 {
		t.Fatalf("a new log ends at %d, %v", end, err)
	}
	if keys, _ := w.readKeys(l, -1); len(keys) != 0 {
		t.Fatalf("%d keys in a new log", len(keys))
	}
	first := []domain.WrappedKey{wrappedKey(1), wrappedKey(2)}
	next, err := l.Append(w.ctx, first)
	if err != nil || next != 2 {
		t.Fatalf("%d %v", next, err)
	}
	w.refuse(kerr.NotLeaderForPartition)
	if next, err = l.Append(w.ctx, []domain.WrappedKey{wrappedKey(3)}); err != nil || next != 3 {
		t.Fatalf("after a refusal: %d %v", next, err)
	}
	gone := wrappedKey(1).ID
	w.send(kafka.Keys, 0,
		kafka.Message{Key: gone[:]}, kafka.Message{Key: []byte("short"), Value: []byte("x")},
		kafka.Message{Value: []byte("no key")}, kafka.Message{Key: gone[:], Value: []byte{}})
	want := append(first, wrappedKey(3), domain.WrappedKey{ID: gone})
	keys, foreign := w.readKeys(l, -1)
	if diff := cmp.Diff(want, keys); diff != "" || foreign != 3 {
		t.Errorf("%d foreign, %s", foreign, diff)
	}
	keys, _ = w.readKeys(l, 2)
	if diff := cmp.Diff(want[2:], keys); diff != "" {
		t.Error(diff)
	}
	if end, err = l.End(w.ctx); err != nil || end != 7 {
		t.Errorf("the log ends at %d, %v", end, err)
	}
}

// A batch that the broker never takes is an error; a log that was made again, or is shorter than
// what was read of it, is a gap.
func TestKeyLog_Failures(t *testing.T) {
	w := given(t)
	l := w.keyLog()
	w.refuse(kerr.TopicAuthorizationFailed)
	if _, err := l.Append(w.ctx, []domain.WrappedKey{wrappedKey(1)}); err == nil {
		t.Error("a refused batch was appended")
	}
	_, err := l.Append(w.ctx, []domain.WrappedKey{wrappedKey(1)})
	w.must(err)
	gap := func(next int64) *domain.GapError {
		t.Helper()
		for {
			_, err := l.Read(w.ctx, next, 0)
			if kafka.Retriable(err) {
				continue
			}
			var g *domain.GapError
			if !errors.As(err, &g) {
				t.Fatalf("no gap at %d: %v", next, err)
			}
			return g
		}
	}
	if g := gap(9); g.Topic != kafka.Keys {
		t.Errorf("%+v", g)
	}
	w.recreate(kafka.Keys)
	if g := gap(1); g.Kind != domain.GapRecreated {
		t.Errorf("%+v", g)
	}
}

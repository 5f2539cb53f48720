package ingest

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/ingest/kafka"
)

// endsAfter is a context that ends when the broker has got so many more requests of a kind.
func (w *harness) endsAfter(n int, key kmsg.Key) context.Context {
	ctx, cancel := context.WithCancel(w.ctx)
	w.Cleanup(cancel)
	w.cluster.ControlKey(int16(key), func(kmsg.Request) (kmsg.Response, error, bool) {
		w.cluster.KeepControl()
		if n--; n == 0 {
			cancel()
		}
		return nil, nil, false
	})
	return ctx
}

// A topic that is not there is asked for again until the context ends; then the error is the
// context's, and says what was opened.
func TestOpen_MissingTopic(t *testing.T) {
	for want, open := range map[string]func(ctx context.Context, w *harness) error{
		"open log": func(ctx context.Context, w *harness) error {
			_, err := OpenLog(ctx, w.client, "missing", kafka.None)
			return err
		},
		"open source": func(ctx context.Context, w *harness) error {
			_, err := OpenSource(ctx, w.client, SourceConfig{Topic: "missing"})
			return err
		},
		"open the data keys": func(ctx context.Context, w *harness) error {
			_, err := OpenKeyLog(ctx, w.client, "missing")
			return err
		},
	} {
		t.Run(want, func(t *testing.T) {
			w := given(t)
			err := open(w.endsAfter(2, kmsg.Metadata), w)
			if !errors.Is(err, context.Canceled) || !strings.HasPrefix(err.Error(), want+": ") {
				t.Errorf("%v", err)
			}
		})
	}
}

// A broker that refuses for good is an error of the source, never an offset or a number.
func TestSource_RefusedByTheBroker(t *testing.T) {
	w := given(t, "activities")
	s := w.source("activities")
	w.cluster.Fault(kfake.Fault{Keys: []kmsg.Key{kmsg.OffsetFetch}, Err: kerr.GroupAuthorizationFailed, Count: -1})
	if next, epoch, ok, err := s.Committed(w.ctx, 0); err == nil || ok || next != 0 || epoch != 0 {
		t.Errorf("the group's offsets: %d %d %v %v", next, epoch, ok, err)
	}
	w.client.Close()
	if n, err := s.Partitions(w.ctx); err == nil || n != 0 {
		t.Errorf("%d partitions, %v", n, err)
	}
	if _, _, ok, err := s.Committed(w.ctx, 0); err == nil || ok {
		t.Errorf("the topic: %v %v", ok, err)
	}
	if _, err := s.End(w.ctx, 0); err == nil {
		t.Error("a closed client has an end")
	}
}

// A publisher that waits for another's batch ends with its context, and the next one publishes.
func TestPublish_WaitingEndsWithTheContext(t *testing.T) {
	w := given(t, "activities", "dlq")
	keys, letters := w.keyLog(), w.deadLetters(w.source("activities"))
	key := []domain.WrappedKey{wrappedKey(1)}
	letter := []domain.DeadLetter{{Request: domain.RequestID{1}, Raw: "{}"}}
	ended, cancel := context.WithCancel(w.ctx)
	cancel()
	k, l := <-keys.turn, <-letters.turn
	if _, err := keys.Append(ended, key); !errors.Is(err, context.Canceled) {
		t.Errorf("keys: %v", err)
	}
	if err := letters.Publish(ended, letter); !errors.Is(err, context.Canceled) {
		t.Errorf("letters: %v", err)
	}
	keys.turn <- k
	letters.turn <- l
	next, err := keys.Append(w.ctx, key)
	if err != nil || next != 1 {
		t.Errorf("keys: %d %v", next, err)
	}
	w.must(letters.Publish(w.ctx, letter))
	if got := w.published("dlq"); len(got) != 1 {
		t.Errorf("%d letters", len(got))
	}
}

// An original that cannot be read before the context ends is an error, not a letter without it.
func TestDeadLetters_OriginalUnreadUntilTheContextEnds(t *testing.T) {
	w := given(t, "activities", "dlq")
	s := w.source("activities")
	w.send("activities", 0, kafka.Message{Value: []byte("a")})
	letter := domain.DeadLetter{Origin: domain.Origin{Topic: s.Topic(), Epoch: w.epoch(s)}, Reason: domain.BadJSON}
	d := w.deadLetters(s)
	w.cluster.Fault(kfake.Fault{Keys: []kmsg.Key{kmsg.Fetch}, Topic: "activities", Err: kerr.NotLeaderForPartition, Count: -1})
	err := d.Publish(w.endsAfter(3, kmsg.Fetch), []domain.DeadLetter{letter})
	if !errors.Is(err, context.Canceled) || !strings.Contains(err.Error(), "original") {
		t.Errorf("%v", err)
	}
	if got := w.published("dlq"); len(got) != 0 {
		t.Errorf("%d letters", len(got))
	}
}

// Letters that together are larger than one may be go in several batches, in their order; what is
// after a batch that the broker refuses is not sent.
func TestDeadLetters_BatchesInOrder(t *testing.T) {
	w := given(t, "activities", "dlq")
	var letters []domain.DeadLetter
	for i := range 5 {
		letters = append(letters, domain.DeadLetter{
			Request: domain.RequestID{byte(i)}, Reason: domain.UnknownMember, Raw: strings.Repeat(string(rune('a'+i)), MaxOriginal/2),
		})
	}
	d := w.deadLetters(w.source("activities"))
	sent := w.cluster.Fault(kfake.Fault{Keys: []kmsg.Key{kmsg.Produce}, Topic: "dlq", Count: -1, Observe: true})
	w.must(d.Publish(w.ctx, letters))
	got := w.published("dlq")
	for i := range letters {
		if i >= len(got) || string(got[i].Value) != letters[i].Raw {
			t.Fatalf("%d letters, number %d is another", len(got), i)
		}
	}
	if n := sent.Hits(); len(got) != len(letters) || n < 3 {
		t.Errorf("%d letters in %d batches", len(got), n)
	}
	w.cluster.Fault(kfake.Fault{Keys: []kmsg.Key{kmsg.Produce}, Topic: "dlq", Err: kerr.TopicAuthorizationFailed, Count: -1})
	if err := d.Publish(w.ctx, letters); err == nil {
		t.Error("published without leave")
	}
	if again := w.published("dlq"); len(again) != len(got) {
		t.Errorf("%d letters more", len(again)-len(got))
	}
}

package kafka

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	kafkago "github.com/segmentio/kafka-go"
	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kmsg"
	"github.com/twmb/franz-go/pkg/kversion"

	"github.com/ovation-analytics/ovation/actors/domain"
)

func TestClient_NeedsBrokers(t *testing.T) {
	for _, brokers := range [][]string{nil, {""}, {"a:1", ""}} {
		if _, err := New(Config{Brokers: brokers}); err == nil {
			t.Errorf("%q was taken", brokers)
		}
	}
}

func TestClient_CheckNamesMissingVersions(t *testing.T) {
	if err := given(t).client.Check(context.Background()); err != nil {
		t.Error(err)
	}
	w := given(t, kfake.MaxVersions(kversion.V2_8_0()))
	err := w.client.Check(w.ctx)
	if err == nil || !strings.Contains(err.Error(), "Fetch version 13") || strings.Contains(err.Error(), "Produce") || Retriable(err) {
		t.Error(err)
	}
}

func TestClient_UnreachableBrokerIsRetriable(t *testing.T) {
	w := given(t)
	w.id()
	f, p := w.fetcher(nil), w.producer(nil)
	w.send(p, "a")
	w.cluster.Close()
	fresh := w.another(func(*Config) {}) // which never saw the cluster
	defer fresh.Close()
	unseen, err := fresh.Fetcher(FetchConfig{Topic: "t", ID: f.cfg.ID})
	w.must(err)
	for name, ask := range map[string]func() error{
		"fetch":    func() error { _, err := f.Fetch(w.ctx, 0, NoEpoch); return err },
		"unseen":   func() error { _, err := unseen.Fetch(w.ctx, 0, NoEpoch); return err },
		"describe": func() error { _, err := w.client.Topic(w.ctx, "t"); return err },
		"offsets":  func() error { _, err := w.client.CommittedOffsets(w.ctx, "g", "t", []int{0}); return err },
		"check":    func() error { return w.client.Check(w.ctx) },
	} {
		if err := ask(); !Retriable(err) {
			t.Errorf("%s: %v", name, err)
		}
	}
	short, cancel := context.WithTimeout(w.ctx, 100*time.Millisecond)
	defer cancel()
	if _, err := p.Send(short, messages("b")); !errors.Is(err, context.DeadlineExceeded) || Retriable(err) {
		t.Error(err)
	}
}

func TestClient_CloseEndsWaitingFetches(t *testing.T) {
	w := given(t)
	id := w.id()
	c := w.another(func(*Config) {})
	f, err := c.Fetcher(FetchConfig{Topic: "t", ID: id, MaxWait: 30 * time.Second})
	w.must(err)
	waiting := make(chan struct{})
	w.cluster.ControlKey(int16(kmsg.Fetch), func(kmsg.Request) (kmsg.Response, error, bool) {
		close(waiting)
		return nil, nil, false
	})
	done := make(chan error)
	go func() {
		var err error
		for Retriable(err) || err == nil { // the leader may not be known yet
			_, err = f.Fetch(w.ctx, 0, NoEpoch)
		}
		done <- err
	}()
	<-waiting
	c.Close()
	if err := <-done; !errors.Is(err, ErrClosed) || Retriable(err) {
		t.Error(err)
	}
	if _, err := c.Topic(w.ctx, "t"); !errors.Is(err, ErrClosed) {
		t.Error(err)
	}
}

func TestClient_RefusesTopicsNotConfigured(t *testing.T) {
	w := given(t, kfake.SeedTopics(1, "t", "other"))
	c := w.another(func(cfg *Config) { cfg.Topics = []string{"t"} })
	defer c.Close()
	if _, err := c.End(w.ctx, "t", 0); err != nil {
		t.Error(err)
	}
	if _, err := c.End(w.ctx, "other", 0); !errors.Is(err, errForeignTopic) || Retriable(err) {
		t.Error(err)
	}
}

func TestRetriable(t *testing.T) {
	for _, c := range []struct {
		err  error
		want bool
	}{
		{nil, false},
		{context.Canceled, false},
		{errors.New("anything"), false},
		{&passing{why: "x"}, true},
		{fmt.Errorf("op: %w", &passing{why: "x", err: context.DeadlineExceeded}), true},
		{ended(canceled(), &passing{why: "x"}), false},
		{kafkago.LeaderNotAvailable, true},
		{kafkago.BrokerNotAvailable, true},
		{fmt.Errorf("op: %w", kafkago.GroupLoadInProgress), true},
		{kafkago.TopicAuthorizationFailed, false},
		{kafkago.SASLAuthenticationFailed, false},
		{kafkago.MessageSizeTooLarge, false},
		{&domain.GapError{}, false},
		{&domain.CorruptError{}, false},
		{fmt.Errorf("%w: %w", ErrIdempotenceLost, kafkago.UnknownProducerId), false},
		{ErrClosed, false},
	} {
		if got := Retriable(c.err); got != c.want {
			t.Errorf("%v: %v", c.err, got)
		}
	}
	c, err := New(Config{Brokers: []string{"a:1"}})
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	if err := c.failure(context.Background(), fmt.Errorf("dial: %w", &tls.CertificateVerificationError{Err: errors.New("unknown authority")})); Retriable(err) {
		t.Error("a certificate that is not to be trusted passes")
	}
	if err := c.failure(context.Background(), errors.New("reset")); !Retriable(err) {
		t.Error("a lost connection does not pass")
	}
}

func canceled() context.Context {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	return ctx
}

func TestBackoff_GrowsToItsBound(t *testing.T) {
	var b Backoff
	want := minPause
	for i := range 70 {
		if d := b.Next(); d > want || d < want*3/4 {
			t.Fatalf("wait %d: %s, want about %s", i, d, want)
		}
		want = min(2*want, maxPause)
	}
	if err := b.Wait(canceled()); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}

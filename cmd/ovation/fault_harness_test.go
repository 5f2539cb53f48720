package main

import (
	"bytes"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"math/rand/v2"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/api/client"
	"github.com/ovation-analytics/ovation/cmd/ovation/status"
	"github.com/ovation-analytics/ovation/ingest/kafka"
)

// ward is the world of the crash simulation in which one thing is wrong at a time: what
// it does to the engine is looked at, then that nothing is lost and nothing double.
type ward struct {
	*testing.T
	*simulation
	lines diary
}

// diary keeps a log's lines.
type diary struct {
	mu  sync.Mutex
	all bytes.Buffer
}

func (d *diary) Write(b []byte) (int, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.all.Write(b)
}

// having is how many lines have all of the words.
func (d *diary) having(words ...string) (n int) {
	d.mu.Lock()
	defer d.mu.Unlock()
next:
	for line := range strings.Lines(d.all.String()) {
		for _, w := range words {
			if !strings.Contains(line, w) {
				continue next
			}
		}
		n++
	}
	return n
}

// inWard runs a test on a broker and an engine of their own, whose machines, wires and
// clocks are made up.
func inWard(t *testing.T, test func(h *ward)) {
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	synctest.Test(t, func(t *testing.T) {
		time.Sleep(time.Until(time.Date(2026, 3, 15, 12, 0, 0, 0, time.UTC)))
		defer time.Sleep(time.Minute) // timers of what was stopped run out
		h := &ward{T: t, simulation: newSimulation(seed)}
		h.apart, h.console = true, slog.New(slog.NewTextHandler(&h.lines, nil))
		defer func() {
			h.close()
			if err := h.failed(); err != nil {
				t.Errorf("%v\n%s", err, strings.Join(h.story, "\n"))
			}
		}()
		h.must(h.open())
		h.something()
		h.well()
		test(h)
	})
}

func (h *ward) must(err error) {
	h.Helper()
	if err != nil {
		h.Fatal(err)
	}
}

// something publishes and records actions of every source; a client without an answer
// repeats, beside the test.
func (h *ward) something() {
	for range 4 {
		for p := range simPartitions {
			h.publish(p, h.batch())
		}
		h.registerSomebody()
		h.recordSomething()
		h.optInSomebody()
	}
}

// well waits until all that was sent is applied, and compares it with the model.
func (h *ward) well() {
	h.Helper()
	h.must(h.drain())
	h.must(h.check(func(l *label) *client.Client { return h.engine.speaks(l.key) }))
}

// answers waits until all that was sent is applied, a write without an answer among it, repeats
// that write, and compares all there is with the model.
func (h *ward) answers(a asking) {
	h.Helper()
	h.must(h.drain())
	h.must(h.ask(a))
	h.well()
}

// replayed compares all there is with a replay on an empty disk.
func (h *ward) replayed() {
	h.Helper()
	h.well()
	h.must(h.again())
}

func (h *ward) eventually(what string, holds func() bool) {
	h.Helper()
	for range 6000 {
		if holds() {
			return
		}
		time.Sleep(10 * time.Millisecond)
	}
	h.Fatalf("no %s within a minute: %+v", what, h.engine.Shown().Read())
}

// metric is the value of a metric with these labels: name, value, …
func (h *ward) metric(name string, labels ...string) float64 {
	h.Helper()
	r := status.NewRegistry()
	status.Register(r, h.engine.Shown(), h.engine.API)
	families, err := r.Gather()
	h.must(err)
	want := map[string]string{}
	for i := 0; i < len(labels); i += 2 {
		want[labels[i]] = labels[i+1]
	}
	for _, f := range families {
		for _, m := range f.Metric {
			got := map[string]string{}
			for _, l := range m.Label {
				got[l.GetName()] = l.GetValue()
			}
			if f.GetName() == "ovation_"+name && maps.Equal(want, got) {
				return m.GetGauge().GetValue() + m.GetCounter().GetValue()
			}
		}
	}
	h.Fatalf("no metric %s %v", name, labels)
	return 0
}

// publishedTo is the end of a partition of the public topic, as the broker has it.
func (h *ward) publishedTo(partition int) int64 {
	h.Helper()
	topic, ok := h.broker.log.Topics.ByName(kafka.Activities)
	if !ok {
		h.Fatal("the broker has no public topic")
	}
	p, err := h.broker.log.Topics.Partition(topic.ID, int32(partition))
	h.must(err)
	_, end, err := p.Bounds()
	h.must(err)
	return end
}

// answered reads a feed, and gives the lag of its header.
func (h *ward) answered() (lagMs int64) {
	h.Helper()
	p := windows(time.Now())[0].params()
	p["all_member_actions"], p["limit"] = "1", "1000"
	_, meta, err := client.Do(h.Context(), h.engine.speaks(h.model.labels[0].key), client.GetFeed{More: p})
	h.must(err)
	return meta.LagMs
}

// asking is a write that is not done yet.
type asking struct {
	who *identity
	key string
}

// unanswered makes a write whose outcome is unknown to the client: 503, code 11.
func (h *ward) unanswered() asking {
	h.Helper()
	a := asking{h.newIdentity(h.model.labels[0], "spotify"), "asked " + time.Now().String()}
	err := h.ask(a)
	var refused *client.Error
	if !errors.As(err, &refused) || refused.Status != 503 || refused.Code != domain.Unavailable {
		h.Fatalf("a write is answered with %v", err)
	}
	return a
}

// soon holds that something ended so long after its beginning at most, in the made-up time.
func (h *ward) soon(what string, began time.Time, within time.Duration) {
	h.Helper()
	if took := time.Since(began); took > within {
		h.Errorf("%s was answered after %v, want %v at most", what, took, within)
	}
}

// ask asks again, with the same key.
func (h *ward) ask(a asking) error {
	e, _, err := client.Do(h.Context(), h.engine.speaks(a.who.of.key).With("Idempotency-Key", a.key), client.RegisterMember{
		Service: a.who.service, UID: a.who.uid, AuthToken: "t", Country: "DE",
	})
	if err == nil {
		err = h.model.owned(a.who, memberOf(fmt.Sprint(e.Data.ID)))
	}
	return err
}

package main

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/ovation-analytics/ovation/actors/domain"
)

func TestAProbeIsVisibleWhenAnAnswerCountsIt(t *testing.T) {
	p := &probes{by: make([]*prober, 1), visible: newLatencies(), unsure: newLatencies()}
	one := &prober{all: p, ready: make(chan struct{}, 1)}
	p.by[0] = one
	// Four were due two seconds ago and put on the wire one second ago. The answers count
	// none, one, and, by a 304 and an answer more, all of them.
	now := time.Now()
	for i := range 4 {
		p.next(i, now.Add(-2*time.Second)).sent(now.Add(-time.Second))
	}
	over, asked := make(chan struct{}), 0
	close(over)
	answers := []int64{0, 1, 0, 4}
	err := one.watch(t.Context(), over, func(etag string) (int64, string, error) {
		if want := strings.Repeat("x", asked); etag != want {
			t.Errorf("asked with %q, want %q", etag, want)
		}
		asked++
		return answers[asked-1], etag + "x", nil
	})
	if err != nil || asked != 4 || p.asked.Load() != 4 {
		t.Fatalf("asked %d times, %v", asked, err)
	}
	visible, unsure := p.visible.whole(), p.unsure.whole()
	if visible.Count != 4 || visible.P50 < 2000 || unsure.Count != 4 {
		t.Errorf("visible %+v, unsure %+v", visible, unsure)
	}
	if unsure.Max >= 1000 { // they were asked for in vain after they were put on the wire
		t.Errorf("unsure by %g ms", unsure.Max)
	}
}

func TestAProbeThatTheFirstAnswerCountsIsUnsureSinceItWasPutOnTheWire(t *testing.T) {
	p := &probes{by: make([]*prober, 1), visible: newLatencies(), unsure: newLatencies()}
	one := &prober{all: p, ready: make(chan struct{}, 1)}
	p.by[0] = one
	now := time.Now()
	p.next(0, now.Add(-3*time.Second)).sent(now.Add(-time.Second))
	over := make(chan struct{})
	close(over)
	if err := one.watch(t.Context(), over, func(string) (int64, string, error) { return 1, "", nil }); err != nil {
		t.Fatal(err)
	}
	if v, u := p.visible.whole(), p.unsure.whole(); v.P50 < 3000 || u.P50 < 1000 || u.P50 > v.P50-1999 {
		t.Errorf("visible after %g ms, unsure by %g ms", v.P50, u.P50)
	}
}

func TestMoreThanWasPublishedIsNoProbe(t *testing.T) {
	p := &probes{by: make([]*prober, 1), visible: newLatencies(), unsure: newLatencies()}
	one := &prober{all: p, ready: make(chan struct{}, 1)}
	p.by[0] = one
	ask := func(counted int64, fails error) error {
		p.next(0, time.Now()).sent(time.Now())
		over := make(chan struct{})
		close(over)
		return one.watch(t.Context(), over, func(string) (int64, string, error) { return counted, "", fails })
	}
	if err := ask(2, nil); err == nil || !strings.Contains(err.Error(), "2 of 1") {
		t.Errorf("an answer counts 2 of 1: %v", err)
	}
	one = &prober{all: p, ready: make(chan struct{}, 1)}
	p.by[0] = one
	if err := ask(0, errors.ErrUnsupported); !errors.Is(err, errors.ErrUnsupported) {
		t.Errorf("%v", err)
	}
}

func TestEachShardHasOneWhoDoesProbes(t *testing.T) {
	c := someCrowd(1, 0.5)
	for i := range c.fans {
		c.fans[i].id = uint64(domain.MemberIDOf(uint64(i), domain.Slot(i*37%domain.Slots)))
	}
	p, err := newProbes(c, 8)
	if err != nil {
		t.Fatal(err)
	}
	for i := range 16 {
		probe := p.next(i, time.Now())
		if s := probe.of.member.Slot().Shard(8); s != i%8 || uint64(probe.of.member) != c.fans[probe.of.fan].id {
			t.Errorf("probe %d is of %d in shard %d", i, probe.of.fan, s)
		}
	}
	c.fans = c.fans[:3]
	if _, err := newProbes(c, 8); err == nil {
		t.Error("three members are in eight shards")
	}
}

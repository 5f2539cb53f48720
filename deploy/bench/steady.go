package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"github.com/google/pprof/profile"

	"github.com/ovation-analytics/ovation/api/client"
	apache "github.com/ovation-analytics/ovation/deploy/kafka"
)

// The logs that the load is put on.
const (
	logEmbedded = "embedded"
	logKafka    = "kafka"
	logBoth     = "both"
)

// steadyOptions are the sizes of a load at a steady pace.
type steadyOptions struct {
	rate      float64       // activities a second; 0: half of what the node takes
	questions float64       // a second
	probes    float64       // a second
	warm      time.Duration // of the load before figures are taken
	span      time.Duration // of the load
	every     time.Duration // between the figures of the series; 0: by the span
	linger    time.Duration // of the producer
	log       string
	verify    bool
}

// longSpan is from when on a load is a long one: then five minutes lie between figures.
const longSpan = 10 * time.Minute

func (o *steadyOptions) interval() time.Duration {
	switch {
	case o.every > 0:
		return o.every
	case o.span < longSpan:
		return 10 * time.Second
	}
	return 5 * time.Minute
}

func (o *steadyOptions) flags(f *flag.FlagSet) {
	f.Float64Var(&o.rate, "rate", 10_000, "activities a second of the steady load; 0: half of what the node takes")
	f.Float64Var(&o.questions, "questions", 50, "questions a second beside it")
	f.Float64Var(&o.probes, "probes", 20, "activities a second beside it whose way into an answer is watched")
	f.DurationVar(&o.span, "for", time.Minute, "how long it is put on")
	f.DurationVar(&o.warm, "warm", 10*time.Second, "how long it is put on before, without figures: a JVM compiles what it runs")
	f.DurationVar(&o.every, "every", 0, "between the figures of its series (default 10s, and 5m from 10m on)")
	f.DurationVar(&o.linger, "linger", 5*time.Millisecond, "how long its producer waits for more, as Kafka's own does")
	f.StringVar(&o.log, "log", logEmbedded, "the `log` that it is put on: embedded, kafka or both; Apache Kafka is started from its jars")
	f.BoolVar(&o.verify, "verify", false, "let ovation verify replay the journal at its end")
}

func (o *steadyOptions) check() (errs []error) {
	for _, n := range []struct {
		name string
		bad  bool
		says string
	}{
		{"rate", o.rate < 0, "is not negative"},
		{"questions", o.questions < 0, "is not negative"},
		{"probes", o.probes <= 0, "is more than 0"},
		{"for", o.span < time.Second, "is a second at least"},
		{"warm", o.warm < 0, "is not negative"},
		{"every", o.every < 0, "is not negative"},
		{"linger", o.linger < 0, "is not negative"},
	} {
		if n.bad {
			errs = append(errs, fmt.Errorf("--%s %s", n.name, n.says))
		}
	}
	if o.log != logEmbedded && o.log != logKafka && o.log != logBoth {
		errs = append(errs, fmt.Errorf("--log: %q is none of %s, %s, %s", o.log, logEmbedded, logKafka, logBoth))
	}
	return errs
}

// measureLoad loads a node at a steady pace, on each of the logs that are wanted.
func (b *bench) measureLoad(ctx context.Context) error {
	if b.o.steady.log != logKafka {
		if err := b.steadily(ctx, b.node("steady-"+logEmbedded), logEmbedded, 0); err != nil {
			return fmt.Errorf("load on the embedded log: %w", err)
		}
	}
	if b.o.steady.log == logEmbedded {
		return nil
	}
	progress("starting Apache Kafka")
	broker, err := apache.Start(filepath.Join(b.dir, "kafka"), "-XX:+TieredCompilation") // as in earnest, not for a quick start
	if err != nil {
		return err
	}
	pid, err := broker.Pid()
	if err == nil {
		n := b.node("steady-"+logKafka, "--kafka", broker.Addr)
		n.logData = broker.Data()
		err = b.steadily(ctx, n, logKafka, pid)
	}
	if err = errors.Join(err, broker.Close()); err != nil {
		return fmt.Errorf("load on Apache Kafka: %w", err)
	}
	return nil
}

// steadily loads a node, asks it, and compares what it counts with what was published.
func (b *bench) steadily(ctx context.Context, n *node, log string, broker int) error {
	defer n.kill()
	o := &b.o.steady
	c := newCrowd(&b.o)
	c.deeds = append(c.deeds, probeDeed)
	if err := b.admit(ctx, n, c); err != nil {
		return err
	}
	c.ledger = newLedger(c)
	l, err := b.wake(ctx, n, nil, c)
	if err != nil {
		return err
	}
	defer l.close()
	s := &steady{o: o, node: n, broker: broker, feed: l.feed, crowd: c, asker: newAsker(n, c, o.questions), report: Load{Log: log, Warm: o.warm.Seconds(), Linger: micros(o.linger) / 1000}}
	if s.probes, err = newProbes(c, b.o.shards); err != nil {
		return err
	}
	if s.report.Asked = o.rate; o.rate == 0 {
		if err := s.find(ctx, b.o.load); err != nil {
			return err
		}
	}
	err = s.warm(ctx)
	if err == nil {
		err = s.run(ctx)
	}
	if err == nil {
		err = s.conclude(ctx)
	}
	if err == nil && b.o.profiles != "" && s.profile != nil {
		err = n.saveProfiles(ctx, filepath.Join(b.o.profiles, "steady-"+log), s.profile)
	}
	if err == nil && o.verify {
		err = s.verify(ctx)
	}
	n.stop()
	if err == nil {
		b.report.Loads = append(b.report.Loads, s.report)
	}
	return err
}

// steady is a load at a steady pace on a node.
type steady struct {
	o      *steadyOptions
	node   *node
	broker int // the log's process; 0: the node is
	feed   *feed
	crowd  *crowd
	stream *stream
	probes *probes
	asker  *asker
	report Load

	profile *profile.Profile // of the CPU; nil: the span is too short for one
}

// spells of finding what the node takes.
const spells = 3

// find publishes as fast as the node takes it, questions beside, and takes half of the
// slowest spell's rate.
func (s *steady) find(ctx context.Context, n int) error {
	over, asked := make(chan struct{}), make(chan error, 1)
	asker := newAsker(s.node, s.crowd, s.o.questions)
	go func() { asked <- asker.run(ctx, s.crowd, over) }()
	var err error
	for i := 0; i < spells && err == nil; i++ {
		began := time.Now()
		err = s.feed.publish(ctx, n, s.crowd.does(func(int) act { return s.crowd.any(time.Now()) }))
		if err == nil {
			_, err = s.feed.settled(ctx)
		}
		rate := float64(n) / time.Since(began).Seconds()
		progress("as fast as it goes, %d of %d: %.0f a second", i+1, spells, rate)
		if i == 0 || rate < s.report.Highest {
			s.report.Highest = rate
		}
	}
	close(over)
	s.report.Asked = s.report.Highest / 2
	return errors.Join(err, <-asked)
}

// warm publishes and asks at the pace, without figures.
func (s *steady) warm(ctx context.Context) error {
	if s.o.warm == 0 {
		return nil
	}
	s.stream = newStream(s.feed, s.o.linger)
	progress("%.0f activities a second for %v, without figures", s.report.Asked, s.o.warm)
	over, asked := make(chan struct{}), make(chan error, 1)
	asker := newAsker(s.node, s.crowd, s.o.questions)
	go func() { asked <- asker.run(ctx, s.crowd, over) }()
	err := s.publish(ctx, s.o.warm, 0)
	close(over)
	return errors.Join(err, <-asked)
}

// publish puts the pace on for a span, with so many probes a second.
func (s *steady) publish(ctx context.Context, span time.Duration, probes float64) error {
	s.stream.began = time.Now()
	before := s.crowd.made
	err := s.stream.run(ctx, s.due(span, probes))
	s.feed.published += s.crowd.made - before
	return err
}

// run publishes for the span, and asks and watches beside it, until every probe is
// visible.
func (s *steady) run(ctx context.Context) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	s.stream = newStream(s.feed, s.o.linger)
	w, err := newWatch(ctx, s)
	if err != nil {
		return err
	}
	progress("%.0f activities a second for %v on the %s log, %.0f questions beside them", s.report.Asked, s.o.span, s.report.Log, s.o.questions)
	var (
		wg        sync.WaitGroup
		mu        sync.Mutex // guards errs
		errs      []error
		published = make(chan struct{})
	)
	beside := func(do func() error) {
		wg.Go(func() {
			if err := do(); err != nil {
				mu.Lock()
				errs = append(errs, err)
				mu.Unlock()
				cancel()
			}
		})
	}
	api := client.New("http://"+s.node.http, s.crowd.key).Over(manyRequests(len(s.probes.by)))
	for _, p := range s.probes.by {
		beside(func() error {
			return p.watch(ctx, published, p.ask(ctx, api, s.crowd.deeds[len(s.crowd.deeds)-1].id, s.crowd.hot))
		})
	}
	beside(func() error { return s.asker.run(ctx, s.crowd, published) })
	beside(func() error { return w.run(ctx, published) })
	err = s.publish(ctx, s.o.span, s.o.probes)
	took := time.Since(s.stream.began)
	close(published)
	wg.Wait()
	if err = errors.Join(append(errs, err)...); err != nil {
		return err
	}
	return w.conclude(ctx, took)
}

// due gives what is due within a span: the crowd's activities, and so many probes a second
// among them.
func (s *steady) due(span time.Duration, probesRate float64) func(upTo time.Duration, put func(item)) bool {
	crowd, probes := pace{rate: s.report.Asked}, pace{rate: probesRate, spread: true}
	made, probed := 0, 0
	activity := func(a act, due time.Duration, p *probe) item {
		a.at = s.stream.began.Add(due)
		who, m := s.crowd.message(a)
		return item{who: who, message: m, due: a.at, probe: p}
	}
	return func(upTo time.Duration, put func(item)) bool {
		last := min(upTo, span)
		for n := crowd.by(last); made < n; made++ {
			put(activity(s.crowd.any(time.Time{}), crowd.due(made), nil))
		}
		for n := probes.by(last); probed < n; probed++ {
			due := probes.due(probed)
			p := s.probes.next(probed, s.stream.began.Add(due))
			put(activity(act{fan: p.of.fan, brand: s.crowd.hot, deed: len(s.crowd.deeds) - 1}, due, p))
		}
		return upTo < span
	}
}

// conclude compares what is counted with what was published.
func (s *steady) conclude(ctx context.Context) error {
	api := client.New("http://"+s.node.http, s.crowd.key).Over(manyRequests(registering))
	progress("comparing what is counted with what was published")
	e, err := s.crowd.ledger.compare(ctx, api, s.crowd)
	if err != nil {
		return err
	}
	st, err := s.node.status(ctx)
	if err != nil {
		return err
	}
	e.Letters = st.letters()
	s.report.Equality = e
	return nil
}

// verify lets the program compare what is stored with a replay.
func (s *steady) verify(ctx context.Context) error {
	progress("ovation verify")
	out, err := exec.CommandContext(ctx, s.node.binary, "verify", "--admin", s.node.admin, "--rate", "0").Output()
	lines := strings.Split(strings.TrimSpace(string(out)), "\n")
	s.report.Verified = lines[len(lines)-1]
	if ended, ok := errors.AsType[*exec.ExitError](err); ok && s.report.Verified == "" {
		return fmt.Errorf("ovation verify: %w\n%s", err, ended.Stderr)
	}
	s.report.Unequal = err != nil
	return nil
}

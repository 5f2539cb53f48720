package main

import (
	"context"
	"fmt"
	"time"

	"github.com/google/pprof/profile"
)

// meter measures runs of the load.
type meter struct {
	node   *node
	broker *child

	profiles  []*profile.Profile
	perNode   []float64 // microseconds an activity
	perBroker []float64
	rates     []float64
}

func newMeter(n *node, broker *child) *meter { return &meter{node: n, broker: broker} }

// cpu is what node and broker have used so far.
func (m *meter) cpu() (node, broker time.Duration, err error) {
	if node, err = cpuOf(m.node.pid()); err == nil && m.broker != nil {
		broker, err = cpuOf(m.broker.pid())
	}
	return node, broker, err
}

// run publishes n activities, waits until they are committed, and notes what it cost.
func (m *meter) run(ctx context.Context, f *feed, c *crowd, n int) error {
	node0, broker0, err := m.cpu()
	if err != nil {
		return err
	}
	rec := m.node.record(ctx)
	began := time.Now()
	err = f.publish(ctx, n, c.does(func(int) act { return c.any(time.Now()) }))
	if err == nil {
		_, err = f.settled(ctx)
	}
	took := time.Since(began)
	node1, broker1, cpuErr := m.cpu()
	p, recErr := rec.stop()
	for _, e := range []error{err, cpuErr, recErr} {
		if e != nil {
			return e
		}
	}
	m.profiles = append(m.profiles, p...)
	m.perNode = append(m.perNode, micros(node1-node0)/float64(n))
	m.perBroker = append(m.perBroker, micros(broker1-broker0)/float64(n))
	m.rates = append(m.rates, float64(n)/took.Seconds())
	return nil
}

// last tells of the last run.
func (m *meter) last() string {
	i := len(m.perNode) - 1
	s := fmt.Sprintf("%.2f µs of CPU an activity", m.perNode[i])
	if m.broker != nil {
		s += fmt.Sprintf(", the log's process %.2f µs", m.perBroker[i])
	}
	return s + fmt.Sprintf(", %.0f a second", m.rates[i])
}

// cost is what the runs cost. It waits for what compaction has left to do.
func (m *meter) cost(ctx context.Context, load int, before, after *status) (Cost, error) {
	node0, _, err := m.cpu()
	if err != nil {
		return Cost{}, err
	}
	if err := m.node.quiet(ctx); err != nil {
		return Cost{}, err
	}
	node1, _, err := m.cpu()
	if err != nil {
		return Cost{}, err
	}
	sums, samples := stagesOf(m.profiles)
	c := Cost{
		Log: logInside, Node: spreadOf(m.perNode), Rate: spreadOf(m.rates), Samples: samples,
		Behind: micros(node1-node0) / float64(load*len(m.perNode)), Woken: after.woken() - before.woken(), Letters: after.letters(), Load: loadAverage(),
	}
	c.Stages = sums.costs(c.Node.Median)
	if rss, err := rssOf(m.node.pid()); err == nil {
		c.MiB = mib(rss)
	}
	commits, records := int64(0), int64(0)
	for i := range after.Shards {
		commits += after.Shards[i].Commits - before.Shards[i].Commits
		records += after.Shards[i].Applied - before.Shards[i].Applied
	}
	c.BatchRows = float64(records) / float64(max(commits, 1))
	if m.broker != nil {
		c.Log, c.Broker = logBeside, new(spreadOf(m.perBroker))
	}
	return c, nil
}

// save keeps the runs' profile, and that of the heap now, for a closer look.
func (m *meter) save(ctx context.Context, path string) error {
	merged, err := profile.Merge(m.profiles)
	if err != nil {
		return err
	}
	return m.node.saveProfiles(ctx, path, merged)
}

// recorder takes CPU profiles of a node, one after another, until it is stopped.
type recorder struct {
	ctx      context.Context
	node     *node
	end      chan struct{}
	done     chan struct{}
	profiles []*profile.Profile
	err      error
}

func (n *node) record(ctx context.Context) *recorder {
	r := &recorder{ctx: ctx, node: n, end: make(chan struct{}), done: make(chan struct{})}
	go r.run()
	return r
}

func (r *recorder) run() {
	defer close(r.done)
	for {
		b, err := r.node.ask(r.ctx, "/debug/pprof/profile?seconds=1", nil)
		if err != nil {
			r.err = err
			return
		}
		p, err := profile.ParseData(b)
		if err != nil {
			r.err = err
			return
		}
		r.profiles = append(r.profiles, p)
		select {
		case <-r.end:
			return
		default:
		}
	}
}

// stop ends the recording: the second under way is still waited for.
func (r *recorder) stop() ([]*profile.Profile, error) {
	close(r.end)
	<-r.done
	return r.profiles, r.err
}

func micros(d time.Duration) float64 { return float64(d) / float64(time.Microsecond) }

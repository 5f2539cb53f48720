package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"sync"
	"syscall"
	"time"

	"github.com/google/pprof/profile"

	"github.com/ovation-analytics/ovation/deploy/bench/population"
	"github.com/ovation-analytics/ovation/deploy/bench/publish"
	"github.com/ovation-analytics/ovation/deploy/bench/report"
	"github.com/ovation-analytics/ovation/deploy/bench/stages"
	"github.com/ovation-analytics/ovation/deploy/harness"
)

// Cost is what an activity costs from the fetch to the commit, in microseconds of CPU.
type Cost struct {
	Program    string         `json:"program,omitempty"` // of two that are compared
	Log        string         `json:"log"`               // where the embedded log is
	Node       report.Spread  `json:"node"`
	Broker     *report.Spread `json:"broker,omitempty"` // of the log's process
	Rate       report.Spread  `json:"rate"`             // activities a second, by the clock
	Compaction float64        `json:"behind"`           // CPU of compaction after the last run, over all runs
	Letters    int64          `json:"letters"`
	MiB        float64        `json:"mib"`       // resident after the last run
	BatchRows  float64        `json:"batchRows"` // records a commit
	Stages     []stages.Cost  `json:"stages"`
}

// The places of the embedded log.
const (
	logInside = "in the node"
	logBeside = "in a process of its own"
)

// measureCost loads a node with the log inside, then one with the log beside it.
func (b *bench) measureCost(ctx context.Context) error {
	if b.o.against != "" {
		return b.compare(ctx)
	}
	inside := b.node("inside")
	defer inside.Kill()
	l, err := b.warm(ctx, inside, nil)
	if err != nil {
		return err
	}
	defer l.publisher.Close()
	if b.o.wants(partCost) {
		err = b.runs(ctx, l)
	} else {
		err = l.run(ctx, b.o.load*b.o.runs)
	}
	if err == nil && b.o.wants(partDisk) {
		err = b.measureDisk(ctx, inside, l.mix.Population, "Zipf brands, now")
	}
	inside.Stop()
	if err != nil || !b.o.wants(partCost) {
		return err
	}
	broker, addr, err := startBroker(ctx, filepath.Join(b.dir, "broker"))
	if err != nil {
		return err
	}
	defer broker.End(syscall.SIGTERM)
	beside := b.node("beside", "--kafka", addr)
	defer beside.Stop()
	m, err := b.warm(ctx, beside, broker)
	if err != nil {
		return err
	}
	defer m.publisher.Close()
	return b.runs(ctx, m)
}

// loader loads a node that is warmed up, and keeps what each run took.
type loader struct {
	node      *harness.Node
	broker    *harness.Process // nil: the log is in the node
	publisher *publish.Publisher
	mix       *population.Mix
	before    harness.Status

	profiles  []*profile.Profile
	perNode   []float64 // microseconds an activity
	perBroker []float64
	rates     []float64
}

// warm enters a population into a node and lets each member do something.
func (b *bench) warm(ctx context.Context, n *harness.Node, broker *harness.Process) (*loader, error) {
	m := population.NewMix(b.o.members, b.o.brands, 1)
	p, err := b.enter(ctx, n, m.Population)
	if err != nil {
		return nil, err
	}
	l := &loader{node: n, broker: broker, publisher: p, mix: m}
	if l.before, err = warmUp(ctx, p, m); err != nil {
		p.Close()
		return nil, err
	}
	return l, nil
}

// warmUp publishes an activity of each member.
func warmUp(ctx context.Context, p *publish.Publisher, m *population.Mix) (harness.Status, error) {
	progress("warming up: an activity of each member")
	next := func(i int) (int, publish.Message) { return m.Message(m.WarmUp(i, time.Now())) }
	err := p.Publish(ctx, len(m.Members), next)
	if err != nil {
		return harness.Status{}, err
	}
	return p.Settled(ctx)
}

// cpu is what node and broker have used so far.
func (l *loader) cpu() (node, broker time.Duration, err error) {
	if node, err = harness.CPU(l.node.PID()); err == nil && l.broker != nil {
		broker, err = harness.CPU(l.broker.PID())
	}
	return node, broker, err
}

// run publishes n activities, waits until they are committed, and keeps what they cost.
func (l *loader) run(ctx context.Context, n int) error {
	node0, broker0, err := l.cpu()
	if err != nil {
		return err
	}
	stop := l.profile(ctx)
	began := time.Now()
	err = l.publisher.Publish(ctx, n, func(int) (int, publish.Message) { return l.mix.Message(l.mix.Any(time.Now())) })
	if err == nil {
		progress("waiting until %d activities are committed", n)
		_, err = l.publisher.Settled(ctx)
	}
	took := time.Since(began)
	node1, broker1, cpuErr := l.cpu()
	if err := errors.Join(err, cpuErr, stop()); err != nil {
		return err
	}
	l.perNode = append(l.perNode, report.Micros(node1-node0)/float64(n))
	l.perBroker = append(l.perBroker, report.Micros(broker1-broker0)/float64(n))
	l.rates = append(l.rates, float64(n)/took.Seconds())
	return nil
}

// profile takes profiles of a second, one after another, until stop; the second under way is
// still waited for.
func (l *loader) profile(ctx context.Context) (stop func() error) {
	end, done := make(chan struct{}), make(chan error, 1)
	go func() {
		for {
			p, err := l.node.Profile(ctx, time.Second)
			if err != nil {
				done <- err
				return
			}
			l.profiles = append(l.profiles, p)
			select {
			case <-end:
				done <- nil
				return
			default:
			}
		}
	}()
	return func() error {
		close(end)
		return <-done
	}
}

// runs measures the runs of one node.
func (b *bench) runs(ctx context.Context, l *loader) error {
	for run := range b.o.runs {
		if err := l.run(ctx, b.o.load); err != nil {
			return err
		}
		progress("run %d of %d: %.2f µs of CPU an activity, the log's process %.2f µs, %.0f a second", run+1, b.o.runs,
			l.perNode[run], l.perBroker[run], l.rates[run])
	}
	return b.conclude(ctx, l, "")
}

// conclude reports what the runs of a node cost, and waits for what compaction has left to do.
func (b *bench) conclude(ctx context.Context, l *loader, program string) error {
	after, err := l.node.Status(ctx)
	if err != nil {
		return err
	}
	node0, _, err := l.cpu()
	if err == nil {
		err = quiet(ctx, l.node)
	}
	if err != nil {
		return err
	}
	node1, _, err := l.cpu()
	if err != nil {
		return err
	}
	rss, err := harness.Memory(l.node.PID(), "VmRSS")
	if err != nil {
		return err
	}
	c := Cost{
		Program: program, Log: logInside, Node: report.SpreadOf(l.perNode), Rate: report.SpreadOf(l.rates),
		Letters: after.Letters(), MiB: report.MiB(rss),
		Compaction: report.Micros(node1-node0) / float64(b.o.load*len(l.perNode)),
	}
	c.Stages = stages.Divide(c.Node.Median, l.profiles...)
	commits, records := int64(0), int64(0)
	for i := range after.Shards {
		commits += after.Shards[i].Commits - l.before.Shards[i].Commits
		records += after.Shards[i].Applied - l.before.Shards[i].Applied
	}
	c.BatchRows = float64(records) / float64(max(commits, 1))
	if l.broker != nil {
		c.Log = logBeside
		c.Broker = new(report.SpreadOf(l.perBroker))
	}
	b.report.Costs = append(b.report.Costs, c)
	if b.o.profiles == "" {
		return nil
	}
	return saveProfiles(ctx, l.node, filepath.Join(b.o.profiles, strconv.Itoa(len(b.report.Costs))), l.profiles...)
}

// compare loads two programs in turn and reports their ratio run by run. The machine disturbs
// both alike; they are warmed up at the same time and take turns to be first, so that neither has
// the advantage of its place.
func (b *bench) compare(ctx context.Context) error {
	both, err := b.warmBoth(ctx)
	for _, l := range both {
		if l != nil {
			defer l.node.Kill()
			defer l.publisher.Close()
		}
	}
	if err != nil {
		return err
	}
	var ratios []float64
	for run := range b.o.runs {
		for i := range both {
			if err := both[(run+i)%2].run(ctx, b.o.load); err != nil {
				return err
			}
		}
		ratios = append(ratios, both[0].perNode[run]/both[1].perNode[run])
		progress("run %d of %d: %.2f and %.2f µs of CPU an activity, ratio %.3f", run+1, b.o.runs, both[0].perNode[run],
			both[1].perNode[run], ratios[run])
	}
	for i, program := range []string{"this", "the other"} {
		if err := b.conclude(ctx, both[i], program); err != nil {
			return err
		}
	}
	b.report.Ratio = new(report.SpreadOf(ratios))
	return nil
}

// warmBoth warms up a node of each program, side by side.
func (b *bench) warmBoth(ctx context.Context) (both [2]*loader, err error) {
	var errs [2]error
	var done sync.WaitGroup
	for i, binary := range []string{b.binary, b.o.against} {
		n := b.node("node-" + strconv.Itoa(i))
		n.Binary = binary
		done.Go(func() {
			if both[i], errs[i] = b.warm(ctx, n, nil); errs[i] != nil {
				n.Kill()
			}
		})
	}
	done.Wait()
	return both, errors.Join(errs[:]...)
}

// saveProfiles keeps the merged CPU profiles, the heap now, and what the compiler reads.
func saveProfiles(ctx context.Context, n *harness.Node, path string, profiles ...*profile.Profile) error {
	merged, err := profile.Merge(profiles)
	if err != nil {
		return err
	}
	heap, err := n.Ask(ctx, "/debug/pprof/heap?gc=1", nil)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	var cpu, calls bytes.Buffer
	if err := errors.Join(merged.Write(&cpu), stages.Calls(merged).Write(&calls)); err != nil {
		return err
	}
	return errors.Join(
		os.WriteFile(path+".cpu.pprof", cpu.Bytes(), 0o644),
		os.WriteFile(path+".heap.pprof", heap, 0o644),
		os.WriteFile(path+".pgo", calls.Bytes(), 0o644),
	)
}

func (c *Cost) print(t *report.Table) {
	name := "CPU per activity, the log in a process of its own (µs)"
	switch {
	case c.Program != "":
		name = "CPU per activity, " + c.Program + " (µs)"
	case c.Broker == nil:
		name = "CPU per activity, the embedded log in the node (µs)"
	}
	t.Spread(name, c.Node, 2)
	if c.Broker != nil {
		t.Spread("  the log's process (µs)", *c.Broker, 2)
	}
	t.Figures("  compaction left after the last run (µs)", 2, c.Compaction)
	t.Spread("  activities a second, by the clock", c.Rate, 0)
	t.Row("  records a commit; dead letters", fmt.Sprintf("%.0f; %d", c.BatchRows, c.Letters))
	t.Figures("  resident memory after the last run (MiB)", 0, c.MiB)
}

// printStages prints the stages of all costs side by side.
func printStages(t *report.Table, costs []Cost) {
	if len(costs) == 0 {
		return
	}
	t.Row()
	head := []string{"CPU PER ACTIVITY BY STAGE (µs)"}
	for _, c := range costs {
		if c.Program != "" {
			head = append(head, c.Program)
		} else {
			head = append(head, "log "+c.Log)
		}
	}
	t.Row(head...)
	for _, stage := range stages.Names {
		values, sum := make([]float64, len(costs)), 0.0
		for i, c := range costs {
			values[i] = stages.Part(c.Stages, stage)
			sum += values[i]
		}
		if sum > 0 {
			t.Figures(stage, 2, values...)
		}
	}
}

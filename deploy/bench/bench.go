package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	"github.com/ovation-analytics/ovation/deploy/bench/population"
	"github.com/ovation-analytics/ovation/deploy/bench/publish"
	"github.com/ovation-analytics/ovation/deploy/bench/report"
	"github.com/ovation-analytics/ovation/deploy/harness"
)

// bench is a run: a directory of its own and the program under test.
type bench struct {
	o      options
	dir    string
	binary string
	report *Report
}

func newBench(o options, command string) (*bench, error) {
	dir, err := os.MkdirTemp("", "ovation-bench-")
	if err != nil {
		return nil, err
	}
	return &bench{o: o, dir: dir, report: newReport(o, command)}, nil
}

func (b *bench) close() { os.RemoveAll(b.dir) }

// batch is the number of records in a batch of the publisher.
const batch = 500

// node is a node on a directory of this run. The caller of start stops it.
func (b *bench) node(name string, args ...string) *harness.Node {
	return &harness.Node{
		Binary: b.binary, Data: filepath.Join(b.dir, name),
		Args: append([]string{
			"--log-level", "info", "--shards",
			strconv.Itoa(b.o.shards), "--memory", b.o.memory,
		}, args...),
	}
}

// measure measures the wanted parts, one after another.
func (b *bench) measure(ctx context.Context) (*Report, error) {
	if b.binary = b.o.binary; b.binary == "" {
		progress("building")
		var err error
		if b.binary, err = harness.Build(ctx, b.dir); err != nil {
			return nil, err
		}
	}
	began := time.Now()
	for _, part := range []struct {
		of []string
		do func(context.Context) error
	}{
		{[]string{partCost, partDisk}, b.measureCost},
		{[]string{partQuestions, partRestart, partDisk, partAPI, partPeers}, b.measureRows},
		{[]string{partLoad}, b.measureLoad},
	} {
		if !b.o.wants(part.of...) || b.o.against != "" && part.of[0] != partCost {
			continue
		}
		b.report.Yardstick = append(b.report.Yardstick, report.Yardstick())
		if err := b.within(ctx, strings.Join(part.of, ", "), part.do); err != nil {
			return nil, err
		}
	}
	b.report.Yardstick = append(b.report.Yardstick, report.Yardstick())
	b.report.Seconds = time.Since(began).Seconds()
	b.report.LoadAfter = report.LoadAverage()
	return b.report, nil
}

// within measures a part within its deadline. What is not done then is told with what it waited for.
func (b *bench) within(ctx context.Context, name string, do func(context.Context) error) error {
	short, cancel := context.WithTimeout(ctx, b.o.pace.deadline)
	defer cancel()
	err := do(short)
	if err != nil && ctx.Err() == nil && short.Err() != nil {
		return fmt.Errorf("%s: not done within %v, at %q: %w", name, b.o.pace.deadline, doing.Load(), err)
	}
	return err
}

// enter starts a node, enters the population and connects a publisher.
func (b *bench) enter(ctx context.Context, n *harness.Node, p *population.Population) (*publish.Publisher, error) {
	progress("starting a node and waiting until it is ready")
	if _, err := n.Start(ctx); err != nil {
		return nil, err
	}
	began := time.Now()
	before, err := harness.CPU(n.PID())
	if err != nil {
		return nil, err
	}
	progress("entering %d members and %d brands", len(p.Members), len(p.Brands))
	if err := p.Enter(ctx, n); err != nil {
		return nil, err
	}
	after, err := harness.CPU(n.PID())
	if err != nil {
		return nil, err
	}
	members := float64(len(p.Members))
	progress("entered, %.0f members a second, %.1f µs of CPU a member", members/time.Since(began).Seconds(),
		float64((after-before).Microseconds())/members)
	return publish.New(ctx, n, batch)
}

// doing is what progress said last.
var doing atomic.Value

// progress says on standard error what is measured, or waited for.
func progress(format string, args ...any) {
	text := fmt.Sprintf(format, args...)
	doing.Store(text)
	fmt.Fprintf(os.Stderr, "%s  %s\n", time.Now().Format("15:04:05"), text)
}

package main

import (
	"context"
	"os"
	"path/filepath"
	"time"
)

// bench is a run: a directory of its own, the program built into it, and the crowd.
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

// node is a node on a directory of this run. Whoever starts it stops it.
func (b *bench) node(name string, args ...string) *node {
	return &node{
		binary: b.binary, data: filepath.Join(b.dir, name),
		args: append([]string{"--shards", itoa(b.o.shards), "--memory", b.o.memory}, args...),
	}
}

// measure does the parts that are wanted, one after another.
func (b *bench) measure(ctx context.Context) (*Report, error) {
	if b.binary = b.o.binary; b.binary == "" && !b.o.nodeless() {
		progress("building")
		var err error
		if b.binary, err = build(ctx, b.dir); err != nil {
			return nil, err
		}
	}
	began := time.Now()
	for _, part := range []struct {
		of []string
		do func(context.Context) error
	}{
		{[]string{partCost, partDisk}, b.measureCost},
		{[]string{partQuestions, partRestart, partDisk}, b.measureRows},
		{[]string{partQuestions}, b.measureWide},
		{[]string{partLoad}, b.measureLoad},
		{[]string{partPeers}, b.measurePeers},
	} {
		if !b.o.wants(part.of...) {
			continue
		}
		b.report.Yardstick = append(b.report.Yardstick, yardstick())
		if err := part.do(ctx); err != nil {
			return nil, err
		}
	}
	b.report.Yardstick = append(b.report.Yardstick, yardstick())
	b.report.Seconds = time.Since(began).Seconds()
	b.report.LoadAfter = loadAverage()
	return b.report, nil
}

// enter starts a node with a crowd of these sizes in it.
func (b *bench) enter(ctx context.Context, n *node, o options) (*crowd, error) {
	c := newCrowd(&o)
	return c, b.admit(ctx, n, c)
}

// admit starts a node and lets the crowd in.
func (b *bench) admit(ctx context.Context, n *node, c *crowd) error {
	if _, err := n.start(ctx); err != nil {
		return err
	}
	began := time.Now()
	progress("registering %d members, %d at once", len(c.fans), registering)
	if err := c.enter(ctx, n); err != nil {
		return err
	}
	took := time.Since(began)
	cpu, err := cpuOf(n.pid())
	if err != nil {
		return err
	}
	progress("registered after %v, %.0f a second, %.0f µs of CPU each", took.Round(time.Millisecond), float64(len(c.fans))/took.Seconds(), cpu.Seconds()*1e6/float64(len(c.fans)))
	return nil
}

package main

import (
	"context"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"
)

// TestMain makes the test's program the embedded log of a part that needs one in a process of its own.
func TestMain(m *testing.M) {
	if len(os.Args) > 1 && os.Args[1] == brokerCommand {
		if err := runBroker(context.Background(), os.Args[2:]); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// tiny are sizes at which every part runs in seconds.
var tiny = strings.Fields("--quick --members 200 --brands 5 --load 2000 --rows 3000 --runs 1 --shards 2 --memory 256MiB --rate 500 --for 1s --warm 0s " +
	"--rest 100ms --round 5ms --requests 100")

// Every part but the peers, which a network brings, measures what it says, both halves of the cost too.
func TestBench_EveryPartRuns(t *testing.T) {
	if testing.Short() {
		t.Skip("starts nodes")
	}
	args := append(tiny, "--only", strings.Join([]string{partCost, partQuestions, partDisk, partRestart, partAPI, partLoad}, ","))
	o, err := parseOptions(args)
	if err != nil {
		t.Fatal(err)
	}
	b, err := newBench(o, commandOf(args))
	if err != nil {
		t.Fatal(err)
	}
	defer b.close()
	r, err := b.measure(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if len(r.Costs) != 2 || r.Costs[0].Log != logInside || r.Costs[1].Log != logBeside || r.Costs[1].Broker == nil || r.Costs[1].Rate.Median <= 0 {
		t.Errorf("costs: %+v", r.Costs)
	}
	if len(r.Questions) == 0 || len(r.Disk) != 2 || r.Restart == nil || len(r.API) == 0 || len(r.Loads) != 1 {
		t.Errorf("%d questions, %d disks, restart %v, %d requests, %d loads", len(r.Questions), len(r.Disk), r.Restart, len(r.API), len(r.Loads))
	}
	if err := r.fault(); err != nil {
		t.Error(err)
	}
	var out strings.Builder
	if err := r.print(&out); err != nil || !strings.Contains(out.String(), "the log's process") {
		t.Errorf("%v: %s", err, &out)
	}
}

// A part that is not done within its deadline says what it waited for.
func TestBench_DeadlineSaysWhatIsAwaited(t *testing.T) {
	b := &bench{o: options{pace: paceOptions{deadline: time.Millisecond}}}
	err := b.within(t.Context(), partLoad, func(ctx context.Context) error {
		progress("waiting for %s", "a node")
		<-ctx.Done()
		return ctx.Err()
	})
	if err == nil || !strings.Contains(err.Error(), `load: not done within 1ms, at "waiting for a node"`) {
		t.Error(err)
	}
}

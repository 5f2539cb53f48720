package main

import (
	"context"
	"errors"
	"flag"
	"log/slog"
	"os"
	"os/exec"
	"regexp"

	"github.com/ovation-analytics/ovation/deploy/harness"
	brokerlog "github.com/ovation-analytics/ovation/ingest/broker/log"
	"github.com/ovation-analytics/ovation/ingest/broker/wire"
)

// brokerCommand makes this program the embedded log in a process of its own.
const brokerCommand = "broker"

var listening = regexp.MustCompile(`msg=listening kafka=(\S+)`)

// runBroker serves the embedded log until ctx ends.
func runBroker(ctx context.Context, args []string) error {
	f := flag.NewFlagSet(brokerCommand, flag.ContinueOnError)
	data := f.String("data", "", "directory of the log")
	if err := f.Parse(args); err != nil {
		return err
	}
	log := slog.New(slog.NewTextHandler(os.Stderr, nil))
	l, err := brokerlog.Open(*data, brokerlog.Options{Logger: log})
	if err != nil {
		return err
	}
	b, err := wire.New(wire.Config{Listen: "127.0.0.1:0", Logger: log, Measured: true}, l)
	if err != nil {
		return errors.Join(err, l.Close())
	}
	log.Info("listening", "kafka", b.Addr())
	err = b.Run(ctx)
	if ctx.Err() != nil {
		err = nil
	}
	b.Close()
	return errors.Join(err, l.Close())
}

// startBroker runs the embedded log as a child and returns its address.
func startBroker(ctx context.Context, dir string) (*harness.Process, string, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, "", err
	}
	p, m, err := harness.StartProcess(ctx, exec.Command(self, brokerCommand, "--data", dir), listening)
	if err != nil {
		return nil, "", err
	}
	return p, m[1], nil
}

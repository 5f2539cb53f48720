package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"syscall"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	var err error
	if len(os.Args) > 1 && os.Args[1] == brokerCommand {
		err = runBroker(ctx, os.Args[2:])
	} else {
		err = run(ctx, os.Args[1:])
	}
	switch {
	case errors.Is(err, flag.ErrHelp):
	case err != nil:
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

// run measures what the arguments want and prints it.
func run(ctx context.Context, args []string) error {
	o, err := parseOptions(args)
	if err != nil {
		return err
	}
	b, err := newBench(o, commandOf(args))
	if err != nil {
		return err
	}
	defer b.close()
	report, err := b.measure(ctx)
	if err != nil {
		return err
	}
	if err := report.print(os.Stdout); err != nil {
		return err
	}
	if o.json != "" {
		if err := report.save(o.json); err != nil {
			return err
		}
	}
	return report.fault()
}

package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"

	"github.com/alecthomas/kong"
	_ "golang.org/x/crypto/x509roots/fallback" // the authorities, where the system has none, as in the image

	"github.com/ovation-analytics/ovation/cmd/ovation/config"
	"github.com/ovation-analytics/ovation/cmd/ovation/tuning"
)

// CLI is the command line: every command is a field, its Run does it.
type CLI struct {
	Config      config.File      `placeholder:"FILE" help:"YAML file of flag names and values. Flags and OVATION_* variables outrank it."`
	ShowVersion kong.VersionFlag `name:"version" env:"-" help:"What this binary was built from."`

	Demo      Demo       `cmd:"" help:"Try it: one node with the embedded log, and simulated collectors." example:"ovation demo; ovation demo --members 500 --actions 20000 --nodes 3"`
	Serve     Serve      `cmd:"" help:"Run a node." example:"ovation serve --data /var/lib/ovation; ovation serve --config /etc/ovation/ovation.yaml --kafka k1:9092,k2:9092,k3:9092"`
	Collect   Collect    `cmd:"" help:"Publish actions to Kafka, as a network's collector does."`
	Export    Export     `cmd:"" help:"Write actions and members to files for a warehouse: what is new since the run before."`
	App       App        `cmd:"" help:"Accounts and applications."`
	Key       Key        `cmd:"" help:"Access keys."`
	Console   Console    `cmd:"" help:"Who signs in to the console: links, sessions."`
	Secrets   SecretsCmd `cmd:"" help:"The file of secrets."`
	Status    Status     `cmd:"" help:"What the node is doing." example:"ovation status; ovation status --ready; ovation status --output json"`
	LogLevel  LogLevel   `cmd:"" name:"log-level" help:"From which level on a running node logs: show or change it." example:"ovation log-level; ovation log-level debug"`
	Node      NodeCmd    `cmd:"" help:"The nodes of the installation."`
	DLQ       DLQ        `cmd:"" name:"dlq" help:"Dead letters: list, show, replay."`
	AcceptGap AcceptGap  `cmd:"" help:"Go on reading a log that has a gap, was cut, or is another one." example:"ovation accept-gap journal 3"`
	SetAside  SetAside   `cmd:"" help:"Make a dead letter of a record at which a shard stopped, since it cannot be applied." example:"ovation set-aside 3 70112"`
	Verify    Verify     `cmd:"" help:"Replay the journal beside the running node and compare it with what is stored." example:"ovation verify; ovation verify --shard 3 --rate 0; ovation verify --last --output json"`
	Rebuild   Rebuild    `cmd:"" help:"Build shards anew from the journal beside the running node, and put them in their place." example:"ovation rebuild 3; ovation rebuild 0 1 2 --rate 20000 --detach"`
	Receipt   Receipt    `cmd:"" help:"Receipts of erasures."`
	Webhook   Webhook    `cmd:"" help:"Try webhooks."`
	Inspect   Inspect    `cmd:"" help:"The store's keys as text, of a node that is not running." example:"ovation inspect --data /var/lib/ovation; ovation inspect --data /var/lib/ovation --catalog"`
	ConfigCmd ConfigCmd  `cmd:"" name:"config" help:"The configuration that flags, environment and file give together."`
	Bundle    Bundle     `cmd:"" help:"Make an archive for support: versions, status, configuration, metrics, log; no secrets, no members." example:"ovation bundle; ovation bundle --config /etc/ovation/ovation.yaml --log node.log; journalctl -u ovation | ovation bundle --log -"`
	Version   Version    `cmd:"" help:"What this binary was built from." example:"ovation version; ovation version --output json"`

	Completion Completion `cmd:"" help:"Print what makes a shell complete command lines." example:"ovation completion bash > /etc/bash_completion.d/ovation; ovation completion fish > ~/.config/fish/completions/ovation.fish"`
	Complete   Complete   `cmd:"" hidden:"" help:"Candidates for a shell."`
}

func main() {
	tuning.ExtraPs()
	os.Exit(run(os.Args[1:], os.Stdout, os.Stderr))
}

// run does one command line and gives its exit code. The first SIGINT or SIGTERM
// ends the command in order, the second at once.
func run(args []string, stdout, stderr io.Writer) int {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	context.AfterFunc(ctx, stop)

	parser, err := newParser(stdout, stderr)
	if err != nil {
		panic(err) // the grammar is wrong: every test fails
	}
	for _, warning := range misspelt(parser.Model, os.Environ()) {
		fmt.Fprintln(stderr, "ovation:", warning)
	}
	command, err := parser.Parse(withoutHelp(args))
	if err != nil {
		fmt.Fprintln(stderr, "ovation:", err)
		fmt.Fprintf(stderr, "See %s --help.\n", commandOf(err))
		return exitWrongUse
	}
	command.BindTo(ctx, (*context.Context)(nil))
	command.BindTo(stdout, (*io.Writer)(nil))
	if err := command.Run(); err != nil {
		fmt.Fprintln(stderr, "ovation:", err)
		return exitCode(err)
	}
	return exitFine
}

// commandOf is the command line up to what is wrong in it, whose help is of use.
func commandOf(err error) string {
	if wrong, ok := errors.AsType[*kong.ParseError](err); ok && wrong.Context != nil && wrong.Context.Selected() != nil {
		return "ovation " + wrong.Context.Command()
	}
	return "ovation"
}

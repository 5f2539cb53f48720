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

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/actors/nodes"
	"github.com/ovation-analytics/ovation/cmd/ovation/config"
	"github.com/ovation-analytics/ovation/cmd/ovation/tuning"
)

// CLI is the command line: every command is a field, its Run does it.
type CLI struct {
	Config config.File `placeholder:"FILE" help:"YAML file of flag names and values. Flags and OVATION_* variables outrank it."`

	Demo      Demo       `cmd:"" help:"Try it: one node with the embedded log, and simulated collectors."`
	Serve     Serve      `cmd:"" help:"Run a node."`
	Collect   Collect    `cmd:"" help:"Publish actions to Kafka, as a network's collector does."`
	App       App        `cmd:"" help:"Accounts and applications."`
	Key       Key        `cmd:"" help:"Access keys."`
	Secrets   SecretsCmd `cmd:"" help:"The file of secrets."`
	Status    Status     `cmd:"" help:"What the node is doing."`
	LogLevel  LogLevel   `cmd:"" name:"log-level" help:"From which level on a running node logs: show or change it."`
	Node      NodeCmd    `cmd:"" help:"The nodes of the installation."`
	DLQ       DLQ        `cmd:"" name:"dlq" help:"Dead letters: list, show, replay."`
	AcceptGap AcceptGap  `cmd:"" help:"Go on reading a log that has a gap, was cut, or is another one."`
	SetAside  SetAside   `cmd:"" help:"Make a dead letter of a record at which a shard stopped, since it cannot be applied."`
	Verify    Verify     `cmd:"" help:"Replay the journal beside the running node and compare it with what is stored."`
	Rebuild   Rebuild    `cmd:"" help:"Build shards anew from the journal beside the running node, and put them in their place."`
	Receipt   Receipt    `cmd:"" help:"Receipts of erasures."`
	Inspect   Inspect    `cmd:"" help:"The store's keys as text, of a node that is not running."`
	ConfigCmd ConfigCmd  `cmd:"" name:"config" help:"The configuration that flags, environment and file give together."`
	Version   Version    `cmd:"" help:"What this binary was built from."`
}

// Exit codes.
const (
	exitFine      = 0
	exitFailed    = 1
	exitWrongUse  = 2
	exitTakenOver = 3 // of a node: it was removed, or another process has its id
	exitBadRows   = 3 // of collect
)

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
		panic(err) // the grammar above is wrong: every test fails
	}
	command, err := parser.Parse(args)
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

func newParser(stdout, stderr io.Writer) (*kong.Kong, error) {
	return kong.New(&CLI{},
		kong.Name("ovation"),
		kong.Description("Audience analytics from a log: what members did, for whom, when and where."),
		kong.Writers(stdout, stderr),
		kong.DefaultEnvars("OVATION"),
		kong.PostBuild(keepDemoApart),
		kong.Resolvers(config.NoValues),
		kong.ConfigureHelp(kong.HelpOptions{Compact: true}),
		kong.ValueFormatter(helpOf),
	)
}

// helpOf is a flag's help with its default.
func helpOf(v *kong.Value) string {
	help := kong.DefaultHelpValueFormatter(v)
	if v.Default == "" {
		return help
	}
	return help + " [" + v.Default + "]"
}

// wrongUse is an error that ends a command as wrong flags do.
func wrongUse(err error) error { return domain.Fail(domain.InvalidParameter, err.Error()) }

func exitCode(err error) int {
	_, takenOver := errors.AsType[*nodes.EndedError](err)
	switch code := domain.CodeOf(err); {
	case takenOver:
		return exitTakenOver
	case errors.Is(err, errBadRows):
		return exitBadRows
	case code == domain.MissingParameter || code == domain.InvalidParameter:
		return exitWrongUse
	default:
		return exitFailed
	}
}

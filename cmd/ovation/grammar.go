package main

import (
	"io"
	"strings"

	"github.com/alecthomas/kong"

	"github.com/ovation-analytics/ovation/cmd/ovation/build"
	"github.com/ovation-analytics/ovation/cmd/ovation/config"
)

// newParser is the grammar of the command line.
func newParser(stdout, stderr io.Writer) (*kong.Kong, error) {
	return kong.New(&CLI{},
		kong.Name("ovation"),
		kong.Description("Audience analytics from a log: what members did, for whom, when and where."),
		kong.Vars{"version": build.Read().String()},
		kong.Writers(stdout, stderr),
		kong.DefaultEnvars("OVATION"),
		kong.PostBuild(keepDemoApart),
		kong.PostBuild(showExamples),
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

// examplesOf are the command lines that show how a command is used: its tag has them, with semicolons.
func examplesOf(command *kong.Node) []string {
	if command.Tag == nil || !command.Tag.Has("example") {
		return nil
	}
	return strings.Split(command.Tag.Get("example"), "; ")
}

// showExamples adds the examples of each command to its help.
func showExamples(k *kong.Kong) error {
	return kong.Visit(k.Model, func(node kong.Visitable, next kong.Next) error {
		if command, ok := node.(*kong.Node); ok {
			if lines := examplesOf(command); len(lines) > 0 {
				text := "Examples:\n\n    " + strings.Join(lines, "\n    ")
				command.Detail = strings.TrimSpace(command.Detail + "\n\n" + text)
			}
		}
		return next(nil)
	})
}

// withoutHelp is a command line in which "help COMMAND" is "COMMAND --help".
func withoutHelp(args []string) []string {
	if len(args) == 0 || args[0] != "help" {
		return args
	}
	return append(append([]string{}, args[1:]...), "--help")
}

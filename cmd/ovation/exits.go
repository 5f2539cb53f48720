package main

import (
	"errors"
	"fmt"
	"strings"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/actors/nodes"
)

// Exit codes.
const (
	exitFine      = 0
	exitFailed    = 1
	exitWrongUse  = 2
	exitTakenOver = 3 // of a node: it was removed, or another process has its id
	exitBadRows   = 3 // of collect
)

// exit is an exit code as help and the guide describe it.
type exit struct {
	code    int
	of      string // the commands that have it; empty: all
	meaning string
}

// exits are all exit codes.
var exits = []exit{
	{exitFine, "", "done, or stopped in order"},
	{exitFailed, "", "failed; the last line of standard error has the cause"},
	{exitWrongUse, "", "wrong flags, arguments or configuration; nothing was done"},
	{exitTakenOver, "serve, demo", "the node was removed, or another process has its id: do not start it again"},
	{exitBadRows, "collect", "rows were bad, the others are published"},
}

// String is a row of help.
func (e exit) String() string {
	if e.of == "" {
		return fmt.Sprintf("%d  %s", e.code, e.meaning)
	}
	return fmt.Sprintf("%d  of %s: %s", e.code, e.of, e.meaning)
}

// Help describes the exit codes of all commands.
func (*CLI) Help() string {
	var b strings.Builder
	b.WriteString("Exit codes:\n\n")
	for _, e := range exits {
		fmt.Fprintf(&b, "    %v\n", e)
	}
	return b.String()
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

package main

import (
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"slices"
	"strconv"
	"text/tabwriter"
	"time"

	"github.com/ovation-analytics/ovation/cmd/ovation/collect"
	"github.com/ovation-analytics/ovation/cmd/ovation/collect/runs"
)

// CollectRuns lists runs.
type CollectRuns struct {
	State  string `default:"collect-state" placeholder:"DIR" help:"Where it is remembered what is published and what was made."`
	Output string `default:"text" enum:"text,json" env:"-" short:"o" help:"Form of what is printed: text or json."`
	ID     string `name:"run" arg:"" optional:"" help:"Run of which all is shown."`
}

// Run lists all runs, or shows one.
func (c *CollectRuns) Run(w io.Writer) error {
	folder := runs.In(c.State)
	if c.ID != "" {
		r, err := folder.Get(c.ID)
		if err != nil {
			return wrongUse(err)
		}
		if c.Output == "json" {
			return json.NewEncoder(w).Encode(r)
		}
		return showRun(w, r)
	}
	list, err := folder.List()
	if err != nil {
		return err
	}
	if c.Output == "json" {
		if list == nil {
			list = []*runs.Run{}
		}
		return json.NewEncoder(w).Encode(list)
	}
	table := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(table, "RUN\tSOURCE\tBEGAN\tSTATE\tROWS\tPUBLISHED\tREPEATS\tBAD")
	for _, r := range list {
		fmt.Fprintf(table, "%s\t%s\t%s\t%s\t%d\t%d\t%s\t%d\n",
			r.ID, r.Source, r.Began.Format(time.DateTime), stateOf(r), r.Rows, r.Published, repeatsOf(r, "-"), r.Rejected)
	}
	return table.Flush()
}

// stateOf is how a run is, in words.
func stateOf(r *runs.Run) string {
	switch {
	case r.Undo != nil && r.Undo.Ended.IsZero():
		return "undo interrupted"
	case r.Undo != nil:
		return "undone"
	case r.Ended.IsZero():
		return "not ended"
	}
	return "ended"
}

// repeatsOf are the repeats of an id; of a run that has not ended they are not counted.
func repeatsOf(r *runs.Run, notYet string) string {
	if r.Ended.IsZero() {
		return notYet
	}
	return strconv.FormatInt(r.Repeats, 10)
}

// showRun prints what is known of a run, a line each.
func showRun(w io.Writer, r *runs.Run) error {
	table := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	line := func(what string, value any) { fmt.Fprintf(table, "%s\t%v\n", what, value) }
	line("run", r.ID)
	line("source", r.Source)
	line("account", r.Account)
	line("began", r.Began.Format(time.DateTime))
	if !r.Ended.IsZero() {
		line("ended", r.Ended.Format(time.DateTime))
	}
	line("state", stateOf(r))
	line("rows read", r.Rows)
	line("passed over by the mapping", r.Skipped)
	line("without an action", r.Silent)
	line("bad", r.Rejected)
	reasons := slices.SortedFunc(maps.Keys(r.Reasons), func(a, b string) int {
		return cmp.Or(cmp.Compare(r.Reasons[b], r.Reasons[a]), cmp.Compare(a, b))
	})
	for _, reason := range reasons {
		line("  "+reason, r.Reasons[reason])
	}
	if r.Rejected > 0 {
		line("  lines", collect.Lines(r.FirstBad, r.Rejected))
	}
	line("actions published", r.Published)
	line("  repeats of an id", repeatsOf(r, "counted when it ends"))
	if r.Repeats > 0 {
		line("  lines", collect.Lines(r.FirstRepeats, r.Repeats))
	}
	if r.Differing > 0 {
		line("  lost: another row of their id counts", r.Differing)
		line("  lines", collect.Lines(r.FirstDiffer, r.Differing))
	}
	line("  without their country", r.NoCountry)
	line("made over the API", r.Created)
	if r.Undo != nil {
		line("taken back", r.Undo.Taken)
	}
	return table.Flush()
}

package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/ovation-analytics/ovation/api/admin"
	"github.com/ovation-analytics/ovation/cmd/ovation/dlq"
)

// DLQList lists dead letters.
type DLQList struct {
	Letters deadLetters `embed:""`
	Choice  choosing    `embed:""`
	Limit   int         `group:"Output" default:"100" env:"-" placeholder:"N" help:"Letters that are listed, the newest; all are counted. 0: all."`
}

// Run lists them.
func (c *DLQList) Run(ctx context.Context, w io.Writer) error {
	f, err := c.Choice.filter(time.Now())
	if err != nil {
		return err
	}
	log, closed, err := c.Letters.open(ctx)
	if err != nil {
		return err
	}
	defer closed()
	out := letterList{Items: []admin.Letter{}, Reasons: map[string]int{}}
	seen, err := log.Each(ctx, func(l *dlq.Letter) error {
		if !f.Passes(l) {
			return nil
		}
		out.Total++
		out.Reasons[l.Reason]++
		out.Items = append(out.Items, log.Listed(l))
		if c.Limit > 0 && len(out.Items) >= 2*c.Limit {
			out.Items = append(out.Items[:0], out.Items[len(out.Items)-c.Limit:]...)
		}
		return nil
	})
	if err != nil {
		return err
	}
	if c.Limit > 0 && len(out.Items) > c.Limit {
		out.Items = out.Items[len(out.Items)-c.Limit:]
	}
	for i := range out.Items {
		out.Items[i].Replay = seen.Replayed(out.Items[i].ID)
	}
	out.Repeats, out.Foreign = seen.Repeats, seen.Foreign
	if c.Letters.Output == "json" {
		return json.NewEncoder(w).Encode(out)
	}
	return out.print(w)
}

// letterList is what list prints as JSON.
type letterList struct {
	Items   []admin.Letter `json:"items"`
	Reasons map[string]int `json:"reasons"` // of all that pass, listed or not
	Total   int            `json:"total"`
	Repeats int            `json:"repeats"` // letters that are more than once in the topic
	Foreign int            `json:"foreign"` // records of the topic that are no letters
}

func (o *letterList) print(w io.Writer) error {
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	if len(o.Items) > 0 {
		fmt.Fprintln(t, "ID\tREASON\tTIME\tACCOUNT\tSOURCE\tORIGIN\tBYTES\tREPLAYED\tDETAIL")
	}
	for _, l := range o.Items {
		fmt.Fprintf(t, "%s\t%s\t%s\t%d\t%s\t%s\t%d\t%s\t%s\n", l.ID, l.Reason, l.Time, l.Account, harmlessWord(l.Source), l.Origin, l.Bytes, replayedAt(l.Replay), l.Detail)
	}
	if err := t.Flush(); err != nil {
		return err
	}
	fmt.Fprintf(w, "%d dead letters", o.Total)
	if n := len(o.Items); n < o.Total {
		fmt.Fprintf(w, ", the newest %d listed", n)
	}
	fmt.Fprintln(w, byReason(o.Reasons))
	if o.Foreign > 0 {
		fmt.Fprintf(w, "%d records of the topic are no dead letters\n", o.Foreign)
	}
	return nil
}

// byReason is numbers by reason in words, the greatest first.
func byReason(reasons map[string]int) string {
	words := slices.SortedFunc(maps.Keys(reasons), func(a, b string) int {
		if d := reasons[b] - reasons[a]; d != 0 {
			return d
		}
		return strings.Compare(a, b)
	})
	var b strings.Builder
	for i, word := range words {
		if b.WriteString(", "); i == 0 {
			b.Reset()
			b.WriteString(": ")
		}
		fmt.Fprintf(&b, "%s %d", word, reasons[word])
	}
	return b.String()
}

// replayedAt is the last replay of a letter in words; empty: there was none.
func replayedAt(r *admin.LetterReplay) string {
	switch {
	case r == nil:
		return ""
	case r.Again == "":
		return r.Time + ", not refused since"
	}
	return r.Time + ", refused again: " + r.For + " (" + r.Again[:min(8, len(r.Again))] + ")"
}

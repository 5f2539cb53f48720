package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/cmd/ovation/config"
	"github.com/ovation-analytics/ovation/cmd/ovation/dlq"
	"github.com/ovation-analytics/ovation/ingest/kafka"
)

// DLQ is about dead letters: records of the public topic that could not be taken.
type DLQ struct {
	List   DLQList   `cmd:"" help:"List dead letters, and count them by reason."`
	Show   DLQShow   `cmd:"" help:"Show one dead letter with its headers and the original bytes. They may hold personal data: this shows them to whoever runs it."`
	Replay DLQReplay `cmd:"" help:"Publish originals again, mended or as they are: all that are chosen, since only the node knows whose they are now. A member who registered after the letter was refused gets none of it (before_registration). One that counted, or was deleted, is a repeat and changes nothing; one still refused is a dead letter again."`
}

// deadLetters is what every command about them has.
type deadLetters struct {
	Kafka       []string `sep:"," default:"127.0.0.1:9092" placeholder:"HOST:PORT" help:"Brokers to start from; of a node with the embedded log its --embedded-kafka."`
	TopicPrefix string   `placeholder:"TEXT" help:"Comes before the names of the topics."`
	Output      string   `enum:"text,json" default:"text" help:"text, or json for one JSON object."`

	config.KafkaAccess
}

// open opens the topics.
func (c *deadLetters) open(ctx context.Context) (l *dlq.Log, closed func(), err error) {
	cfg := kafka.Config{
		Brokers: c.Kafka, ClientID: "ovation-dlq",
		Topics: []string{c.TopicPrefix + kafka.DeadLetters, c.TopicPrefix + kafka.Activities},
	}
	if err := c.Into(&cfg, ""); err != nil {
		return nil, nil, err
	}
	client, err := kafka.New(cfg)
	if err != nil {
		return nil, nil, wrongUse(err)
	}
	if l, err = dlq.Open(ctx, client, c.TopicPrefix); err != nil {
		client.Close()
		return nil, nil, fmt.Errorf("the dead letters: %w", err)
	}
	return l, client.Close, nil
}

// choosing are the filters of list and replay.
type choosing struct {
	Reason    []string         `sep:"," env:"-" placeholder:"WORD" help:"Only these reasons, such as unknown_member,bad_json."`
	Account   domain.AccountID `env:"-" placeholder:"ID" help:"Only those of an account."`
	Partition int              `default:"-1" env:"-" placeholder:"N" help:"Only those that came in this partition of the public topic."`
	HTTP      bool             `name:"http-only" env:"-" help:"Only those that came over HTTP."`
	Since     string           `env:"-" placeholder:"TIME" help:"Only those published from then on: 2026-11-21T12:00:00Z, or how long ago, such as 90m or 24h."`
	Until     string           `env:"-" placeholder:"TIME" help:"Only those published before then."`
}

// filter is the choice; now is what ago counts from.
func (c *choosing) filter(now time.Time) (f dlq.Filter, err error) {
	f = dlq.Filter{Reasons: c.Reason, Account: c.Account, Partition: c.Partition, HTTP: c.HTTP}
	for _, word := range c.Reason {
		if _, ok := domain.ParseReason(word); !ok {
			return f, wrongUse(fmt.Errorf("--reason: %q is none of %s", word, strings.Join(domain.ReasonWords(), ", ")))
		}
	}
	if f.From, err = moment(c.Since, now); err != nil {
		return f, wrongUse(fmt.Errorf("--since: %w", err))
	}
	if f.To, err = moment(c.Until, now); err != nil {
		return f, wrongUse(fmt.Errorf("--until: %w", err))
	}
	return f, nil
}

// moment is a time in ms since 1970; 0: none is given.
func moment(text string, now time.Time) (int64, error) {
	if text == "" {
		return 0, nil
	}
	if ago, err := time.ParseDuration(text); err == nil && ago >= 0 {
		return now.Add(-ago).UnixMilli(), nil
	}
	if at, ok := domain.ParseTime(text); ok {
		return at * 1000, nil
	}
	if t, err := time.Parse(time.DateOnly, text); err == nil {
		return t.UnixMilli(), nil
	}
	return 0, fmt.Errorf("%q is neither a time such as 2026-11-21T12:00:00Z nor how long ago, such as 24h", text)
}

// listedLetter is a dead letter as list shows it.
type listedLetter struct {
	ID      string           `json:"id"`
	Reason  string           `json:"reason"`
	Detail  string           `json:"detail,omitempty"`
	Time    string           `json:"time"` // when it was published
	Account domain.AccountID `json:"account,omitempty"`
	Origin  string           `json:"origin"`
	Bytes   int              `json:"bytes"`
	Whole   bool             `json:"original"` // the original is there
	Replay  *listedReplay    `json:"replayed,omitempty"`
}

// listedReplay is the last replay of a letter.
type listedReplay struct {
	Time  string `json:"time"`
	Again string `json:"again,omitempty"`  // the dead letter that it became
	For   string `json:"reason,omitempty"` // and why
}

// replayed adds when the letter was replayed last, and what became of it.
func (l *listedLetter) replayed(seen *dlq.Seen) {
	if r := seen.Replays[l.ID]; r != nil {
		l.Replay = &listedReplay{Time: time.UnixMilli(r.At).UTC().Format(time.RFC3339), Again: r.Again, For: r.For}
	}
}

// String is the replay in words; empty: there was none.
func (r *listedReplay) String() string {
	switch {
	case r == nil:
		return ""
	case r.Again == "":
		return r.Time + ", not refused since"
	}
	return r.Time + ", refused again: " + r.For + " (" + r.Again[:min(8, len(r.Again))] + ")"
}

func listed(log *dlq.Log, l *dlq.Letter) listedLetter {
	return listedLetter{
		ID: l.ID, Reason: l.Reason, Detail: l.Detail, Account: l.Account,
		Time: time.UnixMilli(l.At).UTC().Format(time.RFC3339), Origin: log.Where(l),
		Bytes: len(l.Original.Key) + len(l.Original.Value), Whole: l.Whole,
	}
}

// letterList is what list prints as JSON.
type letterList struct {
	Items   []listedLetter `json:"items"`
	Reasons map[string]int `json:"reasons"` // of all that pass, listed or not
	Total   int            `json:"total"`
	Repeats int            `json:"repeats"` // letters that are more than once in the topic
	Foreign int            `json:"foreign"` // records of the topic that are no letters
}

// DLQList lists dead letters.
type DLQList struct {
	deadLetters
	choosing
	Limit int `default:"100" env:"-" placeholder:"N" help:"Letters that are listed, the newest; all are counted. 0: all."`
}

// Run lists them.
func (c *DLQList) Run(ctx context.Context, w io.Writer) error {
	f, err := c.filter(time.Now())
	if err != nil {
		return err
	}
	log, closed, err := c.open(ctx)
	if err != nil {
		return err
	}
	defer closed()
	out := letterList{Items: []listedLetter{}, Reasons: map[string]int{}}
	seen, err := log.Each(ctx, func(l *dlq.Letter) error {
		if !f.Passes(l) {
			return nil
		}
		out.Total++
		out.Reasons[l.Reason]++
		out.Items = append(out.Items, listed(log, l))
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
		out.Items[i].replayed(&seen)
	}
	out.Repeats, out.Foreign = seen.Repeats, seen.Foreign
	if c.Output == "json" {
		return json.NewEncoder(w).Encode(out)
	}
	return out.print(w)
}

func (o *letterList) print(w io.Writer) error {
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	if len(o.Items) > 0 {
		fmt.Fprintln(t, "ID\tREASON\tTIME\tACCOUNT\tORIGIN\tBYTES\tREPLAYED\tDETAIL")
	}
	for _, l := range o.Items {
		fmt.Fprintf(t, "%s\t%s\t%s\t%d\t%s\t%d\t%s\t%s\n", l.ID, l.Reason, l.Time, l.Account, l.Origin, l.Bytes, l.Replay, l.Detail)
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

// DLQShow shows a dead letter.
type DLQShow struct {
	deadLetters
	ID    string `arg:"" help:"The letter's id, or how it begins."`
	Value bool   `env:"-" help:"Only the original's bytes as they are, for a file to be mended."`
}

// shownLetter is a dead letter as show prints it as JSON. Texts that are not UTF-8 are
// in base64.
type shownLetter struct {
	listedLetter
	Published int64         `json:"published"` // ms since 1970: of the original; -1: it has no time
	Key       []byte        `json:"keyBase64,omitempty"`
	Headers   []shownHeader `json:"headers"`
	Value     []byte        `json:"valueBase64"`
}

type shownHeader struct {
	Name  string `json:"name"`
	Value []byte `json:"valueBase64"`
}

// Run shows it.
func (c *DLQShow) Run(ctx context.Context, w io.Writer) error {
	log, closed, err := c.open(ctx)
	if err != nil {
		return err
	}
	defer closed()
	l, seen, err := find(ctx, log, c.ID)
	if err != nil {
		return err
	}
	switch {
	case c.Value && !l.Whole:
		return errors.New("the letter has no original: " + l.Detail)
	case c.Value:
		_, err = w.Write(l.Original.Value)
		return err
	}
	shown := shownLetter{
		listedLetter: listed(log, l), Published: l.Original.TimeMs,
		Key: l.Original.Key, Value: l.Original.Value, Headers: []shownHeader{},
	}
	shown.replayed(&seen)
	for _, h := range l.Original.Headers {
		shown.Headers = append(shown.Headers, shownHeader{h.Key, h.Value})
	}
	if c.Output == "json" {
		return json.NewEncoder(w).Encode(shown)
	}
	return shown.print(w)
}

func find(ctx context.Context, log *dlq.Log, id string) (*dlq.Letter, dlq.Seen, error) {
	l, seen, err := log.Find(ctx, id)
	switch {
	case errors.Is(err, dlq.ErrAmbiguous):
		return nil, seen, wrongUse(fmt.Errorf("%s: %w", id, err))
	case err == nil && l == nil:
		return nil, seen, domain.Bad(domain.NotFound, "id", "there is no dead letter "+id)
	}
	return l, seen, err
}

// print shows what strangers wrote so that a terminal does not obey it.
func (l *shownLetter) print(w io.Writer) error {
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintf(t, "id\t%s\nreason\t%s\ndetail\t%s\ntime\t%s\naccount\t%d\norigin\t%s\n",
		l.ID, l.Reason, l.Detail, l.Time, l.Account, l.Origin)
	if l.Replay != nil {
		fmt.Fprintf(t, "replayed\t%s\n", l.Replay)
	}
	if l.Whole {
		if l.Published >= 0 {
			fmt.Fprintf(t, "published\t%s\n", time.UnixMilli(l.Published).UTC().Format(time.RFC3339Nano))
		}
		fmt.Fprintf(t, "key\t%s\n", harmless(l.Key))
		for _, h := range l.Headers {
			fmt.Fprintf(t, "header %s\t%s\n", harmless([]byte(h.Name)), harmless(h.Value))
		}
	}
	if err := t.Flush(); err != nil || !l.Whole {
		return err
	}
	_, err := fmt.Fprintf(w, "\n%s\n", harmless(bytes.TrimRight(l.Value, "\n")))
	return err
}

package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"time"

	"github.com/vbauerster/mpb/v8/cwriter"

	"github.com/ovation-analytics/ovation/api/client"
	"github.com/ovation-analytics/ovation/cmd/ovation/collect"
	"github.com/ovation-analytics/ovation/cmd/ovation/collect/runs"
	"github.com/ovation-analytics/ovation/cmd/ovation/config"
	"github.com/ovation-analytics/ovation/cmd/ovation/patience"
	"github.com/ovation-analytics/ovation/ingest/kafka"
)

// publishing is what every collector has.
type publishing struct {
	Kafka       []string `group:"Kafka" sep:"," default:"127.0.0.1:9092" placeholder:"HOST:PORT" help:"Bootstrap brokers; for a node with the embedded log its --embedded-kafka."`
	TopicPrefix string   `group:"Kafka" placeholder:"TEXT" help:"Comes before the name of the topic."`
	Account     uint32   `group:"Publishing" placeholder:"N" help:"Account that the actions belong to, as app list shows it. A mapping file may say it."`
	State       string   `group:"Publishing" default:"collect-state" placeholder:"DIR" help:"Where it is remembered what is published and what was made."`
	FromStart   bool     `group:"Publishing" env:"-" help:"Begin at the first row again, also when mapping or input have changed: repeats count once."`

	Create bool     `group:"What is missing" env:"-" help:"Make members, brands and activities that are missing, over the API."`
	API    []string `group:"What is missing" name:"api" sep:"," default:"http://127.0.0.1:8080" placeholder:"URL" help:"Address of the API, for --create. Of several nodes all addresses, with commas: where one does not answer the next is asked."`
	Key    string   `group:"What is missing" placeholder:"KEY" help:"Access key of the account, for --create. In OVATION_KEY it does not show in the list of processes."`

	Rate      int    `group:"Publishing" default:"0" env:"-" placeholder:"N" help:"Actions a second at most; 0: as fast as it goes."`
	MaxErrors int    `group:"Bad rows" default:"-1" env:"-" placeholder:"N" help:"Give up after more bad rows than so many; -1: never."`
	Rejects   string `group:"Bad rows" env:"-" placeholder:"FILE" help:"File to which every bad row is added as it is in the input, to be mended and published as a file of its own. Without it the next run begins before the first bad row."`
	DryRun    bool   `group:"Dry run" env:"-" help:"Read and map everything, show counts, the first records and what a run would refuse, publish and make nothing. With --key the API is asked for the ids that the input gives; without it nothing is connected to."`
	Show      int    `group:"Dry run" default:"5" env:"-" placeholder:"N" help:"Records that --dry-run shows."`

	Access config.KafkaAccess `embed:"" group:"Kafka"`
	form
}

// collected is the answer of a collector as JSON: what became of one source.
type collected struct {
	Source string `json:"source"`
	DryRun bool   `json:"dryRun"`
	runs.Counts
	Records []json.RawMessage `json:"records,omitempty"` // the first ones, of a dry run
}

// Validate is what is wrong with the flags.
func (c *publishing) Validate() error {
	switch {
	case c.Rate < 0 || c.Show < 0 || c.MaxErrors < -1:
		return errors.New("--rate and --show must not be below 0, --max-errors not below -1")
	case c.Create && c.Key == "" && !c.DryRun:
		return errors.New("--create needs --key")
	case c.Create && len(c.API) == 0:
		return errors.New("--create needs --api")
	}
	return c.Access.Validate()
}

// run publishes a source.
func (c *publishing) run(ctx context.Context, w io.Writer, source collect.Source) (err error) {
	samples := w
	var records bytes.Buffer
	if c.Output == "json" {
		samples = &records
	}
	progress := collect.NewProgress(collect.ProgressOptions{
		Source: source.Name(), Out: samples, Errs: os.Stderr, Terminal: cwriter.IsTerminal(int(os.Stderr.Fd())),
		Samples: c.Show, Now: time.Now,
	})
	o := collect.Options{
		Account: c.Account, Rate: c.Rate, MaxErrors: c.MaxErrors, FromStart: c.FromStart, Report: progress,
	}
	if c.Rejects != "" {
		f, err := collect.OpenRejects(c.Rejects)
		if err != nil {
			return err
		}
		defer func() { err = errors.Join(err, f.Close()) }()
		o.Rejects = f
	}
	if c.DryRun && c.Key != "" && len(c.API) > 0 {
		api := collect.NewAPI(client.New(c.API[0], c.Key, c.API[1:]...))
		switch err := api.Answers(ctx, c.Account); {
		case errors.Is(err, patience.ErrAway):
			fmt.Fprintln(os.Stderr, "the API does not answer: ids of brands and activities are not looked for")
		case err != nil:
			return err
		default:
			o.API = api
		}
	}
	if !c.DryRun {
		closeAll, err := c.connect(ctx, &o)
		if err != nil {
			return err
		}
		defer closeAll()
	}
	totals, err := collect.Run(ctx, source, o)
	progress.End()
	if err != nil {
		if ctx.Err() != nil {
			err = errors.New("stopped; the same command goes on from here")
		}
		return fmt.Errorf("%w (%s)", err, totals.Summary(c.DryRun))
	}
	answer := collected{Source: source.Name(), DryRun: c.DryRun, Counts: totals.Counts}
	for line := range bytes.Lines(records.Bytes()) {
		answer.Records = append(answer.Records, bytes.TrimSpace(line))
	}
	err = c.print(w, answer, func(w io.Writer) { fmt.Fprintln(w, totals.Summary(c.DryRun)) })
	if err == nil && totals.Differing > 0 {
		err = fmt.Errorf("%w: %d rows with the id of an earlier row that say something else are lost, %s: "+
			"let id in the mapping name more of what tells rows apart", errBadRows, totals.Differing, inLines(totals.FirstDiffer, totals.Differing))
	}
	if err != nil && !errors.Is(err, errBadRows) || totals.Rejected == 0 {
		return err
	}
	where := fmt.Sprintf("%d of %d rows, %s", totals.Rejected, totals.Rows, inLines(totals.FirstBad, totals.Rejected))
	if c.Rejects == "" && !c.DryRun {
		where += "; the next run begins before them: mend them, or let --rejects FILE take them"
	}
	if totals.Published == 0 {
		return fmt.Errorf("no row could be published: %v: %s", errBadRows, where)
	}
	return errors.Join(err, fmt.Errorf("%w: %s", errBadRows, where))
}

// connect opens the log and the folder, and the API where something may be made.
func (c *publishing) connect(ctx context.Context, o *collect.Options) (closeAll func(), err error) {
	if c.Account == 0 {
		return nil, wrongUse(errors.New("--account is required, or account in the mapping"))
	}
	if c.Create {
		o.API = collect.NewAPI(client.New(c.API[0], c.Key, c.API[1:]...))
	}
	cfg := kafka.Config{Brokers: c.Kafka}
	if err := c.Access.Into(&cfg, ""); err != nil {
		return nil, err
	}
	if o.Log, err = collect.OpenLog(ctx, cfg, c.TopicPrefix+kafka.Activities); err != nil {
		return nil, err
	}
	if o.State, err = collect.OpenState(c.State, o.Log.Topic(), c.Account); err != nil {
		o.Log.Close()
		return nil, err
	}
	return func() { o.State.Close(); o.Log.Close() }, nil
}

// errBadRows says that all was read, but rows were bad: what is published is published.
var errBadRows = errors.New("bad rows")

// inLines says in which lines so many rows are.
func inLines(first []int64, of int64) string {
	where := "in line "
	if len(first) > 1 {
		where = "in lines "
	}
	if of > int64(len(first)) {
		where = "the first " + where
	}
	return where + collect.Lines(first, of)
}

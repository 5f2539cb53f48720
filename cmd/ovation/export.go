package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime/debug"
	"strings"
	"time"

	"github.com/ovation-analytics/ovation/api/client"
	"github.com/ovation-analytics/ovation/cmd/ovation/export"
	"github.com/ovation-analytics/ovation/cmd/ovation/export/state"
	"github.com/ovation-analytics/ovation/cmd/ovation/export/table"
)

// Export writes files for a warehouse.
type Export struct {
	Actions ExportActions `cmd:"" help:"Write the actions that are new since the run before." example:"ovation export actions --format parquet --out warehouse; ovation export actions --personal --output json"`
	Members ExportMembers `cmd:"" help:"Write the members that changed since the run before." example:"ovation export members --format csv --out warehouse"`
}

// Help tells the exit codes.
func (*Export) Help() string { return exportExits }

// exportExits tells the exit codes.
const exportExits = "Exit codes: 0 everything that is new is written; 1 it stopped (API away, key refused, disk full, another export " +
	"has the state): the same command goes on from there; 2 wrong use."

// exporting is what every export has.
type exporting struct {
	API      []string `group:"Account" name:"api" sep:"," default:"http://127.0.0.1:8080" placeholder:"URL" help:"Address of the API. Of several nodes all addresses, with commas: where one does not answer the next is asked."`
	Key      string   `group:"Account" required:"" placeholder:"KEY" help:"Access key of the account. In OVATION_KEY it does not show in the list of processes."`
	State    string   `group:"Files" env:"-" default:"export-state" placeholder:"DIR" help:"Where it is remembered what is exported, a folder for each table in it. Without it everything is exported again."`
	Out      string   `group:"Files" env:"-" default:"." placeholder:"DIR" help:"Where the files are written."`
	Format   string   `group:"Files" env:"-" default:"ndjson" enum:"ndjson,csv,parquet" help:"Format of the files: ndjson, csv or parquet."`
	PartRows int      `group:"Files" env:"-" default:"100000" placeholder:"N" help:"Rows after which a further file is begun, at most 250000."`
	Personal bool     `group:"Files" env:"-" help:"Write the columns too that name, locate or depict members."`
	RawCSV   bool     `group:"Files" name:"raw-csv" env:"-" help:"Leave texts in CSV as they are, also those that a spreadsheet takes for a formula: for loaders that evaluate none."`
	Output   string   `group:"Output" env:"-" default:"text" enum:"text,json" short:"o" help:"Form of what is printed: text or json."`
}

// Validate is what is wrong with the flags.
func (c *exporting) Validate() error {
	switch {
	case len(c.API) == 0:
		return errors.New("an export needs --api")
	case c.PartRows < 1 || c.PartRows > maxPartRows:
		return fmt.Errorf("--part-rows must be from 1 to %d", maxPartRows)
	case c.RawCSV && c.Format != "csv":
		return errors.New("--raw-csv needs --format csv")
	}
	return nil
}

// maxPartRows bounds the IDs of a part, which are in memory.
const maxPartRows = 250_000

// memoryLimit is what the collector of garbage keeps the process to: pages of an answer are garbage soon.
const memoryLimit = 48 << 20

// run exports a table from a day on, by what do does; empty: from the first.
func (c *exporting) run(ctx context.Context, w io.Writer, t table.Table, from string, do func(*export.Export) error) (err error) {
	if !c.Personal {
		t = t.Clear()
	}
	debug.SetMemoryLimit(memoryLimit)
	api := export.NewAPI(client.New(c.API[0], c.Key, c.API[1:]...))
	account, err := api.Account(ctx)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(c.Out, 0o700); err != nil {
		return err
	}
	store, err := state.Open(filepath.Join(c.State, t.Name), state.Of{
		Table: t.Name, Account: account, Format: c.Format, Personal: c.Personal, From: from,
	})
	switch {
	case errors.Is(err, state.ErrOther):
		return wrongUse(err)
	case err != nil:
		return err
	}
	defer func() { err = errors.Join(err, store.Close()) }()
	if c.Personal {
		fmt.Fprintf(os.Stderr, "personal columns are written: %s\n", strings.Join(t.PersonalNames(), ", "))
	}
	told := time.Now()
	x := export.New(export.Options{
		API: api, Store: store, Table: t, PartRows: c.PartRows,
		Parts: table.Options{Dir: c.Out, Format: c.Format, Raw: c.RawCSV},
		Tell: func(read, exported int64) {
			if now := time.Now(); now.Sub(told) >= 5*time.Second {
				told = now
				fmt.Fprintf(os.Stderr, "%d rows read, %d new\n", read, exported)
			}
		},
	})
	if err := do(x); err != nil {
		if ctx.Err() != nil {
			err = errors.New("stopped; the same command goes on from here")
		}
		return errors.Join(fmt.Errorf("%s: %w (%d rows in %d files written)", t.Name, err, x.Sum.Rows, len(x.Sum.Parts)), x.Close())
	}
	if c.Output == "json" {
		return json.NewEncoder(w).Encode(&x.Sum)
	}
	for _, p := range x.Sum.Parts {
		fmt.Fprintf(w, "%s: %d rows\n", p.File, p.Rows)
	}
	_, err = fmt.Fprintf(w, "%s: %d new rows, %d new files\n", t.Name, x.Sum.Rows, len(x.Sum.Parts))
	return err
}

package export

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/ovation-analytics/ovation/cmd/ovation/export/state"
	"github.com/ovation-analytics/ovation/cmd/ovation/export/table"
)

// overlap is how long before the run before a run begins: by how much less the clocks of nodes and brokers differ.
const overlap = 10 * time.Minute

// pageRows is how many rows are asked for at once: a row may have 64 KiB of content.
const pageRows = "250"

// Options say what is exported.
type Options struct {
	API      *API
	Store    *state.Store
	Table    table.Table // with its personal columns or without
	Parts    table.Options
	PartRows int                        // from which number of rows on a part ends
	Tell     func(read, exported int64) // after each page
}

// Part is a file that was written.
type Part struct {
	File string `json:"file"`
	Rows int    `json:"rows"`
}

// Summary says what a run did.
type Summary struct {
	Table    string   `json:"table"`
	Rows     int64    `json:"rows"`
	Read     int64    `json:"read"`  // rows of the API, also those that were exported before
	Whole    bool     `json:"whole"` // everything was read
	Parts    []Part   `json:"parts"`
	Personal []string `json:"personal"` // names of columns
	Since    string   `json:"since"`    // where the next run begins
}

// Export writes what is new, in one run, or in two where one was stopped before.
type Export struct {
	Options
	Sum Summary

	part *table.Part // nil: none is begun
}

// New is an export that has not begun.
func New(o Options) *Export {
	return &Export{Options: o, Sum: Summary{Table: o.Table.Name, Parts: []Part{}, Personal: o.Table.PersonalNames()}}
}

// put exports a version of a row, unless it is exported.
func (x *Export) put(id, rowVersion uint64, row func() (table.Row, error)) error {
	x.Sum.Read++
	known, err := x.Store.Exported(id, rowVersion)
	if err != nil || known {
		return err
	}
	values, err := row()
	if err != nil {
		return fmt.Errorf("row %d: %w", id, err)
	}
	if x.part == nil {
		if x.part, err = table.Begin(x.Table, &x.Parts, x.Store.State.Next); err != nil {
			return err
		}
	}
	if err := x.part.Append(values); err != nil {
		return err
	}
	x.Store.Note(id, rowVersion)
	return nil
}

// full reports that the part has as many rows as it is to have.
func (x *Export) full() bool { return x.part != nil && x.part.Rows >= x.PartRows }

// save ends the part, if there is one, and keeps the state: the run is then so far.
func (x *Export) save() error {
	if x.part != nil {
		path, err := x.part.Finish()
		if err != nil {
			return err
		}
		rows := x.part.Rows
		x.part = nil
		x.Sum.Parts = append(x.Sum.Parts, Part{path, rows})
		x.Sum.Rows += int64(rows)
		x.Store.State.Rows += int64(rows)
		x.Store.State.Next++
	}
	return x.Store.Commit()
}

// after a page tells how far the run is, and ends a full part.
func (x *Export) after() error {
	x.Tell(x.Sum.Read, x.Sum.Rows+int64(x.Store.Noted()))
	if x.full() {
		return x.save()
	}
	return nil
}

// end ends the run: the next one begins overlap before it.
func (x *Export) end() error {
	s := &x.Store.State
	began, err := moment(s.Run.Began)
	if err != nil {
		return err
	}
	s.Since, s.Probe, s.Run = state.Moment(began.Add(-overlap)), s.Run.Probe, nil
	x.Sum.Since = s.Since
	return x.save()
}

// Close discards what a run that failed has begun.
func (x *Export) Close() error {
	if x.part == nil {
		return nil
	}
	return x.part.Discard()
}

// toEnd runs to the end. A run that was stopped after some pages is ended first, and another one follows it: what was
// recorded since the stopped one began may belong to pages that it had read.
func (x *Export) toEnd(ctx context.Context, run func(context.Context) error) error {
	stopped := x.Store.State.Run.HasPages()
	if err := run(ctx); err != nil || !stopped {
		return err
	}
	return run(ctx)
}

// begin begins a run, or goes on with the one that was stopped. From then on answers have at least what was in the log
// when it was called.
func (x *Export) begin(ctx context.Context, prepare func(run *state.Run, now time.Time) error) (*state.Run, error) {
	now, err := x.API.now(ctx)
	if err != nil {
		return nil, err
	}
	position, err := x.API.settled(ctx)
	if err != nil {
		return nil, err
	}
	x.API = x.API.at(position)
	s := &x.Store.State
	run := s.Run
	if run == nil {
		run = &state.Run{Began: state.Moment(now), Whole: s.Since == ""}
	}
	if err := prepare(run, now); err != nil {
		return nil, err
	}
	x.Sum.Whole, s.Run = x.Sum.Whole || run.Whole, run
	return run, x.Store.Commit()
}

var errNoNumber = errors.New("the API gave a row without an ID")

package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"time"

	"github.com/ovation-analytics/ovation/api/client"
	"github.com/ovation-analytics/ovation/cmd/ovation/collect"
	"github.com/ovation-analytics/ovation/cmd/ovation/collect/runs"
)

// CollectUndo takes runs back.
type CollectUndo struct {
	State string   `default:"collect-state" placeholder:"DIR" help:"Where it is remembered what is published and what was made."`
	API   []string `name:"api" sep:"," default:"http://127.0.0.1:8080" placeholder:"URL" help:"Address of the API. Of several nodes all addresses, with commas: where one does not answer the next is asked."`
	Key   string   `required:"" placeholder:"KEY" help:"Access key of the account. In OVATION_KEY it does not show in the list of processes."`
	Runs  []string `arg:"" help:"Runs, as collect runs lists them."`
	form
}

// undone is what became of a run, as JSON.
type undone struct {
	Run       string `json:"run"`
	Taken     int64  `json:"taken"`     // actions taken back
	Published int64  `json:"published"` // actions that the run published
}

// Help says what is taken back.
func (*CollectUndo) Help() string {
	return "The actions that a run published are deleted over the API, one by one; those that were there before it stay. " +
		"Members, brands and activities that were made stay. An undo that was stopped goes on where it was. " +
		"A deleted action does not come back when it is published again: its id is known. A mapping with another source or id gives new ones. " +
		"Of a one-time activity the member's place stays closed."
}

// Run takes them back, one after the other.
func (c *CollectUndo) Run(ctx context.Context, w io.Writer) error {
	if len(c.API) == 0 {
		return wrongUse(errors.New("undo needs --api"))
	}
	folder := runs.In(c.State)
	var list []*runs.Run
	for _, id := range c.Runs { // all are there before one is touched
		r, err := folder.Get(id)
		if err != nil {
			return wrongUse(err)
		}
		list = append(list, r)
	}
	api := collect.NewAPI(client.New(c.API[0], c.Key, c.API[1:]...))
	for _, r := range list {
		told := time.Now()
		u := &collect.Undo{API: api, Folder: folder, Now: time.Now, Tell: func(taken, looked, total int64) {
			if now := time.Now(); now.Sub(told) >= 5*time.Second {
				told = now
				fmt.Fprintf(os.Stderr, "%s: %d %% looked through, %d actions taken back\n", r.ID, looked*100/max(total, 1), taken)
			}
		}}
		if err := u.Take(ctx, r); err != nil {
			if ctx.Err() != nil {
				err = errors.New("stopped; the same command goes on from here")
			}
			return fmt.Errorf("%s: %w (%d of %d actions taken back)", r.ID, err, r.Undo.TakenSoFar(), r.Published)
		}
		answer := undone{Run: r.ID, Taken: r.Undo.Taken, Published: r.Published}
		err := c.print(w, answer, func(w io.Writer) {
			fmt.Fprintf(w, "%s: %d of %d published actions taken back\n", r.ID, r.Undo.Taken, r.Published)
		})
		if err != nil {
			return err
		}
	}
	return nil
}

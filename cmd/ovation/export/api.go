package export

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/ovation-analytics/ovation/api/client"
	"github.com/ovation-analytics/ovation/cmd/ovation/export/state"
	"github.com/ovation-analytics/ovation/cmd/ovation/patience"
	"github.com/ovation-analytics/ovation/ingest/kafka"
)

// API asks the API again while it is out of reach, starts, or asks to wait.
type API struct {
	client   *client.Client
	patience time.Duration // how long it may be so
}

// NewAPI asks through c.
func NewAPI(c *client.Client) *API { return &API{c, time.Minute} }

// at is the API whose answers have at least what a position has.
func (a *API) at(position string) *API { return &API{a.client.At(position), a.patience} }

// patiently asks until there is an answer.
func (a *API) patiently(ctx context.Context, ask func(*client.Client) error) error {
	return patience.Ask(ctx, a.patience, func() error { return ask(a.client) })
}

// refusesCursor reports that the API refuses the cursor of a page.
func refusesCursor(err error) bool {
	e, answered := errors.AsType[*client.Error](err)
	return answered && e.Parameter == "cursor"
}

// page asks for a page of a list: the first by q, those after it by the address next.
func page[Out any](ctx context.Context, a *API, path string, q client.Call[Out], next state.Params) (out Out, meta client.Meta, err error) {
	if next == nil {
		return do(ctx, a, q)
	}
	err = a.patiently(ctx, func(c *client.Client) error {
		var empty Out
		out = empty
		meta, err = c.Get(ctx, path, client.Params(next), &out)
		return err
	})
	return out, meta, err
}

// do asks an operation.
func do[Out any](ctx context.Context, a *API, q client.Call[Out]) (out Out, meta client.Meta, err error) {
	err = a.patiently(ctx, func(c *client.Client) error {
		out, meta, err = client.Do(ctx, c, q)
		return err
	})
	return out, meta, err
}

// Account is the id of the key's account.
func (a *API) Account(ctx context.Context) (string, error) {
	app, _, err := do(ctx, a, client.GetApplication{})
	return app.Account.ID, err
}

// settled waits until the engine has applied all that was in the log when it was called. The position has that.
func (a *API) settled(ctx context.Context) (position string, err error) {
	began := time.Now()
	var backoff kafka.Backoff
	for {
		passed := time.Since(began).Milliseconds()
		_, meta, err := do(ctx, a, client.GetApplication{})
		if err != nil {
			return "", err
		}
		if meta.LagMs >= 0 && meta.LagMs <= passed {
			return meta.Position, nil
		}
		if time.Since(began) > settleWithin {
			return "", fmt.Errorf("the engine is %d ms behind its log: try again once X-Lag-Ms is small", meta.LagMs)
		}
		if err := backoff.Wait(ctx); err != nil {
			return "", err
		}
	}
}

// settleWithin is how long a run waits for the engine to reach the end of its log.
const settleWithin = 10 * time.Minute

// now is the time by the clock of a node, up to a minute earlier.
func (a *API) now(ctx context.Context) (time.Time, error) {
	_, meta, err := do(ctx, a, client.GetFeed{Limit: "0"})
	if err != nil {
		return time.Time{}, err
	}
	_, end, _ := strings.Cut(meta.Range, "/")
	minute, err := moment(end) // the coming full one
	if err != nil {
		return time.Time{}, fmt.Errorf("the answer has no range of time: %q", meta.Range)
	}
	return minute.Add(-time.Minute), nil
}

// moment reads a time as the API writes it.
func moment(s string) (time.Time, error) { return time.Parse(time.DateTime, s) }

// seconds are those of a time as the API writes it, since 1970.
func seconds(s string) (int64, error) {
	t, err := moment(s)
	return t.Unix(), err
}

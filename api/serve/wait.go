package serve

import (
	"context"
	"fmt"
	"time"

	"github.com/ovation-analytics/ovation/actors/domain"
)

// waitForPosition waits for the position that wait_for names.
func (x *exchange) waitForPosition() error {
	req, in := &x.req, x.common
	if !in.WaitFor.Given {
		return nil
	}
	req.Wait = in.WaitFor.Position
	if x.server.journal.isOther(req.Wait) {
		return errOtherJournal
	}
	ctx, cancel := context.WithTimeout(x.deadline.ctx(), time.Duration(in.TimeoutMs)*time.Millisecond)
	defer cancel()
	defer x.spans.admission.Start("wait").End()
	if err := req.Engine.Await(domain.ForAccount(ctx, req.Account()), req.Wait); err != nil {
		if x.deadline.request.Err() == nil {
			err = inTime(err, in.TimeoutMs)
		}
		return WaitFault(err)
	}
	req.Catalog = req.Engine.Catalog()
	req.Response.Position = req.Response.Position.Reach(req.Wait)
	return nil
}

// inTime is the error of a wait that had so long.
func inTime(err error, ms int64) error {
	if domain.CodeOf(Unavailable(err)) != domain.Unavailable {
		return err
	}
	message := fmt.Sprintf("what wait_for names was not applied within timeout_ms, %d: ask again, with a greater timeout_ms of at most 10000 perhaps", ms)
	return &domain.Error{Code: domain.Unavailable, Parameter: "wait_for", Message: message, Err: err}
}

// refresh waits, where the parameters ask for it, until everything is applied that was
// accepted before, as long as it would wait for a position. What is read then is no older.
func (x *exchange) refresh() error {
	req, in := &x.req, x.common
	if !x.asks("refresh") || !req.Params.On("refresh") {
		return nil
	}
	ctx, cancel := context.WithTimeout(x.deadline.ctx(), time.Duration(in.TimeoutMs)*time.Millisecond)
	defer cancel()
	defer x.spans.admission.Start("wait").End()
	at, err := req.Engine.AcceptedPosition(ctx)
	if err != nil {
		return err
	}
	if err := req.Engine.Await(ctx, at); err != nil {
		return err
	}
	req.Catalog = req.Engine.Catalog()
	req.Wait = req.Wait.Reach(at)
	req.RaisePosition(at)
	return nil
}

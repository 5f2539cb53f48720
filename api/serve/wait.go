package serve

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/ovation-analytics/ovation/actors/domain"
)

// await waits for the position that wait_for names.
func (x *exchange) await(in *common) error {
	req := &x.req
	req.Wait = in.WaitFor.Position
	if err := x.sameJournal(req.Wait); err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(x.deadline.ctx(), time.Duration(in.TimeoutMs)*time.Millisecond)
	defer cancel()
	if err := req.Engine.Await(domain.ForAccount(ctx, req.Account()), req.Wait); err != nil {
		if x.deadline.request.Err() == nil {
			err = inTime(err, in.TimeoutMs)
		}
		return WaitFault(err)
	}
	req.Catalog = req.Engine.Catalog()
	req.Position = req.Position.Reach(req.Wait)
	return nil
}

// sameJournal refuses a position of another journal. The journal is learned from
// the first position that the engine gives; until then the engine judges alone.
func (x *exchange) sameJournal(p domain.Position) error {
	if j := x.server.journal.Load(); j != nil && !p.Journal.IsZero() && p.Journal != *j {
		return domain.Bad(domain.InvalidParameter, "wait_for", "wait_for must be a token of this installation")
	}
	return nil
}

// WaitFault is the error of a wait: a position that cannot be waited for is the
// parameter's fault.
func WaitFault(err error) error {
	if e, ok := asError(err); ok && e.Code == domain.InvalidParameter {
		return domain.Bad(domain.InvalidParameter, "wait_for", "wait_for must be a token of this installation")
	}
	return err
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
func (x *exchange) refresh(in *common) error {
	req := &x.req
	if !req.Params.On("refresh") {
		return nil
	}
	ctx, cancel := context.WithTimeout(x.deadline.ctx(), time.Duration(in.TimeoutMs)*time.Millisecond)
	defer cancel()
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

// Unavailable gives the error of a deadline its code.
func Unavailable(err error) error {
	if errors.Is(err, context.DeadlineExceeded) || errors.Is(err, context.Canceled) {
		return &domain.Error{Code: domain.Unavailable, Message: domain.ErrUnavailable.Message, Err: err}
	}
	return err
}

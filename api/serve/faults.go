package serve

import (
	"context"
	"errors"

	"github.com/ovation-analytics/ovation/actors/domain"
)

// ErrShape is the error of an answer that is none to the question.
func ErrShape(op string) error {
	return &domain.Error{Code: domain.Internal, Op: op, Message: "the answer has another shape"}
}

// WaitFault is the error of a wait: a position that cannot be waited for is the
// parameter's fault.
func WaitFault(err error) error {
	if e, ok := asError(err); ok && e.Code == domain.InvalidParameter && !errors.Is(err, domain.ErrMembershipsGone) {
		return errOtherJournal
	}
	return err
}

var errOtherJournal = domain.Bad(domain.InvalidParameter, "wait_for", "wait_for must be a token of this installation")

// Unavailable gives the error of a deadline its code.
func Unavailable(err error) error {
	if errors.Is(err, context.DeadlineExceeded) || errors.Is(err, context.Canceled) {
		return &domain.Error{Code: domain.Unavailable, Message: domain.ErrUnavailable.Message, Err: err}
	}
	return err
}

// WithParameter has the error of a member that is not there be about the parameter that names it in
// this request.
func WithParameter(err error, parameter string) error {
	e, ok := asError(err)
	if !ok || e.Code != domain.NotFound && e.Code != domain.Gone || e.Parameter != "" && e.Parameter != "memberid" {
		return err
	}
	other := *e
	other.Parameter = parameter
	return &other
}

func asError(err error) (*domain.Error, bool) { return errors.AsType[*domain.Error](err) }

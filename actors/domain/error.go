package domain

import (
	"errors"
	"strconv"
)

// Code is the contract's error code. It decides status and slug of the answer.
type Code uint8

// The codes of the contract.
const (
	OK               Code = 0
	MissingKey       Code = 1
	InvalidKey       Code = 2
	MissingParameter Code = 3
	InvalidParameter Code = 4
	NotFound         Code = 5
	MethodNotAllowed Code = 6
	Conflict         Code = 7
	RateLimited      Code = 8
	PlanRequired     Code = 9
	Internal         Code = 10
	Unavailable      Code = 11
	PlanLimit        Code = 12
	NoAccount        Code = 13
	TooLarge         Code = 14
	WrongApplication Code = 15
	Gone             Code = 16
	UnsupportedMedia Code = 17
	WrongPassword    Code = 18
	Locked           Code = 19
)

// Error is a failure with a public face and a private cause. Message and
// Parameter may be shown to anyone; Err is for the log. Neither holds a secret
// or anything personal.
type Error struct {
	Code      Code
	Parameter string   // the parameter at fault, if one is
	Message   string   // public, a sentence
	Survivor  MemberID // of Gone: the member that the one named was merged into
	Op        string   // where, for the log
	Err       error    // why, for the log
}

// Error is Op, message and cause: for the log, not for an answer.
func (e *Error) Error() string {
	s := e.Message
	if s == "" {
		s = "code " + strconv.Itoa(int(e.Code))
	}
	if e.Op != "" {
		s = e.Op + ": " + s
	}
	if e.Err != nil {
		s += ": " + e.Err.Error()
	}
	return s
}

// Unwrap is the cause.
func (e *Error) Unwrap() error { return e.Err }

// Fail is an error with code and public message.
func Fail(code Code, message string) *Error { return &Error{Code: code, Message: message} }

// Bad is an error of one parameter.
func Bad(code Code, parameter, message string) *Error {
	return &Error{Code: code, Parameter: parameter, Message: message}
}

// CodeOf is the code of err: OK for nil, Internal for one without a code.
func CodeOf(err error) Code {
	if err == nil {
		return OK
	}
	var e *Error
	if errors.As(err, &e) {
		return e.Code
	}
	return Internal
}

// ErrUnavailable means "not now": the shard is not caught up, the broker is
// away, the queue is full.
var ErrUnavailable = &Error{Code: Unavailable, Message: "not available at the moment, try again"}

// ErrErased is the error of what names a member who is erased.
var ErrErased = Fail(Gone, "the member was erased")

// Merged is the error of what names a member that was merged into another.
func Merged(into MemberID) *Error {
	return &Error{Code: Gone, Message: "the member was merged into another", Survivor: into}
}

// KeyMisused is the error of a request whose id is known of another request.
var KeyMisused = Bad(Conflict, "Idempotency-Key", "the Idempotency-Key was used with another request")

// IsKeyMisused reports that an error is KeyMisused, also where it was made of an outcome.
func IsKeyMisused(err error) bool {
	var e *Error
	return errors.As(err, &e) && e.Code == KeyMisused.Code && e.Parameter == KeyMisused.Parameter
}

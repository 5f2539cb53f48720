package actors

import (
	"fmt"
	"runtime/debug"
)

// protoactor restarts a root actor that panics: a new instance, whose predecessor's
// fetcher, publishers and open store live on. So no Receive of a root actor lets a panic
// out. It recovers, and the actor stops for good in this process: status, metrics and the
// log say why. What it was about to do is in the log and is done by the next process.

// crashError is a panic of an actor, or of a goroutine that works for one.
type crashError struct {
	who   string // "the router"
	cause any
	stack string
}

// crashed makes an error of what recover gave.
func crashed(who string, cause any) *crashError {
	return &crashError{who, cause, string(debug.Stack())}
}

// Error names the defect. The stack is for the log.
func (e *crashError) Error() string {
	return fmt.Sprintf("%s panicked, which is a defect of this binary: %v", e.who, e.cause)
}

// guarded calls f; a panic is a *crashError.
func guarded(who string, f func() error) (err error) {
	defer func() {
		if r := recover(); r != nil {
			err = crashed(who, r)
		}
	}()
	return f()
}

package crash

import (
	"fmt"
	"runtime/debug"
)

// Error is a panic of an actor, or of a goroutine that works for one.
type Error struct {
	name  string // "the router"
	Cause any
	Stack string
}

// Of is the error of what recover gave.
func Of(name string, cause any) *Error {
	return &Error{name, cause, string(debug.Stack())}
}

// Error names the defect. The stack is for the log.
func (e *Error) Error() string {
	return fmt.Sprintf("%s panicked, which is a defect of this binary: %v", e.name, e.Cause)
}

// Guard calls f; a panic is an *Error.
func Guard(name string, f func() error) (err error) {
	defer func() {
		if r := recover(); r != nil {
			err = Of(name, r)
		}
	}()
	return f()
}

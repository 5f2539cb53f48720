package wire

import (
	"errors"
	"net"
	"sync"
	"time"
)

// end is one end of a pipe within the process. Deadlines are set several times with each
// request and hardly ever pass: an end has one timer, where the pipe itself would make one
// each time. It is set for the earliest deadline since it went off last, and looks then
// what holds by now.
type end struct {
	net.Conn
	mu    sync.Mutex
	until time.Time // zero: no deadline
	set   time.Time // when the timer goes off; zero: not at all
	timer *time.Timer
	late  bool // the pipe's own deadline has passed
}

func pipe() (a, b *end) {
	x, y := net.Pipe()
	return &end{Conn: x}, &end{Conn: y}
}

// SetDeadline ends reads and writes, under way and later ones, when t has passed; zero
// means never.
func (e *end) SetDeadline(t time.Time) error {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.late {
		if err := e.Conn.SetDeadline(time.Time{}); err != nil {
			return err
		}
		e.late = false
	}
	if e.until = t; !t.IsZero() && (e.set.IsZero() || t.Before(e.set)) {
		e.arm(t)
	}
	return nil
}

// SetReadDeadline is not served.
func (e *end) SetReadDeadline(time.Time) error { return errors.ErrUnsupported }

// SetWriteDeadline is not served.
func (e *end) SetWriteDeadline(time.Time) error { return errors.ErrUnsupported }

// Close ends reads and writes on both ends.
func (e *end) Close() error {
	e.mu.Lock()
	if e.timer != nil {
		e.timer.Stop()
	}
	e.mu.Unlock()
	return e.Conn.Close()
}

// arm sets the timer; mu is held.
func (e *end) arm(t time.Time) {
	e.set = t
	if e.timer == nil {
		e.timer = time.AfterFunc(time.Until(t), e.due)
	} else {
		e.timer.Reset(time.Until(t))
	}
}

// due is called when the timer goes off.
func (e *end) due() {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.set = time.Time{}
	switch now := time.Now(); {
	case e.until.IsZero():
	case now.Before(e.until):
		e.arm(e.until)
	default:
		e.late = true
		_ = e.Conn.SetDeadline(now) // an error of a closed pipe harms no reader
	}
}

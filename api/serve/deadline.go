package serve

import (
	"context"
	"time"
)

// timeLimit bounds the time that the engine may take for one request, what wait_for waits for
// included.
const timeLimit = 20 * time.Second

// deadline is the request's context with the time limit. Its timer starts at the first wait:
// most polls wait for nothing.
type deadline struct {
	request context.Context
	limited context.Context // nil: no wait yet
	end     func()
}

func (d *deadline) ctx() context.Context {
	if d.limited == nil {
		d.limited, d.end = context.WithTimeout(d.request, timeLimit)
	}
	return d.limited
}

func (d *deadline) close() {
	if d.end != nil {
		d.end()
	}
}

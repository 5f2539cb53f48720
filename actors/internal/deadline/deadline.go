package deadline

import (
	"context"
	"time"
)

// Usual is how long a request without a deadline may take.
const Usual = 10 * time.Second

// Left is the time until the deadline of ctx, at least 1 ms: Usual where it has none.
func Left(ctx context.Context) time.Duration {
	if d, ok := ctx.Deadline(); ok {
		return max(time.Millisecond, time.Until(d))
	}
	return Usual
}

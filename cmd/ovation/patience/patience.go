package patience

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"time"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/api/client"
	"github.com/ovation-analytics/ovation/ingest/kafka"
)

// ErrAway says that the API is out of reach.
var ErrAway = errors.New("the API does not answer")

// Ask asks until there is an answer, for so long at most: then the error is ErrAway.
func Ask(ctx context.Context, atMost time.Duration, ask func() error) error {
	short, cancel := context.WithTimeout(ctx, atMost)
	defer cancel()
	var backoff kafka.Backoff
	for {
		err := ask()
		if err == nil || !Passes(err) {
			return err
		}
		if backoff.Wait(short) != nil {
			return fmt.Errorf("%w: %w", ErrAway, errors.Join(ctx.Err(), err))
		}
	}
}

// Passes reports that asking again may help.
func Passes(err error) bool {
	e, answered := errors.AsType[*client.Error](err)
	if !answered {
		return errors.As(err, new(net.Error)) || errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF)
	}
	return e.Code == domain.Unavailable || e.Code == domain.RateLimited || e.Code == 0 && e.Status >= http.StatusInternalServerError
}

package patience

import (
	"errors"
	"io"
	"testing"
	"time"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/api/client"
)

// What passes is asked again until there is an answer; another error is one.
func TestAsk_UntilThereIsAnAnswer(t *testing.T) {
	refused := &client.Error{Status: 404, Code: domain.NotFound}
	for _, c := range []struct {
		said []error
		want error
	}{
		{[]error{nil}, nil},
		{[]error{io.EOF, &client.Error{Status: 503, Code: domain.Unavailable}, &client.Error{Status: 429, Code: domain.RateLimited}, nil}, nil},
		{[]error{&client.Error{Status: 502}, io.ErrUnexpectedEOF, refused}, refused},
		{[]error{&client.Error{Status: 500, Code: domain.Internal}}, &client.Error{Status: 500, Code: domain.Internal}},
	} {
		asked := 0
		err := Ask(t.Context(), time.Minute, func() error {
			asked++
			return c.said[asked-1]
		})
		if asked != len(c.said) || (err == nil) != (c.want == nil) || errors.Is(err, ErrAway) {
			t.Errorf("%v: asked %d times: %v", c.said, asked, err)
		}
	}
}

// An API that does not answer for so long is away; the last cause is told.
func TestAsk_Away(t *testing.T) {
	if err := Ask(t.Context(), time.Nanosecond, func() error { return io.EOF }); !errors.Is(err, ErrAway) || !errors.Is(err, io.EOF) {
		t.Error(err)
	}
}

package serve

import (
	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/api/wire"
)

// Response is what an answer carries beside its body.
type Response struct {
	Status   int
	Position domain.Position
	LagMs    int64  // -1: the lag of now
	Span     string // X-Range
	Warnings []string
	Replayed bool
	Retry    uint32       // seconds until a retry may succeed; 0: no header
	last     func() error // makes what the ETag leaves out; nil: nothing
}

// Warn adds a Warning to the answer.
func (r *Response) Warn(text string) { r.Warnings = append(r.Warnings, text) }

// AtLast has f make something of the answer that the ETag leaves out.
func (r *Response) AtLast(f func() error) {
	before := r.last
	r.last = func() error {
		if before != nil {
			if err := before(); err != nil {
				return err
			}
		}
		return f()
	}
}

// MaxWarnings is how many warnings an answer has, those of records, which differ, among them.
const MaxWarnings = 20

// Media is an answer that is no JSON.
type Media interface {
	MediaType() string // of every value, a nil one too
	Encode() ([]byte, error)
}

// encode gives the bytes of an answer and their media type.
func encode(body any) (b []byte, kind string, err error) {
	if m, ok := body.(Media); ok {
		kind = m.MediaType()
		b, err = m.Encode()
	} else {
		kind = wire.ContentType
		b, err = wire.Encode(body)
	}
	if err != nil {
		return nil, "", &domain.Error{Code: domain.Internal, Op: "encode", Err: err}
	}
	return b, kind, nil
}

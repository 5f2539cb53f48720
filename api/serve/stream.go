package serve

import (
	"context"
)

// Stream is an answer that is made while it is sent, a part at a time. It has no ETag and no
// length. An error of the first part is the answer; one after it cuts the connection, so that no
// client takes what it has for the whole.
type Stream interface {
	// MediaType is that of every value, of a nil one too.
	MediaType() string
	// Next appends the next part to dst. io.EOF comes with the last one. ctx is of this part.
	Next(ctx context.Context, dst []byte) ([]byte, error)
}

// StreamRows is how many rows a Stream may hold at once.
const StreamRows = 500

package recordbatch_test

import (
	"fmt"

	"github.com/ovation-analytics/ovation/ingest/recordbatch"
	"github.com/ovation-analytics/ovation/ingest/recordbatch/batchtest"
)

// The records of a batch, with their offsets.
func Example() {
	b := batchtest.Batch(1_700_000_000_000, []byte("a"), []byte("b"))
	recordbatch.Place(b, 41, 7) // as the log does
	h := recordbatch.Parse(b)
	records, err := recordbatch.Decompress(h.Attributes.Codec(), b[recordbatch.HeaderSize:], nil)
	for range h.Count {
		var r recordbatch.Record
		if r, records, err = recordbatch.Next(records, true); err != nil {
			break
		}
		fmt.Printf("%d %s\n", h.Base+r.OffsetDelta, r.Value)
	}
	fmt.Println("epoch", h.Epoch, err)
	// Output:
	// 41 a
	// 42 b
	// epoch 7 <nil>
}

package kafka

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/ovation-analytics/ovation/ingest/recordbatch"
)

// Page is what one fetch gives. It belongs to the caller.
type Page struct {
	Records []Record // in order of offset, none below the offset asked for

	// Next is the offset to fetch next: past the records and whatever was not to be
	// shown. Epoch is the leader epoch of the batch before it, to be kept with it; the
	// one asked with when there was no batch.
	Next  int64
	Epoch int32

	Start  int64 // the log's first offset
	Stable int64 // its end, but for transactions still open: what can be read
	High   int64 // its end

	maxInflated int    // bytes that may be uncompressed, but for the batch that goes beyond; 0: maxPageInflated
	Bytes       int    // of record batches, as they came
	Arena       []byte // of uncompressed records, all of them, or as many as it had room for
}

// A page stops after the batch with which it has grown beyond these, where the fetcher has
// no less.
const (
	maxPageInflated = 32 << 20
	maxPageRecords  = 1 << 18
)

// decoder makes a page of what a broker sent: bytes to be doubted.
type decoder struct {
	page        *Page
	from        int64             // the offset asked for
	aborted     map[int64][]int64 // producer → first offsets of its aborted transactions, ascending
	arena       []byte            // room for uncompressed records; its length is 0
	inflated    int               // bytes uncompressed so far
	packed      int               // from how many
	maxInflated int               // bytes to uncompress, but for the batch that goes beyond
	full        bool              // the page holds all it may
	below       bool              // a batch lay below the offset wanted
	written     history           // says in which epoch an offset was written
	shared      bool              // records refer to what the broker sent
}

// head is a batch's header, and its records as they came.
type head struct {
	recordbatch.Header
	body []byte
}

func parseHead(b []byte) head { return head{recordbatch.Parse(b), b[recordbatch.HeaderSize:]} }

// newDecoder fills page from the offset page.Next on. Ratio is how much batches
// like these have grown when uncompressed, a guess. Records are in page.Arena if it is
// of the right size. written is asked where the epoch changes.
func newDecoder(
	page *Page, aborted []kmsg.FetchResponseTopicPartitionAbortedTransaction, batches []byte, ratio float64,
	written history,
) *decoder {
	d := &decoder{
		page: page, from: page.Next, arena: page.Arena[:0], maxInflated: cmp.Or(page.maxInflated, maxPageInflated), written: written,
	}
	if len(aborted) > 0 {
		d.aborted = make(map[int64][]int64)
		for _, a := range aborted {
			d.aborted[a.ProducerID] = append(d.aborted[a.ProducerID], a.FirstOffset)
		}
		for _, first := range d.aborted {
			slices.Sort(first)
		}
	}
	d.reserve(batches, ratio)
	return d
}

// reserve makes room by what the headers say, as far as it can be true.
func (d *decoder) reserve(b []byte, ratio float64) {
	records, packed, plain := 0, 0, 0
	for len(b) >= recordbatch.HeaderSize {
		size := recordbatch.Size(b)
		if size < recordbatch.HeaderSize || size > int64(len(b)) {
			break
		}
		h := parseHead(b[:size])
		if h.Attributes.Codec() != None {
			packed += len(h.body)
		} else {
			plain += len(h.body)
		}
		records += int(max(h.Count, 0))
		b = b[size:]
	}
	inflated := int(min(float64(packed)*ratio, float64(d.maxInflated)))
	if n := min(records, (plain+inflated)/recordbatch.MinRecord, maxPageRecords); n > cap(d.page.Records) {
		d.page.Records = make([]Record, 0, n)
	}
	if inflated > cap(d.arena) || 32*inflated < cap(d.arena) {
		d.arena = nil
	}
	if d.arena == nil && inflated > 0 {
		d.arena = make([]byte, 0, inflated+inflated/4) // the next page may be a little larger
	}
	d.page.Arena = d.arena
}

// decode reads all batches. An error is a *domain.CorruptError or one of the history's,
// and only where there is nothing good before it.
func (d *decoder) decode(b []byte) error {
	whole := false // at least one batch was
	for len(b) > recordbatch.AtFormat && !d.full {
		size := recordbatch.Size(b)
		if size > int64(len(b)) {
			break // the broker cuts the last one
		}
		if b[recordbatch.AtFormat] != recordbatch.Format || size < recordbatch.HeaderSize {
			return d.corrupt(0, fmt.Sprintf("message format %d in %d bytes", b[recordbatch.AtFormat], size))
		}
		if err := d.batch(b[:size], b[size:]); err != nil {
			return err
		}
		whole = true
		b = b[size:]
	}
	switch {
	case d.page.Next > d.from || d.full:
		return nil
	case whole:
		return d.corrupt(0, "the broker gives only what is below the offset")
	case len(b) > 0:
		return d.corrupt(0, "the broker gives an incomplete batch")
	}
	return nil
}

// batch reads one batch; rest is what follows it.
func (d *decoder) batch(b, rest []byte) error {
	h := parseHead(b)
	if !recordbatch.Sound(b) {
		return d.corrupt(d.after(&h, rest), "checksum does not match")
	}
	if h.Base < 0 || h.Last() < h.Base || h.Last() == math.MaxInt64 || h.Count < 0 {
		return d.corrupt(d.after(&h, rest), "header makes no sense")
	}
	if h.Last() < d.page.Next {
		d.below = true
		return nil
	}
	if d.below && h.Base > d.page.Next {
		return d.corrupt(h.Base, "the broker gives a batch below the offset and none at it")
	}
	if d.misplaced(&h, rest) {
		return d.corrupt(d.after(&h, rest), "its offsets are those of other batches")
	}
	d.below = false
	if err := d.dated(&h); err != nil {
		return d.stop(err)
	}
	switch {
	case h.Attributes&recordbatch.Control != 0:
		d.marker(&h)
	case h.Attributes&recordbatch.Transactional != 0 && d.isAborted(&h):
	default:
		if len(d.page.Records) >= maxPageRecords || d.inflated >= d.maxInflated {
			d.full = true
			return nil
		}
		next, err := d.records(&h)
		if err != nil {
			return d.corrupt(h.Last()+1, err.Error())
		}
		d.page.Next, d.page.Epoch = next, h.Epoch
		return nil
	}
	d.page.Next, d.page.Epoch = h.Last()+1, h.Epoch
	return nil
}

// isAborted reports that the batch belongs to an aborted transaction: one of its
// producer's has begun and its marker has not come yet.
func (d *decoder) isAborted(h *head) bool {
	first := d.aborted[h.Producer]
	return len(first) > 0 && first[0] <= h.Base
}

// marker looks at a control batch: an abort ends the producer's transaction.
func (d *decoder) marker(h *head) {
	if h.Count < 1 || !d.isAborted(h) {
		return
	}
	r, _, err := recordbatch.Next(h.body, false)
	// The key: version, type; 0 is abort.
	if key := r.Key; err == nil && len(key) >= 4 && key[2] == 0 && key[3] == 0 {
		d.aborted[h.Producer] = d.aborted[h.Producer][1:]
	}
}

var (
	errOffset = errors.New("offset of a record")
	errBehind = errors.New("bytes behind the last record")
)

// records appends what the batch holds at and above page.Next and gives the
// offset to continue from. It reads the batch to its end even when the page is full,
// so that a batch is shown as a whole or found corrupt. An error leaves the page as
// it was.
func (d *decoder) records(h *head) (next int64, err error) {
	body := h.body
	if codec := h.Attributes.Codec(); codec != None && h.Count > 0 {
		if body, err = recordbatch.Decompress(codec, body, d.arena); err != nil {
			return 0, fmt.Errorf("%s: %w", codec, err)
		}
		d.packed += len(h.body)
		d.inflated += len(body)
		d.arena = body[len(body):]
	} else {
		d.shared = true
	}
	records, previous := d.page.Records, h.Base-1
	next = h.Last() + 1
	for range h.Count {
		in, rest, err := recordbatch.Next(body, false)
		if err != nil {
			return 0, err
		}
		body = rest
		r := h.record(&in)
		if r.Offset <= previous || r.Offset > h.Last() {
			return 0, errOffset
		}
		previous = r.Offset
		switch {
		case r.Offset < d.page.Next:
		case len(records) < maxPageRecords:
			records = append(records, r)
		case !d.full:
			d.full, next = true, r.Offset
		}
	}
	if len(body) > 0 {
		return 0, errBehind
	}
	d.page.Records = records
	return next, nil
}

// record is a record of the batch with its offset and time.
func (h *head) record(in *recordbatch.Record) Record {
	r := Record{
		Offset: h.Base + in.OffsetDelta, TimeMs: h.FirstTime + in.TimeDelta, Key: in.Key, Value: in.Value,
		LeaderEpoch: h.Epoch, count: in.Headers.Count, headers: in.Headers.Bytes,
	}
	if h.Attributes&recordbatch.LogAppendTime != 0 {
		r.TimeMs = h.MaxTime
	}
	return r
}

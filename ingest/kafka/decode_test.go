package kafka

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/ingest/recordbatch"
	"github.com/ovation-analytics/ovation/ingest/recordbatch/batchtest"
	"github.com/ovation-analytics/ovation/ingest/walk/walktest"
)

var be = binary.BigEndian

// placed is a batch as the log has it: at base, in epoch, with a right checksum.
func placed(b []byte, base int64, epoch int32) []byte {
	b = slices.Clone(b)
	recordbatch.Place(b, base, epoch)
	return signed(b)
}

func signed(b []byte) []byte {
	recordbatch.Seal(b)
	return b
}

// packed is an uncompressed batch in another codec.
func packed(codec Codec, batch []byte) []byte {
	b := append(slices.Clone(batch[:recordbatch.HeaderSize]), batchtest.Compress(codec, batch[recordbatch.HeaderSize:])...)
	h := recordbatch.Parse(b)
	h.Attributes = recordbatch.Attributes(codec)
	h.Put(b)
	return b
}

func encoded(t testing.TB, codec Codec, m []Message) []byte {
	t.Helper()
	var e encoder
	b, err := e.encode(stamp{-1, -1, -1}, codec, m, 1)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// asClaimed is the history of a log whose heads are right.
func asClaimed(_ int64, known, claimed int32) (int32, error) { return max(known, claimed), nil }

func TestDecode_LogAppendTimeIsTheTimeOfEveryRecord(t *testing.T) {
	const at = 1_800_000_000_000
	plain := encoded(t, LZ4, []Message{{TimeMs: at}, {TimeMs: at + 1000}})
	stamped := slices.Clone(plain)
	be.PutUint16(stamped[recordbatch.AtAttributes:], be.Uint16(stamped[recordbatch.AtAttributes:])|uint16(recordbatch.LogAppendTime))
	be.PutUint64(stamped[recordbatch.AtMaxTime:], at+5000)
	for _, c := range []struct {
		batch []byte
		want  [2]int64
	}{{placed(plain, 0, 7), [2]int64{at, at + 1000}}, {placed(stamped, 0, 7), [2]int64{at + 5000, at + 5000}}} {
		page, err := read(c.batch, 0)
		if err != nil {
			t.Fatal(err)
		}
		if got := [2]int64{page.Records[0].TimeMs, page.Records[1].TimeMs}; got != c.want {
			t.Errorf("got %d, want %d", got, c.want)
		}
		if page.Epoch != 7 || page.Records[1].LeaderEpoch != 7 {
			t.Errorf("epochs %d, %d", page.Epoch, page.Records[1].LeaderEpoch)
		}
	}
}

func TestDecode_SkipsHolesOfCompaction(t *testing.T) {
	// Offsets 10 to 13 of which 11 and 13 are gone, a batch emptied at 14 to 20, then 30.
	whole := encoded(t, None, messages("a", "b", "c", "d"))
	var body []byte
	rest := whole[recordbatch.HeaderSize:]
	for i := range 4 {
		l, k := binary.Varint(rest)
		record := rest[:k+int(l)]
		rest = rest[len(record):]
		if i%2 == 0 {
			body = append(body, record...)
		}
	}
	holed := append(slices.Clone(whole[:recordbatch.HeaderSize]), body...)
	be.PutUint32(holed[recordbatch.AtLength:], uint32(len(holed)-recordbatch.AtEpoch))
	be.PutUint32(holed[recordbatch.AtCount:], 2)
	emptied := slices.Clone(whole[:recordbatch.HeaderSize])
	be.PutUint32(emptied[recordbatch.AtLength:], recordbatch.HeaderSize-recordbatch.AtEpoch)
	be.PutUint32(emptied[recordbatch.AtLastDelta:], 6)
	be.PutUint32(emptied[recordbatch.AtCount:], 0)
	log := slices.Concat(placed(holed, 10, 1), placed(emptied, 14, 2), placed(whole, 30, 3))
	for from, want := range map[int64]string{
		8: "[10a 12c 30a 31b 32c 33d]", 10: "[10a 12c 30a 31b 32c 33d]", 11: "[12c 30a 31b 32c 33d]",
		13: "[30a 31b 32c 33d]", 17: "[30a 31b 32c 33d]", 32: "[32c 33d]",
	} {
		page, err := read(log, from)
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, r := range page.Records {
			got = append(got, fmt.Sprint(r.Offset, string(r.Value)))
		}
		if fmt.Sprint(got) != want || page.Next != 34 || page.Epoch != 3 {
			t.Errorf("from %d: %v, next %d, epoch %d", from, got, page.Next, page.Epoch)
		}
	}
	page, err := read(placed(emptied, 14, 2), 14)
	if err != nil || page.Next != 21 || page.Epoch != 2 || len(page.Records) != 0 {
		t.Errorf("an empty batch: %+v %v", page, err)
	}
}

func TestRecord_HeaderIsTheLastOfItsName(t *testing.T) {
	page, err := read(encoded(t, None, []Message{{Headers: []Header{{"a", []byte("1")}, {"b", nil}, {"a", []byte("2")}}}}), 0)
	if err != nil {
		t.Fatal(err)
	}
	r := &page.Records[0]
	if v, ok := r.Header("a"); string(v) != "2" || !ok {
		t.Errorf("a: %q %v", v, ok)
	}
	if v, ok := r.Header("b"); v != nil || !ok {
		t.Errorf("b: %q %v", v, ok)
	}
	if _, ok := r.Header("c"); ok {
		t.Error("c is there")
	}
	n := 0
	for range r.Headers() {
		n++
		break
	}
	if n != 1 {
		t.Error("stopping early")
	}
}

// A batch with a right checksum and damaged records is an error that names it, never a
// panic, and what comes before it is given first.
func TestDecode_DamagedBatchStopsThePage(t *testing.T) {
	seed := rand.Uint64()
	t.Log("seed", seed)
	r := rand.New(rand.NewPCG(seed, 0))
	good := placed(encoded(t, None, messages("good")), 0, 1)
	m := []Message{{Key: []byte("key"), Value: []byte("value"), Headers: []Header{{"h", []byte("v")}}}, {Value: []byte("second")}}
	samples := map[Codec][]byte{}
	for _, codec := range []Codec{None, Gzip, Snappy, LZ4, Zstd} {
		samples[codec] = packed(codec, encoded(t, None, m))
	}
	refused := 0
	for i := range 8_000 {
		codec := []Codec{None, None, Gzip, Snappy, LZ4, Zstd}[r.IntN(6)]
		b := slices.Clone(samples[codec])
		for range 1 + r.IntN(3) {
			b[recordbatch.HeaderSize+r.IntN(len(b)-recordbatch.HeaderSize)] = byte(r.IntN(256))
		}
		if i%3 == 0 {
			b = b[:recordbatch.HeaderSize+r.IntN(len(b)-recordbatch.HeaderSize)]
			be.PutUint32(b[recordbatch.AtLength:], uint32(len(b)-recordbatch.AtEpoch))
		}
		b = placed(b, 1, 2)
		page, err := read(b, 1)
		for j := range page.Records {
			for range page.Records[j].Headers() {
			}
		}
		if err == nil {
			continue
		}
		refused++
		var c *domain.CorruptError
		if !errors.As(err, &c) || c.Base != 1 || c.Next != 3 || c.Epoch != NoEpoch || len(page.Records) != 0 || page.Next != 1 {
			t.Fatalf("%v, %+v", err, page)
		}
		if page, err = read(slices.Concat(good, b), 0); err != nil || len(page.Records) != 1 || page.Next != 1 || page.Epoch != 1 {
			t.Fatalf("behind a good batch: %v, %+v", err, page)
		}
	}
	t.Log(refused, "of 8000 refused")
	if refused < 4_000 {
		t.Error("most damage went unseen")
	}
}

// What cannot be trusted in a damaged header is not followed past the next batch or
// the log's end, and always leads on.
func TestDecode_DamagedHeaderLeadsToTheNextBatch(t *testing.T) {
	one := placed(encoded(t, None, messages("a", "b", "c")), 10, 1)
	two := placed(encoded(t, None, messages("d")), 13, 1)
	damaged := func(change func(b []byte)) []byte {
		b := slices.Clone(one)
		change(b)
		return b
	}
	for name, c := range map[string]struct {
		bytes      []byte
		base, next int64
	}{
		"records, checksum wrong":        {damaged(func(b []byte) { b[70] ^= 1 }), 10, 13},
		"last offset far away":           {damaged(func(b []byte) { be.PutUint32(b[recordbatch.AtLastDelta:], 1<<30) }), 10, 13},
		"last offset before the first":   {damaged(func(b []byte) { be.PutUint32(b[recordbatch.AtLastDelta:], math.MaxUint32) }), 10, 13},
		"the same, signed":               {signed(damaged(func(b []byte) { be.PutUint32(b[recordbatch.AtLastDelta:], math.MaxUint32-5) })), 10, 13},
		"count below zero":               {signed(damaged(func(b []byte) { be.PutUint32(b[recordbatch.AtCount:], math.MaxUint32) })), 10, 13},
		"count too large":                {signed(damaged(func(b []byte) { be.PutUint32(b[recordbatch.AtCount:], 1<<30) })), 10, 13},
		"count too small":                {signed(damaged(func(b []byte) { be.PutUint32(b[recordbatch.AtCount:], 2) })), 10, 13},
		"an older format":                {damaged(func(b []byte) { b[recordbatch.AtFormat] = 1 }), 10, 11},
		"length of no header":            {damaged(func(b []byte) { be.PutUint32(b[recordbatch.AtLength:], 20) }), 10, 11},
		"length below zero":              {damaged(func(b []byte) { be.PutUint32(b[recordbatch.AtLength:], math.MaxUint32) }), 10, 11},
		"length beyond what there is":    {damaged(func(b []byte) { be.PutUint32(b[recordbatch.AtLength:], 1<<30) }), 10, 11},
		"base below zero":                {damaged(func(b []byte) { be.PutUint64(b, math.MaxUint64) }), 10, 13},
		"base below the offset asked":    {damaged(func(b []byte) { be.PutUint64(b, 3) }), 10, 13},
		"an unknown codec":               {signed(damaged(func(b []byte) { b[recordbatch.AtAttributes+1] = 6 })), 10, 13},
		"offsets that do not go up":      {placed(repeatedOffset(t), 10, 1), 10, 13},
		"base at the end of all numbers": {placed(one, math.MaxInt64-1, 1), 10, 13},
	} {
		page := &Page{Next: 10, High: 14}
		b := append(slices.Clone(c.bytes), two...)
		err := newDecoder(page, nil, b, 4, asClaimed).decode(b)
		var corrupt *domain.CorruptError
		switch {
		case !errors.As(err, &corrupt):
			t.Errorf("%s: %v, %+v", name, err, page)
		case corrupt.Base != c.base || corrupt.Next != c.next:
			t.Errorf("%s: [%d,%d) %s", name, corrupt.Base, corrupt.Next, corrupt.Detail)
		}
	}
	if page, err := read(slices.Concat(placed(one, 7, 1), one), 10); err != nil || len(page.Records) != 3 {
		t.Errorf("a batch below the offset before the one at it: %v, %+v", err, page)
	}
	page := &Page{Next: 20, High: 30}
	var corrupt *domain.CorruptError
	if err := newDecoder(page, nil, one, 4, asClaimed).decode(one); !errors.As(err, &corrupt) || corrupt.Next != 21 {
		t.Errorf("only batches below the offset: %v", err)
	}
}

// repeatedOffset is a batch whose second record has the first one's offset.
func repeatedOffset(t *testing.T) []byte {
	b := slices.Clone(encoded(t, None, messages("a", "b", "c")))
	l, k := binary.Varint(b[recordbatch.HeaderSize:])
	second := recordbatch.HeaderSize + k + int(l)
	b[second+1+1+1] = 0 // its length, attributes, timestamp
	return b
}

func TestDecode_PageIsBounded(t *testing.T) {
	// Each batch is 8 MiB of one record's zeros in a few KiB.
	big := encoded(t, Zstd, []Message{{Value: make([]byte, 8<<20)}})
	var log []byte
	for i := range 10 {
		log = append(log, placed(big, int64(i), 1)...)
	}
	page, err := read(log, 0)
	if err != nil || page.Next != 4 {
		t.Fatalf("next %d, %v", page.Next, err)
	}
	huge := encoded(t, Zstd, []Message{{Value: make([]byte, recordbatch.MaxDecompressed)}})
	var c *domain.CorruptError
	if _, err := read(huge, 0); !errors.As(err, &c) || c.Next != 1 {
		t.Fatalf("a batch beyond the limit: %v", err)
	}
	// One batch of more records than a page takes is cut and read on from there.
	small := placed(encoded(t, LZ4, make([]Message, maxPageRecords+1000)), 100, 5)
	page, err = read(small, 100)
	if err != nil || len(page.Records) != maxPageRecords || page.Next != 100+maxPageRecords || page.Epoch != 5 {
		t.Fatalf("%d records, next %d, epoch %d, %v", len(page.Records), page.Next, page.Epoch, err)
	}
	page, err = read(small, page.Next)
	if err != nil || len(page.Records) != 1000 || page.Next != 100+maxPageRecords+1000 {
		t.Fatalf("%d records, next %d, %v", len(page.Records), page.Next, err)
	}
}

// inTransaction makes a batch or a marker of a producer's transaction.
func inTransaction(b []byte, producer int64, base int64, attributes recordbatch.Attributes) []byte {
	b = slices.Clone(b)
	be.PutUint64(b[recordbatch.AtProducer:], uint64(producer))
	be.PutUint16(b[recordbatch.AtAttributes:], be.Uint16(b[recordbatch.AtAttributes:])|uint16(attributes))
	return placed(b, base, 0)
}

func TestDecode_HidesAbortedTransactions(t *testing.T) {
	data := encoded(t, None, messages("x", "y"))
	abort := encoded(t, None, []Message{{Key: []byte{0, 0, 0, 0}, Value: make([]byte, 6)}})
	commit := encoded(t, None, []Message{{Key: []byte{0, 0, 0, 1}, Value: make([]byte, 6)}})
	log := slices.Concat(
		inTransaction(data, 1, 0, recordbatch.Transactional), // aborted by 4
		inTransaction(data, 2, 2, recordbatch.Transactional), // committed
		inTransaction(abort, 1, 4, recordbatch.Transactional|recordbatch.Control),
		inTransaction(data, 1, 5, recordbatch.Transactional), // committed
		inTransaction(commit, 2, 7, recordbatch.Transactional|recordbatch.Control),
		inTransaction(commit, 1, 8, recordbatch.Transactional|recordbatch.Control),
		inTransaction(data, 1, 9, recordbatch.Transactional), // aborted by 12
		placed(encoded(t, None, messages("z")), 11, 0),
		inTransaction(abort, 1, 12, recordbatch.Transactional|recordbatch.Control),
	)
	page := &Page{High: 13}
	aborted := []kmsg.FetchResponseTopicPartitionAbortedTransaction{{ProducerID: 1, FirstOffset: 9}, {ProducerID: 1, FirstOffset: 0}}
	if err := newDecoder(page, aborted, log, 4, asClaimed).decode(log); err != nil {
		t.Fatal(err)
	}
	var got []int64
	for _, r := range page.Records {
		got = append(got, r.Offset)
	}
	if want := []int64{2, 3, 5, 6, 11}; !slices.Equal(got, want) || page.Next != 13 {
		t.Errorf("got %v, next %d", got, page.Next)
	}
}

func FuzzDecode_AnyBytes(f *testing.F) {
	for _, codec := range []Codec{None, Gzip, Snappy, LZ4, Zstd} {
		b := packed(codec, encoded(f, None, []Message{{Key: []byte("k"), Value: []byte("v"), Headers: []Header{{"h", nil}}}, {}}))
		f.Add(slices.Concat(placed(b, 0, 1), placed(b, 5, 2)), int64(0), true)
		f.Add(inTransaction(b, 1, 7, recordbatch.Transactional|recordbatch.Control), int64(7), true)
		f.Add(b[:len(b)-3], int64(1), false)
	}
	f.Fuzz(func(t *testing.T, b []byte, next int64, sign bool) {
		if next < 0 {
			return
		}
		for rest := b; sign && len(rest) >= recordbatch.HeaderSize; { // else the checksum hides everything after it
			size := recordbatch.Size(rest)
			if size < recordbatch.HeaderSize || size > int64(len(rest)) {
				break
			}
			signed(rest[:size])
			rest = rest[size:]
		}
		page := &Page{Next: next, High: math.MaxInt64}
		aborted := []kmsg.FetchResponseTopicPartitionAbortedTransaction{{ProducerID: 1, FirstOffset: next}}
		d := newDecoder(page, aborted, b, 4, asClaimed)
		err := d.decode(b)
		var c *domain.CorruptError
		if err != nil && (!errors.As(err, &c) || c.Next <= next || c.Base >= c.Next) {
			t.Fatalf("%v", err)
		}
		if d.inflated == 0 && d.arena == nil { // else a few bytes may be 64 MiB
			walktest.Allocates(t, 16<<10+40*len(b), func() { _ = newDecoder(&Page{Next: next, High: math.MaxInt64}, aborted, b, 4, asClaimed).decode(b) })
		}
		last := next - 1
		for i := range page.Records {
			r := &page.Records[i]
			if r.Offset <= last || r.Offset >= page.Next {
				t.Fatalf("offset %d behind %d, next %d", r.Offset, last, page.Next)
			}
			last = r.Offset
			n := 0
			for range r.Headers() {
				n++
			}
			if n != int(r.count) {
				t.Fatalf("%d headers of %d", n, r.count)
			}
		}
		if len(page.Records) > maxPageRecords {
			t.Fatal("too many records")
		}
	})
}

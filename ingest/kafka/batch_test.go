package kafka

import (
	"bytes"
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/ovation-analytics/ovation/ingest/recordbatch"
)

// randomMessages makes n messages with all that a message can have.
func randomMessages(r *rand.Rand, n int) []Message {
	bytesOf := func(maxLen int) []byte {
		switch r.IntN(4) {
		case 0:
			return nil
		case 1:
			return []byte{}
		}
		b := make([]byte, r.IntN(maxLen)+1)
		for i := range b {
			b[i] = "abcdefgh"[r.IntN(8)]
		}
		return b
	}
	m := make([]Message, n)
	for i := range m {
		m[i] = Message{Key: bytesOf(30), Value: bytesOf(400), TimeMs: 1_700_000_000_000 + r.Int64N(1_000_000) - 500_000}
		for range r.IntN(4) {
			m[i].Headers = append(m[i].Headers, Header{Key: string(bytesOf(20)), Value: bytesOf(40)})
		}
	}
	return m
}

// read decodes what a broker would give from offset next on.
func read(b []byte, next int64) (*Page, error) {
	page := &Page{Next: next, Epoch: NoEpoch, High: math.MaxInt64}
	return page, newDecoder(page, nil, b, 4, asClaimed).decode(b)
}

// asMessages is the inverse of encoding.
func asMessages(records []Record) []Message {
	m := make([]Message, len(records))
	for i := range records {
		r := &records[i]
		m[i] = Message{Key: r.Key, Value: r.Value, TimeMs: r.TimeMs}
		for k, v := range r.Headers() {
			m[i].Headers = append(m[i].Headers, Header{string(k), v})
		}
	}
	return m
}

func TestBatch_DecodesAsItWasEncoded(t *testing.T) {
	seed := rand.Uint64()
	t.Log("seed", seed)
	r := rand.New(rand.NewPCG(seed, 0))
	var e encoder
	for i := range 300 {
		codec := []Codec{None, LZ4, Zstd}[i%3]
		want := randomMessages(r, 1+r.IntN(200))
		b, err := e.encode(stamp{7, 1, 2}, codec, want, 0)
		if err != nil {
			t.Fatal(err)
		}
		page, err := read(b, 0)
		if err != nil {
			t.Fatal(err)
		}
		if got := asMessages(page.Records); !reflect.DeepEqual(want, got) {
			t.Fatalf("%s: %s", codec, cmp.Diff(want, got))
		}
		if page.Next != int64(len(want)) {
			t.Fatalf("next %d of %d", page.Next, len(want))
		}
		for j := range page.Records {
			if page.Records[j].Offset != int64(j) {
				t.Fatalf("record %d has offset %d", j, page.Records[j].Offset)
			}
		}
	}
}

func TestBatch_HeaderIsKafkas(t *testing.T) {
	var e encoder
	b, err := e.encode(stamp{producer: 0x0102030405, epoch: 7, sequence: math.MaxInt32 - 1}, None, []Message{{TimeMs: 1000}, {TimeMs: 3000}, {TimeMs: 2000}, {}}, 2500)
	if err != nil {
		t.Fatal(err)
	}
	var got kmsg.RecordBatch
	if err := got.ReadFrom(b); err != nil {
		t.Fatal(err)
	}
	want := kmsg.RecordBatch{
		Length: int32(len(b) - 12), PartitionLeaderEpoch: -1, Magic: 2, CRC: got.CRC, LastOffsetDelta: 3,
		FirstTimestamp: 1000, MaxTimestamp: 3000, ProducerID: 0x0102030405, ProducerEpoch: 7, FirstSequence: math.MaxInt32 - 1,
		NumRecords: 4, Records: b[recordbatch.HeaderSize:],
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	page, err := read(b, 0)
	if err != nil {
		t.Fatal(err)
	}
	if at := page.Records[3].TimeMs; at != 2500 {
		t.Errorf("a message without a time has %d", at)
	}
}

func TestBatch_SequencesWrapToZero(t *testing.T) {
	for _, c := range []struct {
		from int32
		n    int
		want int32
	}{{0, 3, 3}, {math.MaxInt32 - 1, 1, math.MaxInt32}, {math.MaxInt32, 1, 0}, {math.MaxInt32 - 1, 4, 2}} {
		if got := nextSequence(c.from, c.n); got != c.want {
			t.Errorf("%d records after %d: %d, want %d", c.n, c.from, got, c.want)
		}
	}
}

func TestBatch_NeedsAMessageAndAWritableCodec(t *testing.T) {
	var e encoder
	if _, err := e.encode(stamp{}, None, nil, 0); err == nil {
		t.Error("a batch without a message was made")
	}
	if _, err := e.encode(stamp{}, Gzip, messages("a"), 0); err == nil {
		t.Error("a batch was written with a codec that can only be read")
	}
	if _, err := (&Client{}).Producer(ProducerConfig{Topic: "t", Codec: Snappy}); err == nil {
		t.Error("a producer takes a codec that can only be read")
	}
}

func TestMessage_SizeIsAnUpperBound(t *testing.T) {
	seed := rand.Uint64()
	t.Log("seed", seed)
	r := rand.New(rand.NewPCG(seed, 0))
	for range 200 {
		m := randomMessages(r, 1+r.IntN(50))
		most := recordbatch.HeaderSize
		for i := range m {
			most += m[i].Size()
		}
		var e encoder
		b, err := e.encode(stamp{}, None, m, 0)
		if err != nil {
			t.Fatal(err)
		}
		if len(b) > most {
			t.Fatalf("%d messages take %d bytes, at most %d", len(m), len(b), most)
		}
	}
}

func TestSplit_KeepsOrderAndLimit(t *testing.T) {
	seed := rand.Uint64()
	t.Log("seed", seed)
	r := rand.New(rand.NewPCG(seed, 0))
	for range 100 {
		m := randomMessages(r, r.IntN(300))
		limit := recordbatch.HeaderSize + r.IntN(3000)
		var all []Message
		var e encoder
		for part := range Split(m, limit) {
			b, err := e.encode(stamp{}, None, part, 0)
			if err != nil {
				t.Fatal(err)
			}
			if len(b) > limit && len(part) > 1 {
				t.Fatalf("%d messages in %d bytes, limit %d", len(part), len(b), limit)
			}
			if len(all) > 0 && recordbatch.HeaderSize+all[len(all)-1].Size()+part[0].Size() <= limit && len(part) == 1 && part[0].Size() < 10 {
				t.Fatal("a batch was cut that had room")
			}
			all = append(all, part...)
		}
		if !slices.EqualFunc(m, all, func(a, b Message) bool { return reflect.DeepEqual(a, b) }) {
			t.Fatal(cmp.Diff(m, all))
		}
	}
	n := 0
	for range Split(messages("a", "b", "c"), 1) {
		if n++; n == 2 {
			break
		}
	}
	if n != 2 {
		t.Errorf("messages above the limit are not batches of their own: %d", n)
	}
}

func TestLZ4_FramesAreReadByTheLibrary(t *testing.T) {
	seed := rand.Uint64()
	t.Log("seed", seed)
	r := rand.New(rand.NewPCG(seed, 0))
	for _, size := range []int{0, 1, 100, lz4Block - 1, lz4Block, lz4Block + 1, 5*lz4Block + 17} {
		for _, letters := range []int{1, 4, 256} {
			src := make([]byte, size)
			for i := range src {
				src[i] = byte(r.IntN(letters))
			}
			frame, err := appendLZ4([]byte("before"), src)
			if err != nil {
				t.Fatal(err)
			}
			got, err := recordbatch.Decompress(LZ4, bytes.TrimPrefix(frame, []byte("before")), nil)
			if err != nil || !bytes.Equal(got, src) {
				t.Fatalf("%d bytes of %d letters: %d came back, %v", size, letters, len(got), err)
			}
		}
	}
}

func TestGrow_Doubles(t *testing.T) {
	b := make([]byte, 10)
	if g := grow(b, 0); &g[0] != &b[0] {
		t.Error("moved without need")
	}
	if g := grow(b, 1); cap(g) < 20 || !slices.Equal(g, b) {
		t.Errorf("%d", cap(g))
	}
}

package log

import (
	"bytes"
	"encoding/binary"
	"errors"
	"hash/crc32"
	"io"
	"math"
	"testing"
	"time"

	"github.com/cockroachdb/pebble/v2/vfs"
	"github.com/golang/snappy"
	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"
	"github.com/pierrec/lz4/v4"

	"github.com/ovation-analytics/ovation/actors/domain"
)

// built is a record batch to be made: times are absolute, one record each.
type built struct {
	codec    int // 5: snappy in the Java clients' framing
	producer int64
	epoch    int16
	sequence int32
	times    []int64
	values   []string // default: "value"
}

// batch is the bytes a producer would send.
func (m built) batch() []byte {
	var body []byte
	first, latest := m.times[0], int64(math.MinInt64)
	for i, ts := range m.times {
		value := "value"
		if m.values != nil {
			value = m.values[i]
		}
		latest = max(latest, ts)
		r := []byte{0}
		r = binary.AppendVarint(r, ts-first)
		r = binary.AppendVarint(r, int64(i))
		r = binary.AppendVarint(r, -1)
		r = append(binary.AppendVarint(r, int64(len(value))), value...)
		r = binary.AppendVarint(r, 1)
		r = append(binary.AppendVarint(r, 1), 'h')
		r = binary.AppendVarint(r, -1)
		body = append(binary.AppendVarint(body, int64(len(r))), r...)
	}
	be := binary.BigEndian
	b := make([]byte, atRecords)
	b = append(b, deflate(m.codec, body)...)
	be.PutUint32(b[atLength:], uint32(len(b)-12))
	be.PutUint32(b[atEpoch:], math.MaxUint32)
	b[atMagic] = 2
	be.PutUint16(b[atAttrs:], uint16([]int{0, 1, 2, 3, 4, 2}[m.codec]))
	be.PutUint32(b[atLast:], uint32(len(m.times)-1))
	be.PutUint64(b[atFirst:], uint64(first))
	be.PutUint64(b[atMax:], uint64(latest))
	be.PutUint64(b[atProducer:], uint64(m.producer))
	be.PutUint16(b[atProdEp:], uint16(m.epoch))
	be.PutUint32(b[atSequence:], uint32(m.sequence))
	be.PutUint32(b[atCount:], uint32(len(m.times)))
	return sealed(b)
}

// sealed sets the checksum right.
func sealed(b []byte) []byte {
	binary.BigEndian.PutUint32(b[atCRC:], crc32.Checksum(b[atAttrs:], castagnoli))
	return b
}

// plain is a batch of n records without producer id.
func plain(n int, ms int64) []byte {
	return built{producer: -1, times: times(n, ms)}.batch()
}

func times(n int, ms int64) []int64 {
	ts := make([]int64, n)
	for i := range ts {
		ts[i] = ms
	}
	return ts
}

func deflate(codec int, body []byte) []byte {
	var z bytes.Buffer
	var w io.WriteCloser
	switch codec {
	case 0:
		return body
	case 1:
		w = gzip.NewWriter(&z)
	case 2:
		return snappy.Encode(nil, body)
	case 3:
		w = lz4.NewWriter(&z)
	case 4:
		w, _ = zstd.NewWriter(&z)
	case 5:
		z.Write(xerial)
		z.Write([]byte{0, 0, 0, 1, 0, 0, 0, 1})
		for len(body) > 0 {
			n := min(len(body), 1000)
			block := snappy.Encode(nil, body[:n])
			z.Write(binary.BigEndian.AppendUint32(nil, uint32(len(block))))
			z.Write(block)
			body = body[n:]
		}
		return z.Bytes()
	}
	if _, err := w.Write(body); err != nil {
		panic(err)
	}
	if err := w.Close(); err != nil {
		panic(err)
	}
	return z.Bytes()
}

// clock is a clock that a test moves.
type clock struct{ ms int64 }

func (c *clock) now() time.Time { return time.UnixMilli(c.ms) }

// opened opens a log that the test's end closes.
func opened(t testing.TB, fs vfs.FS, opts Options) *Log {
	t.Helper()
	opts.FS = fs
	l, err := Open("log", opts)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	return l
}

// created makes a topic.
func created(t testing.TB, l *Log, name string, partitions int, config ...string) domain.TopicID {
	t.Helper()
	c := map[string]string{}
	for i := 0; i < len(config); i += 2 {
		c[config[i]] = config[i+1]
	}
	id, err := l.CreateTopic(name, partitions, c)
	if err != nil {
		t.Fatal(err)
	}
	return id
}

// appendWait appends durably.
func appendWait(l *Log, id domain.TopicID, partition int32, batch []byte) (base, stamp int64, err error) {
	base, stamp, done, err := l.Append(id, partition, batch)
	if err != nil {
		return base, stamp, err
	}
	return base, stamp, done.Wait()
}

func mustAppend(t testing.TB, l *Log, id domain.TopicID, batch []byte) int64 {
	t.Helper()
	base, _, err := appendWait(l, id, 0, batch)
	if err != nil {
		t.Fatal(err)
	}
	return base
}

func wantCode(t testing.TB, err error, want Code) {
	t.Helper()
	if !errors.Is(err, want) {
		t.Fatalf("got %v, want code %d %v", err, want, want)
	}
}

package log

import (
	"encoding/binary"
	"errors"
	"math"
	"testing"
	"time"

	"github.com/cockroachdb/pebble/v2/vfs"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/ingest/recordbatch"
	"github.com/ovation-analytics/ovation/ingest/recordbatch/batchtest"
)

// xerial is snappy in the Java clients' framing.
const xerial recordbatch.Codec = 5

// built is a record batch to be made: times are absolute, one record each.
type built struct {
	codec    recordbatch.Codec
	producer int64
	epoch    int16
	sequence int32
	times    []int64
	values   []string // default: "value"
	keys     []string // default: null; with keys an empty value is null
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
		if m.keys == nil {
			r = binary.AppendVarint(r, -1)
		} else {
			r = append(binary.AppendVarint(r, int64(len(m.keys[i]))), m.keys[i]...)
		}
		if m.keys != nil && value == "" {
			r = binary.AppendVarint(r, -1)
		} else {
			r = append(binary.AppendVarint(r, int64(len(value))), value...)
		}
		r = binary.AppendVarint(r, 1)
		r = append(binary.AppendVarint(r, 1), 'h')
		r = binary.AppendVarint(r, -1)
		body = append(binary.AppendVarint(body, int64(len(r))), r...)
	}
	b := make([]byte, recordbatch.HeaderSize)
	if m.codec == xerial {
		m.codec = recordbatch.Snappy
		b = append(b, batchtest.Xerial(body, 1000)...)
	} else {
		b = append(b, batchtest.Compress(m.codec, body)...)
	}
	h := recordbatch.Header{
		LastDelta: int32(len(m.times) - 1), Epoch: -1, Attributes: recordbatch.Attributes(m.codec), FirstTime: first, MaxTime: latest,
		Producer: m.producer, ProducerEpoch: m.epoch, Sequence: m.sequence, Count: int32(len(m.times)),
	}
	h.Put(b)
	return b
}

// sealed sets the checksum right.
func sealed(b []byte) []byte {
	recordbatch.Seal(b)
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

// fakeClock is a clock that a test moves.
type fakeClock struct{ ms int64 }

func (c *fakeClock) now() time.Time { return time.UnixMilli(c.ms) }

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
	id, err := l.Topics.Create(name, partitions, c)
	if err != nil {
		t.Fatal(err)
	}
	return id
}

// part finds a partition that is there.
func part(t testing.TB, l *Log, id domain.TopicID, index int32) *Partition {
	t.Helper()
	p, err := l.Topics.Partition(id, index)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// appendWait appends durably.
func appendWait(l *Log, id domain.TopicID, index int32, batch []byte) (base, stamp int64, err error) {
	p, err := l.Topics.Partition(id, index)
	if err != nil {
		return -1, -1, err
	}
	base, stamp, done, err := p.Append(batch)
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

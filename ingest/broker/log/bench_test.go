package log

import (
	"strings"
	"sync/atomic"
	"testing"

	"github.com/ovation-analytics/ovation/ingest/recordbatch"
)

// batch500 is 500 records of 300 bytes.
func batch500(codec recordbatch.Codec) []byte {
	m := built{codec: codec, producer: -1}
	for i := range 500 {
		m.times = append(m.times, int64(i))
		m.values = append(m.values, strings.Repeat("0123456789", 30))
	}
	return m.batch()
}

func onDisk(b *testing.B) (*Log, [16]byte) {
	l, err := Open(b.TempDir(), Options{})
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { l.Close() })
	id, err := l.Topics.Create("t", 8, nil)
	if err != nil {
		b.Fatal(err)
	}
	return l, id
}

// One producer that waits for the fsync of each batch.
func BenchmarkAppend_OneByOne(b *testing.B) {
	l, id := onDisk(b)
	batch := batch500(0)
	b.SetBytes(int64(len(batch)))
	b.ReportAllocs()
	for b.Loop() {
		if _, _, err := appendWait(l, id, 0, batch); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(500*float64(b.N)/b.Elapsed().Seconds(), "records/s")
}

// 16 producers share fsyncs.
func BenchmarkAppend_Concurrent(b *testing.B) {
	l, id := onDisk(b)
	b.SetBytes(int64(len(batch500(0))))
	b.SetParallelism(8)
	var n atomic.Int32
	b.RunParallel(func(pb *testing.PB) {
		batch, partition := batch500(0), n.Add(1)%8
		for pb.Next() {
			if _, _, err := appendWait(l, id, partition, batch); err != nil {
				b.Error(err)
				return
			}
		}
	})
	b.ReportMetric(500*float64(b.N)/b.Elapsed().Seconds(), "records/s")
}

func BenchmarkCheck(b *testing.B) {
	l, _ := onDisk(b)
	for codec, name := range []string{"none", "gzip", "snappy", "lz4", "zstd", "xerial"} {
		b.Run(name, func(b *testing.B) {
			batch := batch500(recordbatch.Codec(codec))
			b.ReportAllocs()
			for b.Loop() {
				if _, err := l.unpack.check(batch, false); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/500, "ns/record")
		})
	}
}

func BenchmarkRead(b *testing.B) {
	l, id := onDisk(b)
	batch := batch500(0)
	const batches = 400
	for range batches {
		if _, _, err := appendWait(l, id, 0, batch); err != nil {
			b.Fatal(err)
		}
	}
	var buf []byte
	b.SetBytes(int64(len(batch)))
	b.ReportAllocs()
	offset := int64(0)
	p := part(b, l, id, 0)
	for b.Loop() {
		out, next, err := p.Read(offset, len(batch), true, buf[:0])
		if err != nil {
			b.Fatal(err)
		}
		buf = out
		if offset = next; offset == 500*batches {
			offset = 0
		}
	}
}

func BenchmarkFind(b *testing.B) {
	l, id := onDisk(b)
	for i := range 2000 {
		if _, _, err := appendWait(l, id, 0, plain(5, int64(i))); err != nil {
			b.Fatal(err)
		}
	}
	ms := int64(0)
	for b.Loop() {
		if _, _, err := part(b, l, id, 0).Find(ms % 2000); err != nil {
			b.Fatal(err)
		}
		ms += 7
	}
}

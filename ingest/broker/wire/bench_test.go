package wire_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/ovation-analytics/ovation/ingest/broker/log"
	"github.com/ovation-analytics/ovation/ingest/broker/wire"
)

// onDisk is a broker on a real directory.
func onDisk(b *testing.B) *harness {
	l, err := log.Open(b.TempDir(), log.Options{Logger: quiet})
	if err != nil {
		b.Fatal(err)
	}
	br, err := wire.New(wire.Config{Listen: "127.0.0.1:0", Logger: quiet}, l)
	if err != nil {
		b.Fatal(err)
	}
	done := make(chan error, 1)
	go func() { done <- br.Run(context.Background()) }()
	r := &harness{t: b, log: l, broker: br, addr: br.Addr()}
	b.Cleanup(func() {
		br.Close()
		if err := <-done; err != nil {
			b.Error(err)
		}
		l.Close()
	})
	return r
}

func batch500() []byte {
	values := make([]string, 500)
	for i := range values {
		values[i] = strings.Repeat("0123456789", 29) // with its head 300 bytes
	}
	return batchOf(values...)
}

func (w *peer) patient() *peer {
	_ = w.c.SetDeadline(time.Time{})
	return w
}

func BenchmarkProduce_OverTCP(b *testing.B) {
	r := onDisk(b)
	r.create("t", 1)
	w := r.dial().patient()
	req := produceRequest(-1, "t", batch500())
	b.SetBytes(int64(len(req.Topics[0].Partitions[0].Records)))
	b.ReportAllocs()
	for b.Loop() {
		if p := ask[*kmsg.ProduceResponse](w, req, 9).Topics[0].Partitions[0]; p.ErrorCode != 0 {
			b.Fatalf("%+v", p)
		}
	}
	b.ReportMetric(500*float64(b.N)/b.Elapsed().Seconds(), "records/s")
}

func BenchmarkFetch_OverTCP(b *testing.B) {
	r := onDisk(b)
	id := r.create("t", 1)
	batch := batch500()
	const batches = 500
	for range batches {
		_, _, done, err := r.partition(id, 0).Append(batch)
		if err != nil {
			b.Fatal(err)
		}
		if err := done.Wait(); err != nil {
			b.Fatal(err)
		}
	}
	w := r.dial().patient()
	req := fetchRequest("t", id, 0)
	b.ReportAllocs()
	records, next := 0, int64(0)
	for b.Loop() {
		req.Topics[0].Partitions[0].FetchOffset = next
		n := len(fetchOne(w, req, 13).RecordBatches) / len(batch)
		records += n * 500
		if next += int64(n * 500); next == 500*batches {
			next = 0
		}
	}
	b.SetBytes(int64(records / b.N * len(batch) / 500))
	b.ReportMetric(float64(records)/b.Elapsed().Seconds(), "records/s")
}

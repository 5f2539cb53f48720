package trace

import (
	"context"
	"errors"
	"math"
	"testing"
	"time"

	"github.com/ovation-analytics/ovation/actors/domain"
)

// What is not traced costs no allocation: neither a request's parts nor the look at each record.
func TestSpan_NothingIsAllocatedWhereNothingIsTraced(t *testing.T) {
	ctx, cancel := context.WithTimeout(t.Context(), time.Hour)
	defer cancel()
	var none *Records
	origin := domain.Origin{Topic: domain.TopicID{1}, Offset: 5}
	n := testing.AllocsPerRun(100, func() {
		inner, s := Start(ctx, "question")
		s.Text("shape", "tally")
		s.Start("plan").Failed(errors.New("x"))
		From(inner).StartAt("merge", time.Time{}).End()
		if s.Recording() || s.Trace() != "" || inner != ctx || none.Sampled(&origin) {
			t.Error("something is recorded")
		}
	})
	if n != 0 && !raced {
		t.Errorf("%v allocations", n)
	}
}

// BenchmarkStart is the part of a request that is not traced.
func BenchmarkStart(b *testing.B) {
	ctx, cancel := context.WithTimeout(b.Context(), time.Hour)
	defer cancel()
	b.ReportAllocs()
	for b.Loop() {
		_, s := Start(ctx, "question")
		s.End()
	}
}

// BenchmarkSampled is the look at a record of which one in a thousand is traced.
func BenchmarkSampled(b *testing.B) {
	r := NewRecords(noTracer{}, 0.001)
	o := domain.Origin{Topic: domain.TopicID{1}}
	b.ReportAllocs()
	for b.Loop() {
		o.Offset++
		r.Sampled(&o)
	}
}

// noTracer records nothing.
type noTracer struct{}

func (noTracer) Request(string, time.Time) Span     { return Span{} }
func (noTracer) Record(string, IDs, time.Time) Span { return Span{} }

// Of any stretch of any partition about the share is traced: all of it at 1, none at 0, and never what has no origin.
func TestRecords_ShareOfEachPartition(t *testing.T) {
	t.Parallel()
	for _, share := range []float64{0, 0.001, 0.01, 0.25, 0.999, 1} {
		r := NewRecords(noTracer{}, share)
		if r.Sampled(new(domain.Origin)) {
			t.Errorf("share %v: a record without an origin is traced", share)
		}
		for partition := range int32(4) {
			const records = 200_000
			n := 0
			for offset := range int64(records) {
				if r.Sampled(&domain.Origin{Topic: domain.TopicID{7, 9: 3}, Partition: partition, Epoch: 2, Offset: offset + 1<<40}) {
					n++
				}
			}
			want := share * records
			if far := math.Abs(float64(n) - want); far > 6*math.Sqrt(want*(1-share)) {
				t.Errorf("share %v of partition %d: %d of %d", share, partition, n, records)
			}
		}
	}
}

// The ids are those of the origin, and of no other part of it.
func TestRecords_IDsOfTheOrigin(t *testing.T) {
	t.Parallel()
	origins := []domain.Origin{
		{Topic: domain.TopicID{1}, Partition: 1, Epoch: 1, Offset: 1},
		{Topic: domain.TopicID{2}, Partition: 1, Epoch: 1, Offset: 1},
		{Topic: domain.TopicID{1}, Partition: 2, Epoch: 1, Offset: 1},
		{Topic: domain.TopicID{1}, Partition: 1, Epoch: 2, Offset: 1},
		{Topic: domain.TopicID{1}, Partition: 1, Epoch: 1, Offset: 2},
	}
	had := map[IDs]bool{}
	for _, o := range origins {
		ids := idsOf(&o)
		if ids.Trace == [16]byte{} || ids.Span == [8]byte{} || ids.Parent != [8]byte{} || had[ids] || ids != idsOf(&o) {
			t.Errorf("%v: %x", o, ids)
		}
		had[ids] = true
	}
}

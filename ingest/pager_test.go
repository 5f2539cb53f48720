package ingest

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/ingest/kafka"
)

// The memory of pages that were released is read into again; strings of a page that was
// not, or of which some are kept, stay what they are.
func TestPager_ReusesReleasedMemoryOnly(t *testing.T) {
	const n = 5*pageRecords + 17
	seed := rand.Uint64()
	rnd := rand.New(rand.NewPCG(seed, 0))
	w := given(t, "journal")
	l := w.log("journal")
	says := func(i int) string { return fmt.Sprintf(`{"TrackName":"number %d"}`, i) }
	records := make([]domain.Record, n)
	for i := range records {
		records[i] = domain.Record{Kind: domain.KindActivity, Account: 1, Activity: domain.Activity{Member: 1, Content: domain.Content{Content: says(i)}}}
	}
	for len(records) > 0 { // batches of many sizes
		batch := records[:min(len(records), 1+rnd.IntN(900))]
		_, err := l.Appender().Append(w.ctx, 0, batch)
		w.must(err)
		records = records[len(batch):]
	}
	reader := l.Reader(0)
	var kept []domain.Page
	arenas, pages := map[*byte]bool{}, 0
	for round := range 6 {
		for next, epoch := int64(0), kafka.NoEpoch; next < n; {
			p, err := reader.Read(w.ctx, next, epoch, nil)
			w.must(err)
			next, epoch = p.Next, p.Epoch
			pages++
			if p.Memory == nil {
				t.Fatalf("seed %d: a page of a packed batch has no memory", seed)
			}
			arenas[&p.Memory.Bytes()[:1][0]] = true
			switch {
			case round == 0 && rnd.IntN(3) == 0: // a reader keeps it
				kept = append(kept, p)
			case round == 0 && rnd.IntN(3) == 0:
				kept = append(kept, p)
				p.Memory.Release(true)
			default:
				p.Memory.Release(false)
			}
		}
	}
	for _, p := range kept {
		for i := range p.Records {
			if got, want := p.Records[i].Activity.Content.Content, says(int(p.Records[i].Offset)); got != want {
				t.Fatalf("seed %d: the record at %d says %s", seed, p.Records[i].Offset, got)
			}
		}
	}
	if len(arenas) > len(kept)+memories+pages/4 {
		t.Errorf("seed %d: %d pages were in %d stretches of memory, %d of them kept", seed, pages, len(arenas), len(kept))
	}
}

// What is read and not yet applied is bounded in bytes: with less memory fetches and pages are
// smaller, and a page ends before its batches have unpacked to much more (I8).
func TestI8_PagesAreBoundedInBytes(t *testing.T) {
	const readers, memory = 8, 4 << 20
	size := PageSizeWithin(memory, readers)
	if n := 3 * 8 * size.Bytes * readers; n > 3*memory || size.Bytes < minFetchBytes || size.Records < minRecords {
		t.Fatalf("%d readers of %+v take %d bytes of %d", readers, size, n, memory)
	}
	if large := PageSizeWithin(1<<40, readers); large != (PageSize{}).orDefault() {
		t.Errorf("with all the memory there is: %+v", large)
	}
	w := given(t, "journal")
	l := w.log("journal")
	l.Pages = size
	const n = 400
	long := strings.Repeat("a", 30_000) // compresses to nearly nothing
	for i := range n / 20 {
		batch := make([]domain.Record, 20)
		for j := range batch {
			batch[j] = domain.Record{Kind: domain.KindActivity, Account: 1, Activity: domain.Activity{Member: 1, Content: domain.Content{Content: fmt.Sprint(20*i+j, long)}}}
		}
		_, err := l.Appender().Append(w.ctx, 0, batch)
		w.must(err)
	}
	reader := l.Reader(0)
	read := 0
	for next, epoch := int64(0), kafka.NoEpoch; next < n; {
		p, err := reader.Read(w.ctx, next, epoch, nil)
		w.must(err)
		if len(p.Records) > size.Records || len(p.Memory.Bytes()) > size.inflated()+(1<<20) {
			t.Fatalf("a page of %d records and %d bytes", len(p.Records), len(p.Memory.Bytes()))
		}
		next, epoch, read = p.Next, p.Epoch, read+len(p.Records)
		p.Memory.Release(false)
	}
	if read != n {
		t.Errorf("%d records of %d were read", read, n)
	}
}

// A page in memory that was used before is the same as one in new memory: nothing of the records
// before is left in it. Memory without room is left alone.
func TestRead_SpareMemory(t *testing.T) {
	const seed, n = 11, 40
	r := rand.New(rand.NewPCG(seed, 1))
	w := given(t, "journal", "activities")
	l, s := w.log("journal"), w.source("activities")
	records, messages, used := make([]domain.Record, n), make([]kafka.Message, n), make([]domain.Record, n)
	for i := range n {
		records[i], messages[i], used[i] = anyRecord(r), anyMessage(r), anyRecord(r)
	}
	_, err := l.Appender().Append(w.ctx, 0, records)
	w.must(err)
	w.send("activities", 0, messages...)
	fresh, err := l.Reader(0).Read(w.ctx, 0, kafka.NoEpoch, used[:n-1:n-1])
	w.must(err)
	again, err := l.Reader(0).Read(w.ctx, 0, kafka.NoEpoch, used)
	w.must(err)
	if len(again.Records) != n || &again.Records[0] != &used[0] || &fresh.Records[0] == &used[0] {
		t.Fatalf("%d records, not in the memory given", len(again.Records))
	}
	if d := cmp.Diff(fresh.Records, again.Records); d != "" {
		t.Errorf("seed %d: %s", seed, d)
	}
	arrivals := make([]domain.Arrival, n)
	for i := range arrivals {
		arrivals[i] = domain.Arrival{Record: anyRecord(r), Slot: 7}
	}
	first, err := s.Reader(0).Read(w.ctx, 0, kafka.NoEpoch, nil)
	w.must(err)
	second, err := s.Reader(0).Read(w.ctx, 0, kafka.NoEpoch, arrivals)
	w.must(err)
	if len(second.Arrivals) != n || &second.Arrivals[0] != &arrivals[0] {
		t.Fatalf("%d arrivals, not in the memory given", len(second.Arrivals))
	}
	if d := cmp.Diff(first.Arrivals, second.Arrivals); d != "" {
		t.Errorf("seed %d: %s", seed, d)
	}
}

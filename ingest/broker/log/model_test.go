package log

import (
	"fmt"
	"math/rand/v2"
	"strconv"
	"testing"

	"github.com/cockroachdb/pebble/v2/vfs"
	"github.com/google/go-cmp/cmp"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/ingest/recordbatch"
)

// naive is one partition as a list of records.
type naive struct {
	start, end int64
	records    []naiveRecord // all ever, by offset
	batches    []naiveBatch
}

type naiveRecord struct {
	offset, ms int64
	value      string
}

type naiveBatch struct {
	base, next, max int64
	epoch           int32
}

// find is the definition: the first batch whose max time is not before ms, then the
// first such record in it that is not deleted.
func (n *naive) find(ms int64) (offset, at int64) {
	for _, b := range n.batches {
		if b.next <= n.start || b.max < ms {
			continue
		}
		for _, r := range n.records[b.base:b.next] {
			if r.offset >= n.start && r.ms >= ms {
				return r.offset, r.ms
			}
		}
	}
	return -1, -1
}

// epochEnd is the definition over the batches ever written; openings are the epochs
// and the ends they found.
func (n *naive) epochEnd(openings []naiveBatch, epoch int32) (found int32, end int64) {
	current := openings[len(openings)-1].epoch
	if epoch > current {
		return -1, -1
	}
	found, end = -1, n.end
	for _, b := range n.batches {
		if b.epoch <= epoch {
			found = b.epoch
		} else {
			end = b.base
			break
		}
	}
	if epoch == current {
		return current, n.end
	}
	return found, end
}

// unpack reads raw batches back.
func unpack(t *testing.T, raw []byte) (records []naiveRecord, batches []naiveBatch) {
	t.Helper()
	for len(raw) > 0 {
		size := recordbatch.Size(raw)
		b := raw[:size]
		raw = raw[size:]
		h, err := checkHeader(b)
		if err != nil {
			t.Fatal(err)
		}
		batches = append(batches, naiveBatch{h.Base, h.Base + int64(h.Count), h.MaxTime, h.Epoch})
		body, err := recordbatch.Decompress(h.Attributes.Codec(), b[recordbatch.HeaderSize:], nil)
		if err != nil {
			t.Fatal(err)
		}
		for range h.Count {
			in, rest, err := recordbatch.Next(body, true)
			if err != nil {
				t.Fatal(err)
			}
			body = rest
			records = append(records, naiveRecord{h.Base + in.OffsetDelta, h.FirstTime + in.TimeDelta, string(in.Value)})
		}
	}
	return records, batches
}

func TestLog_RandomOperationsEqualANaiveLog(t *testing.T) {
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	r := rand.New(rand.NewPCG(seed, 0))
	fs := vfs.NewCrashableMem()
	clk := &fakeClock{ms: epochZero.UnixMilli() + 5*60_000}
	l := opened(t, fs, Options{Now: clk.now})
	id := created(t, l, "t", 1)
	var n naive
	openings := []naiveBatch{{epoch: l.Epoch()}}
	count := 0
	for step := range 1500 {
		switch op := r.IntN(100); {
		case op < 50:
			m := built{codec: recordbatch.Codec(r.IntN(6)), producer: -1}
			for range 1 + r.IntN(5) {
				m.times = append(m.times, int64(step*10+r.IntN(200)-100))
				m.values = append(m.values, strconv.Itoa(count))
				count++
			}
			n.append(t, l, id, m)
		case op < 52:
			before := n.start + r.Int64N(n.end-n.start+1)
			if r.IntN(3) == 0 {
				before = -1
			}
			start, err := part(t, l, id, 0).DeleteRecords(before)
			if before == -1 {
				before = n.end
			}
			if n.start = max(n.start, before); err != nil || start != n.start {
				t.Fatalf("step %d: start %d, want %d: %v", step, start, n.start, err)
			}
		case op < 55:
			fs = fs.CrashClone(vfs.CrashCloneCfg{})
			clk.ms += r.Int64N(200_000)
			l = opened(t, fs, Options{Now: clk.now})
			openings = append(openings, naiveBatch{epoch: l.Epoch()})
		case op < 75:
			n.compareRead(t, l, id, r)
		case op < 90:
			ms := int64(step*10) - r.Int64N(int64(step*10+200)) + 100
			offset, at, err := part(t, l, id, 0).Find(ms)
			if o, a := n.find(ms); err != nil || offset != o || at != a {
				t.Fatalf("step %d: time %d: offset %d at %d, want %d at %d: %v", step, ms, offset, at, o, a, err)
			}
		default:
			n.compareEpochs(t, l, id, openings, openings[r.IntN(len(openings))].epoch+int32(r.IntN(3)-1))
		}
	}
}

func (n *naive) append(t *testing.T, l *Log, id domain.TopicID, m built) {
	t.Helper()
	if base := mustAppend(t, l, id, m.batch()); base != n.end {
		t.Fatalf("base %d, want %d", base, n.end)
	}
	b := naiveBatch{base: n.end, max: m.times[0], epoch: l.Epoch()}
	for i, ms := range m.times {
		n.records = append(n.records, naiveRecord{n.end, ms, m.values[i]})
		n.end++
		b.max = max(b.max, ms)
	}
	b.next = n.end
	n.batches = append(n.batches, b)
}

func (n *naive) compareRead(t *testing.T, l *Log, id domain.TopicID, r *rand.Rand) {
	t.Helper()
	offset := n.start + r.Int64N(n.end-n.start+1)
	limit := r.IntN(2000)
	raw, next, err := part(t, l, id, 0).Read(offset, limit, true, nil)
	if err != nil {
		t.Fatal(err)
	}
	records, batches := unpack(t, raw)
	if offset == n.end {
		if len(records) > 0 || next != n.end {
			t.Fatal("records at the end")
		}
		return
	}
	if len(batches) > 1 && len(raw) > limit {
		t.Fatalf("%d bytes for a limit of %d", len(raw), limit)
	}
	first, last := batches[0], batches[len(batches)-1]
	if offset < first.base || offset >= first.next || next != last.next {
		t.Fatalf("asked for %d, got [%d,%d), next %d", offset, first.base, last.next, next)
	}
	var want []naiveBatch
	for _, b := range n.batches {
		if b.base >= first.base && b.next <= last.next {
			want = append(want, b)
		}
	}
	if d := cmp.Diff(want, batches, cmp.AllowUnexported(naiveBatch{})); d != "" {
		t.Fatal(d)
	}
	if d := cmp.Diff(n.records[first.base:last.next], records, cmp.AllowUnexported(naiveRecord{})); d != "" {
		t.Fatal(d)
	}
}

func (n *naive) compareEpochs(t *testing.T, l *Log, id domain.TopicID, openings []naiveBatch, epoch int32) {
	t.Helper()
	found, end, err := part(t, l, id, 0).EpochEnd(epoch)
	if err != nil {
		t.Fatal(err)
	}
	wantFound, wantEnd := n.epochEnd(openings, epoch)
	// What was deleted is partly forgotten: an epoch whose batches are all gone may be
	// answered by its own number. The end is right as long as it is in the log.
	if end != wantEnd && max(end, wantEnd) > n.start || found != wantFound && end > n.start && wantFound >= 0 {
		t.Fatalf("epoch %d: %d up to %d, want %d up to %d; start %d\n%v", epoch, found, end, wantFound, wantEnd, n.start, fmt.Sprint(openings))
	}
	for _, b := range n.batches {
		if b.base < n.start {
			continue
		}
		if e, err := part(t, l, id, 0).EpochAt(b.base); err != nil || e != b.epoch {
			t.Fatalf("offset %d: epoch %d, want %d: %v", b.base, e, b.epoch, err)
		}
	}
}

package log

import (
	"bytes"
	"encoding/binary"
	"errors"
	"log/slog"
	"math"
	"math/rand/v2"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/cockroachdb/pebble/v2/vfs"

	"github.com/ovation-analytics/ovation/ingest/recordbatch"
)

func TestAppend_PatchesOffsetAndEpochOnly(t *testing.T) {
	l := opened(t, vfs.NewMem(), Options{})
	id := created(t, l, "t", 1)
	mustAppend(t, l, id, plain(3, 1))
	b := plain(2, 5)
	want := bytes.Clone(b)
	binary.BigEndian.PutUint64(want, 3)
	binary.BigEndian.PutUint32(want[recordbatch.AtEpoch:], uint32(l.Epoch()))
	mustAppend(t, l, id, b)
	got, next, err := part(t, l, id, 0).Read(4, 0, true, nil)
	if err != nil || next != 5 || !bytes.Equal(got, want) {
		t.Fatalf("%x\n%x\nnext %d, %v", got, want, next, err)
	}
}

func TestAppend_LogAppendTimeNeverGoesBack(t *testing.T) {
	fs, clk := vfs.NewMem(), &fakeClock{ms: 5_000}
	l := opened(t, fs, Options{Now: clk.now})
	id := created(t, l, "t", 1, configTimestampType, "LogAppendTime")
	want := []int64{5_000, 7_000, 7_000, 7_000, 8_000}
	for i, now := range []int64{5_000, 7_000, 6_000, 1, 8_000} {
		if i == 3 { // the clock went back and the log was opened again, emptied
			if _, err := part(t, l, id, 0).DeleteRecords(-1); err != nil {
				t.Fatal(err)
			}
			if err := l.Close(); err != nil {
				t.Fatal(err)
			}
			clk.ms = now
			l = opened(t, fs, Options{Now: clk.now})
		}
		clk.ms = now
		sent := built{codec: recordbatch.Codec(i), producer: -1, times: []int64{123_456, 99}}.batch()
		first := bytes.Clone(sent[recordbatch.AtFirstTime:recordbatch.AtMaxTime])
		base, stamp, err := appendWait(l, id, 0, sent)
		if err != nil || stamp != want[i] {
			t.Fatalf("append %d: stamp %d, want %d: %v", i, stamp, want[i], err)
		}
		got, _, err := part(t, l, id, 0).Read(base, 0, true, nil)
		if err != nil {
			t.Fatal(err)
		}
		if a := binary.BigEndian.Uint16(got[recordbatch.AtAttributes:]); a != uint16(i)|uint16(recordbatch.LogAppendTime) {
			t.Fatalf("attributes %x", a)
		}
		if m := int64(u64(got[recordbatch.AtMaxTime:])); m != want[i] || !bytes.Equal(got[recordbatch.AtFirstTime:recordbatch.AtMaxTime], first) {
			t.Fatalf("max time %d, want %d", m, want[i])
		}
		if crc := u32(got[recordbatch.AtCRC:]); crc != u32(sealed(bytes.Clone(got))[recordbatch.AtCRC:]) {
			t.Fatal("checksum")
		}
		if offset, at, err := part(t, l, id, 0).Find(want[i]); err != nil || at != want[i] || offset > base {
			t.Fatalf("time %d is at %d (%d): %v", want[i], offset, at, err)
		}
	}
	// A repeat is answered with the time of the first.
	one := built{producer: 3, times: []int64{1}}
	_, stamp, err := appendWait(l, id, 0, one.batch())
	clk.ms += 1000
	_, again, err2 := appendWait(l, id, 0, one.batch())
	if err != nil || err2 != nil || stamp != again {
		t.Fatalf("%d, again %d: %v %v", stamp, again, err, err2)
	}
}

func TestAppend_LimitsBatchesByTopic(t *testing.T) {
	l := opened(t, vfs.NewMem(), Options{})
	small := created(t, l, "small", 1, configMaxBatch, "200")
	usual := created(t, l, "usual", 1)
	big := built{producer: -1, times: []int64{1}, values: []string{strings.Repeat("x", 200)}}.batch()
	_, _, _, err := part(t, l, small, 0).Append(bytes.Clone(big))
	wantCode(t, err, MessageTooLarge)
	mustAppend(t, l, usual, big)
	mustAppend(t, l, small, plain(1, 1))
	_, _, _, err = part(t, l, usual, 0).Append(built{producer: -1, times: []int64{1}, values: []string{strings.Repeat("x", defaultMaxBatch)}}.batch())
	wantCode(t, err, MessageTooLarge)
}

func TestHeadroom_RefusesAppendsAndNoReads(t *testing.T) {
	free := uint64(math.MaxUint64)
	l := opened(t, vfs.NewMem(), Options{FreeSpace: func() (uint64, error) { return free, nil }})
	id := created(t, l, "t", 1)
	mustAppend(t, l, id, plain(2, 1))
	free = 256<<20 - 1
	if s := l.Stats(); s.Unstamped || s.Refusing != "the disk is nearly full: 255 MiB free, 256 are the least" {
		t.Fatalf("%+v", s)
	}
	_, _, _, err := part(t, l, id, 0).Append(plain(1, 1))
	wantCode(t, err, StorageError)
	_, err = l.Topics.Create("u", 1, nil)
	wantCode(t, err, StorageError)
	if raw, _, err := part(t, l, id, 0).Read(0, 0, true, nil); err != nil || len(raw) == 0 {
		t.Fatal(err)
	}
	if _, err := part(t, l, id, 0).DeleteRecords(1); err != nil {
		t.Fatal(err)
	}
	if err := l.Err(); err != nil {
		t.Fatalf("a full disk is no failure: %v", err)
	}
	free = 256 << 20
	if s := l.Stats(); s.Refusing != "" {
		t.Fatalf("%+v", s)
	}
	mustAppend(t, l, id, plain(1, 1))
	if s := l.Stats(); s.Full != 2 {
		t.Fatalf("%+v", s)
	}
}

func TestRead_GivesDurableBatchesOnly(t *testing.T) {
	l := opened(t, vfs.NewMem(), Options{})
	id := created(t, l, "t", 1)
	_, _, done, err := part(t, l, id, 0).Append(plain(2, 1))
	if err != nil {
		t.Fatal(err)
	}
	if _, end, _ := part(t, l, id, 0).Bounds(); end != 0 {
		t.Fatalf("end %d before Wait", end)
	}
	wake := make(chan struct{}, 1)
	part(t, l, id, 0).Watch(wake)
	if err := done.Wait(); err != nil {
		t.Fatal(err)
	}
	<-wake
	if _, end, _ := part(t, l, id, 0).Bounds(); end != 2 {
		t.Fatalf("end %d after Wait", end)
	}
	part(t, l, id, 0).Unwatch(wake)
	mustAppend(t, l, id, plain(1, 1))
	if len(wake) > 0 {
		t.Fatal("woken after Unwatch")
	}
}

func TestRead_OutOfRange(t *testing.T) {
	l := opened(t, vfs.NewMem(), Options{})
	id := created(t, l, "t", 1)
	for range 3 {
		mustAppend(t, l, id, plain(10, 1))
	}
	if start, err := part(t, l, id, 0).DeleteRecords(15); err != nil || start != 15 {
		t.Fatal(start, err)
	}
	if start, err := part(t, l, id, 0).DeleteRecords(3); err != nil || start != 15 {
		t.Fatalf("the start moved back to %d: %v", start, err)
	}
	for _, offset := range []int64{-1, 0, 14, 31} {
		_, _, err := part(t, l, id, 0).Read(offset, 100, true, nil)
		wantCode(t, err, OffsetOutOfRange)
	}
	if raw, next, err := part(t, l, id, 0).Read(15, 1<<20, true, nil); err != nil || next != 30 || u64(raw) != 10 {
		t.Fatalf("next %d: %v", next, err)
	}
	for _, before := range []int64{-2, 31} {
		_, err := part(t, l, id, 0).DeleteRecords(before)
		wantCode(t, err, OffsetOutOfRange)
	}
	_, err := l.Topics.Partition(id, 1)
	wantCode(t, err, UnknownTopic)
}

// repeater is an idempotent producer that sends one batch after another.
type repeater struct {
	id    int64
	sent  int32 // batches whose append was begun
	acked atomic.Int32
}

// run appends until stop, and at least once.
func (p *repeater) run(t *testing.T, l *Log, id [16]byte, partition int32, stop chan struct{}) {
	for {
		n := p.acked.Load()
		p.sent = max(p.sent, n+1)
		m := built{producer: p.id, sequence: n, times: times(1, int64(n)), values: []string{strings.Repeat("v", 100)}}
		if _, _, err := appendWait(l, id, partition, m.batch()); err != nil {
			t.Error(err)
			return
		}
		p.acked.Add(1)
		select {
		case <-stop:
			return
		default:
		}
	}
}

// Concurrent producers, each idempotent, each with its last batch in flight when the
// machine crashes: what was acknowledged is there, and a producer that sends its last
// batch again continues without loss or double.
func TestAppend_AcknowledgedBatchesSurviveACrash(t *testing.T) {
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	const partitions = 2
	fs := vfs.NewCrashableMem()
	l := opened(t, fs, Options{})
	id := created(t, l, "t", partitions)
	var producers [6]repeater
	for round := range 8 {
		stop := make(chan struct{})
		var wg sync.WaitGroup
		for i := range producers {
			producers[i].id = int64(i)
			wg.Go(func() { producers[i].run(t, l, id, int32(i%partitions), stop) })
		}
		for producers[0].acked.Load() < int32(30*(round+1)) && !t.Failed() {
			mustAppend(t, l, id, plain(1, 1))
		}
		// What is acknowledged by now must be in the clone; what is not, may.
		var before [len(producers)]int32
		for i := range producers {
			before[i] = producers[i].acked.Load()
		}
		fs = fs.CrashClone(vfs.CrashCloneCfg{UnsyncedDataPercent: 30 * (round % 3), RNG: rand.New(rand.NewPCG(seed, uint64(round)))})
		close(stop)
		wg.Wait()
		if t.Failed() {
			return
		}
		l = opened(t, fs, Options{})
		for i := range producers {
			p := &producers[i]
			n := sequencesOf(t, l, id, int32(i%partitions), p.id)
			if n < before[i] || n > p.sent {
				t.Fatalf("round %d producer %d: %d batches, acknowledged %d, sent %d", round, i, n, before[i], p.sent)
			}
			// It knows what was acknowledged, and sends what came after again; a log remembers
			// five batches, and no more were acknowledged between count and clone unseen.
			p.acked.Store(max(before[i], n-5))
			p.sent = n
		}
	}
}

// sequencesOf reads a partition from its start and checks that offsets are dense and
// that the producer's sequences are 0, 1, 2…; it gives their number.
func sequencesOf(t *testing.T, l *Log, id [16]byte, partition int32, producer int64) (n int32) {
	t.Helper()
	start, end, err := part(t, l, id, partition).Bounds()
	if err != nil {
		t.Fatal(err)
	}
	for at := start; at < end; {
		raw, next, err := part(t, l, id, partition).Read(at, 1<<20, true, nil)
		if err != nil {
			t.Fatal(err)
		}
		for len(raw) > 0 {
			if int64(u64(raw)) != at {
				t.Fatalf("offset %d, want %d", u64(raw), at)
			}
			if int64(u64(raw[recordbatch.AtProducer:])) == producer {
				if s := int32(u32(raw[recordbatch.AtSequence:])); s != n {
					t.Fatalf("producer %d: sequence %d, want %d", producer, s, n)
				}
				n++
			}
			at += int64(u32(raw[recordbatch.AtCount:]))
			raw = raw[recordbatch.Size(raw):]
		}
		if at != next {
			t.Fatalf("next %d, want %d", next, at)
		}
	}
	return n
}

// A clock that cannot be right stamps nothing; one that is set right is stamped by, and an
// operator's word takes it as it is. Topics with their producers' times are no concern of it.
func TestClock_StampsNothingWhileItCannotBeRight(t *testing.T) {
	start := time.Date(2026, 11, 23, 12, 0, 0, 0, time.UTC)
	for name, c := range map[string]struct {
		rested time.Duration // by the clock, between the last append and the opening
		passed time.Duration // since the opening
		shows  time.Duration // the clock, since the opening
		trust  bool
		why    string // empty: it stamps
	}{
		"right":                          {time.Minute, time.Hour, time.Hour, false, ""},
		"a rest of two months":           {60 * 24 * time.Hour, time.Hour, time.Hour, false, ""},
		"open for a year":                {time.Minute, 365 * 24 * time.Hour, 365*24*time.Hour + time.Minute, false, ""},
		"slewed":                         {time.Minute, time.Hour, 100 * time.Minute, false, ""},
		"a leap ahead":                   {time.Minute, time.Minute, 62 * time.Minute, false, "leapt by 1h1m0s"},
		"a leap back":                    {time.Minute, time.Minute, -62 * time.Minute, false, "leapt by -1h3m0s"},
		"a leap, trusted at the opening": {time.Minute, time.Minute, 62 * time.Minute, true, "leapt by 1h1m0s"},
		"booted in the past":             {-2 * time.Hour, time.Minute, time.Minute, false, "the last record is of 2026-11-23T12:00:00Z, the clock shows 2026-11-23T10:01:00Z"},
		"the last record was ahead":      {-2 * time.Hour, time.Minute, time.Minute, true, ""},
		"an hour later":                  {-2 * time.Hour, 61 * time.Minute, 61 * time.Minute, false, ""},
		"booted in the future":           {1000 * 24 * time.Hour, time.Minute, time.Minute, false, "1000 days behind the last record"},
		"a rest of years":                {1000 * 24 * time.Hour, time.Minute, time.Minute, true, ""},
	} {
		t.Run(name, func(t *testing.T) {
			fs, clk, passed := vfs.NewMem(), &fakeClock{ms: start.UnixMilli()}, time.Duration(0)
			since := func() time.Duration { return passed }
			l := opened(t, fs, Options{Now: clk.now, Since: since})
			id, free := created(t, l, "t", 1, configTimestampType, "LogAppendTime"), created(t, l, "u", 1)
			one := built{producer: -1, times: []int64{1}}
			if _, _, err := appendWait(l, id, 0, one.batch()); err != nil {
				t.Fatal("a new log: ", err)
			}
			if err := l.Close(); err != nil {
				t.Fatal(err)
			}
			open := start.Add(c.rested)
			clk.ms = open.UnixMilli()
			said := &bytes.Buffer{}
			l = opened(t, fs, Options{Now: clk.now, Since: since, TrustClock: c.trust, Logger: slog.New(slog.NewTextHandler(said, nil))})
			_ = l.Stats()
			clk.ms, passed = open.Add(c.shows).UnixMilli(), c.passed
			for range 3 {
				_, _, err := appendWait(l, id, 0, one.batch())
				st := l.Stats()
				switch refusing := st.Refusing; {
				case st.Unstamped != (c.why != ""):
					t.Fatalf("%+v", st)
				case c.why == "" && (err != nil || refusing != ""):
					t.Fatalf("%v, %q", err, refusing)
				case c.why != "" && (!errors.Is(err, StorageError) || !strings.Contains(err.Error(), c.why) || !strings.Contains(refusing, c.why)):
					t.Fatalf("%v, %q", err, refusing)
				}
				if _, _, err := appendWait(l, free, 0, one.batch()); err != nil {
					t.Fatal("with a time of its own: ", err)
				}
			}
			if c.why == "" {
				return
			}
			clk.ms = max(start.UnixMilli(), min(clk.ms, start.Add(time.Minute+c.passed).UnixMilli())) // it is set right
			if _, _, err := appendWait(l, id, 0, one.batch()); err != nil {
				t.Error("set right: ", err)
			}
			if n := strings.Count(said.String(), "appends are refused"); n != 2 {
				t.Errorf("%d lines\n%s", n, said)
			}
		})
	}
}

package log

import (
	"math"
	"testing"

	"github.com/cockroachdb/pebble/v2/vfs"
)

func TestProducers_RepeatOfTheLastFiveIsStoredOnce(t *testing.T) {
	l := opened(t, vfs.NewMem(), Options{})
	id := created(t, l, "t", 1)
	batch := func(i int) []byte {
		return built{producer: 7, sequence: int32(2 * i), times: times(2, 1)}.batch()
	}
	for i := range 8 {
		if base := mustAppend(t, l, id, batch(i)); base != int64(2*i) {
			t.Fatalf("batch %d at %d", i, base)
		}
	}
	for i := 3; i < 8; i++ {
		if base := mustAppend(t, l, id, batch(i)); base != int64(2*i) {
			t.Fatalf("repeat %d at %d", i, base)
		}
	}
	_, _, _, err := part(t, l, id, 0).Append(batch(2))
	wantCode(t, err, OutOfOrderSequence)
	if _, end, _ := part(t, l, id, 0).Bounds(); end != 16 {
		t.Fatalf("end %d", end)
	}
	if s := l.Stats(); s.Appends != 8 || s.Repeats != 5 {
		t.Fatalf("%+v", s)
	}
}

func TestProducers_SequencesAndEpochs(t *testing.T) {
	for _, c := range []struct {
		name   string
		before []built // appended, must go well
		then   built
		want   Code // 0: stored
	}{
		{"a new producer may begin anywhere", nil, built{sequence: 90}, 0},
		{"a hole", []built{{}}, built{sequence: 2}, OutOfOrderSequence},
		{"the same start with other length", []built{{times: times(2, 1)}}, built{times: times(1, 1)}, OutOfOrderSequence},
		{"after 2^31-1 comes 0", []built{{sequence: math.MaxInt32}}, built{sequence: 0}, 0},
		{"a batch across the wrap", []built{{sequence: math.MaxInt32 - 1, times: times(4, 1)}}, built{sequence: 2}, 0},
		{"a hole at the wrap", []built{{sequence: math.MaxInt32}}, built{sequence: 1}, OutOfOrderSequence},
		{"an old epoch", []built{{epoch: 3}}, built{epoch: 2, sequence: 1}, InvalidProducerEpoch},
		{"a new epoch begins with 0", []built{{}, {sequence: 1}}, built{epoch: 1}, 0},
		{"a new epoch does not begin with 2", []built{{}, {sequence: 1}}, built{epoch: 1, sequence: 2}, OutOfOrderSequence},
	} {
		t.Run(c.name, func(t *testing.T) {
			fs := vfs.NewMem()
			l := opened(t, fs, Options{})
			id := created(t, l, "t", 1)
			for _, b := range c.before {
				if b.times == nil {
					b.times = times(1, 1)
				}
				mustAppend(t, l, id, b.batch())
			}
			if err := l.Close(); err != nil { // what is stored must be what is remembered
				t.Fatal(err)
			}
			l = opened(t, fs, Options{})
			if c.then.times == nil {
				c.then.times = times(1, 1)
			}
			_, _, err := appendWait(l, id, 0, c.then.batch())
			if c.want != 0 {
				wantCode(t, err, c.want)
			} else if err != nil {
				t.Fatal(err)
			}
		})
	}
}

func TestProducers_EvictTheLeastRecent(t *testing.T) {
	if testing.Short() {
		t.Skip("4,097 appends")
	}
	fs := vfs.NewMem()
	l := opened(t, fs, Options{})
	id := created(t, l, "t", 1)
	one := func(producer int64, sequence int32) []byte {
		return built{producer: producer, sequence: sequence, times: times(1, 1)}.batch()
	}
	for i := range maxProducers {
		mustAppend(t, l, id, one(int64(i), 0))
	}
	mustAppend(t, l, id, one(0, 1)) // now 1 is the oldest
	mustAppend(t, l, id, one(maxProducers, 0))
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	l = opened(t, fs, Options{})
	p := part(t, l, id, 0)
	if len(p.producers) != maxProducers || p.producers[1] != nil || p.producers[0] == nil || p.producers[maxProducers] == nil {
		t.Fatalf("%d producers", len(p.producers))
	}
}

func TestProducerIDs_AreUnique(t *testing.T) {
	fs := vfs.NewCrashableMem()
	l := opened(t, fs, Options{})
	seen := map[int64]bool{}
	for range 3 {
		for range idsReserved + 10 {
			id, err := l.NewProducerID()
			if err != nil || seen[id] {
				t.Fatalf("id %d: %v", id, err)
			}
			seen[id] = true
		}
		fs = fs.CrashClone(vfs.CrashCloneCfg{})
		l = opened(t, fs, Options{})
	}
}

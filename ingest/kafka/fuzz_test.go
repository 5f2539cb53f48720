package kafka

import (
	"bytes"
	"encoding/binary"
	"errors"
	"maps"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"

	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/ovation-analytics/ovation/ingest/walk/walktest"
)

// answerTo is an empty answer in the version spoken.
func answerTo(key kmsg.Key) kmsg.Response {
	rs := kmsg.ResponseForKey(int16(key))
	rs.SetVersion(versions[key])
	return rs
}

// Whatever a broker answers to whatever it was asked: an answer or an error, and memory
// only as the bytes are that came.
func FuzzAnswer(f *testing.F) {
	keys := slices.Sorted(maps.Keys(versions))
	for i, key := range keys {
		body := answerTo(key).AppendTo(nil)
		f.Add(uint8(i), body)
		f.Add(uint8(i), append([]byte{0}, body...))
	}
	f.Add(uint8(3), []byte{0, 0, 0, 0, 0x7f, 0xff, 0xff, 0xff})
	f.Add(uint8(1), bytes.Repeat([]byte{0xff}, 40))
	f.Fuzz(func(t *testing.T, which uint8, b []byte) {
		frame := binary.BigEndian.AppendUint32(nil, uint32(4+len(b)))
		frame = append(binary.BigEndian.AppendUint32(frame, 5), b...)
		walktest.Allocates(t, 64<<10+200*len(b), func() {
			payload := []byte("request")
			x := &exchange{payload: &payload, correlation: 5, limit: maxAnswer, answer: answerTo(keys[int(which)%len(keys)])}
			_, _ = x.RawExchange(&wire{answer: bytes.NewReader(frame)})
		})
	})
}

// Each answer that a broker gives fits, with unknown tags too, and none that was
// cut does.
func TestShapes_FitEveryAnswer(t *testing.T) {
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	r := rand.New(rand.NewPCG(seed, 0))
	for key, version := range versions {
		for range 300 {
			rs := answerTo(key)
			walktest.Fill(r, reflect.ValueOf(rs).Elem())
			rs.SetVersion(version)
			b := rs.AppendTo(nil)
			if !rs.IsFlexible() || !fits(int16(key), b) || !fits(int16(key), append(b, 1, 2)) {
				t.Fatalf("%s does not fit: %x", key.Name(), b)
			}
			if fits(int16(key), b[:r.IntN(len(b))]) {
				t.Fatalf("%s fits though it was cut: %x", key.Name(), b)
			}
		}
	}
}

// A number of tags that lies keeps the decoder busy for minutes. Fuzzing found it, in an
// answer to Produce.
func TestShapes_RefuseAWrongLength(t *testing.T) {
	b := []byte{2, 1, 0, 0xff, 0xff, 0xff, 0xff, 0x65}
	frame := append([]byte{0, 0, 0, byte(5 + len(b)), 0, 0, 0, 5, 0}, b...)
	rs := kmsg.NewPtrProduceResponse()
	rs.SetVersion(versions[kmsg.Produce])
	payload := []byte("request")
	x := &exchange{payload: &payload, correlation: 5, limit: maxAnswer, answer: rs}
	if _, err := x.RawExchange(&wire{answer: bytes.NewReader(frame)}); !errors.Is(err, errAnswer) {
		t.Fatalf("%v", err)
	}
}

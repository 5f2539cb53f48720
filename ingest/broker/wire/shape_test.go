package wire

import (
	"bytes"
	"math/rand/v2"
	"reflect"
	"runtime"
	"testing"

	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/ovation-analytics/ovation/ingest/walk/walktest"
)

func TestShape_FitsEveryRequestOfEveryVersion(t *testing.T) {
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	r := rand.New(rand.NewPCG(seed, 0))
	for key, a := range apis {
		for version := a.min; version <= a.max; version++ {
			for range 50 {
				req := kmsg.RequestForKey(key)
				req.SetVersion(version)
				walktest.Fill(r, reflect.ValueOf(req).Elem())
				req.SetVersion(version)
				b := req.AppendTo(nil)
				rest, ok := fits(a.shape, version, req.IsFlexible(), b)
				if !ok || len(rest) > 0 {
					t.Fatalf("%s version %d: fits %v, %d bytes left of %d", kmsg.NameForKey(key), version, ok, len(rest), len(b))
				}
				if rest, ok := fits(a.shape, version, req.IsFlexible(), append(b, 1, 2)); !ok || len(rest) != 2 {
					t.Fatalf("%s version %d: bytes behind", kmsg.NameForKey(key), version)
				}
				if len(b) > 0 {
					if _, ok := fits(a.shape, version, req.IsFlexible(), b[:r.IntN(len(b))]); ok {
						t.Fatalf("%s version %d: fits though it was cut", kmsg.NameForKey(key), version)
					}
				}
			}
		}
	}
}

// hostile are bodies whose lengths lie.
var hostile = []struct {
	name         string
	key, version int16
	body         []byte
}{
	{"array of 2^31-1", 3, 1, []byte{0x7f, 0xff, 0xff, 0xff}},
	{"array as long as its bytes", 3, 1, append([]byte{0, 1, 0, 0}, make([]byte, 1<<16)...)},
	{"many empty elements", 3, 1, append([]byte{0, 8, 0, 0}, make([]byte, 1<<20)...)},
	{"compact array", 3, 9, []byte{0xff, 0xff, 0xff, 0xff, 0x0f}},
	{"2^32-1 tags", 3, 9, []byte{1, 0, 0, 0, 0xff, 0xff, 0xff, 0xff, 0x0f}},
	{"a length of 64 bits", 3, 9, bytes.Repeat([]byte{0xff}, 20)},
	{"a string longer than the rest", 10, 0, []byte{0x7f, 0xff, 'x'}},
	{"tags within a tag", 1, 12, append(make([]byte, 4+4+4+4+1+8), 1, 1, 1, 1, 1, 17, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff, 0xff, 0xff, 0x0f)},
	{"nothing", 0, 3, nil},
}

func TestShape_RefusesAWrongLength(t *testing.T) {
	for _, h := range hostile {
		t.Run(h.name, func(t *testing.T) {
			frame := append([]byte{0xff, 0xff}, h.body...)
			if kmsg.RequestForKey(h.key).MaxVersion() >= 9 && h.version >= 9 {
				frame = append([]byte{0xff, 0xff, 0}, h.body...)
			}
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			const times = 100
			for range times {
				if _, err := decode(apis[h.key], h.key, h.version, frame); err == nil {
					t.Fatal("decoded")
				}
			}
			runtime.ReadMemStats(&after)
			allocs := (after.TotalAlloc - before.TotalAlloc) / times
			if allocs > 1<<12 {
				t.Fatalf("%d bytes allocated", allocs)
			}
		})
	}
}

func FuzzRequest_AnswerOrProblem(f *testing.F) {
	r := rand.New(rand.NewPCG(1, 2))
	for key, a := range apis {
		for version := a.min; version <= a.max; version++ {
			req := kmsg.RequestForKey(key)
			req.SetVersion(version)
			walktest.Fill(r, reflect.ValueOf(req).Elem())
			req.SetVersion(version)
			head := []byte{0, 1, 'c'}
			if req.IsFlexible() {
				head = append(head, 0)
			}
			f.Add(key, version, append(head, req.AppendTo(nil)...))
		}
	}
	for _, h := range hostile {
		f.Add(h.key, h.version, append([]byte{0xff, 0xff, 0}, h.body...))
	}
	f.Fuzz(func(t *testing.T, key, version int16, b []byte) {
		a, ok := apis[key]
		if !ok || version < a.min || version > a.max {
			return
		}
		var req kmsg.Request
		var err error
		walktest.Allocates(t, 64<<10+200*len(b), func() { req, err = decode(a, key, version, b) })
		if err != nil {
			return
		}
		again := kmsg.RequestForKey(key)
		again.SetVersion(version)
		if err := again.ReadFrom(req.AppendTo(nil)); err != nil {
			t.Fatalf("what was decoded cannot be encoded and decoded again: %v", err)
		}
	})
}

package bloom

import (
	"math/rand/v2"
	"testing"

	"github.com/ovation-analytics/ovation/actors/domain"
)

func TestFilter_NeverForgets(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 9))
	f := New(0)
	var in []uint64
	for range 20000 { // grows many times
		x := Mix(domain.AccountID(r.IntN(3)), domain.Ordinal(r.IntN(1000)), r.Uint64())
		f.Add(x)
		in = append(in, x)
	}
	for _, x := range in {
		if !f.Maybe(x) {
			t.Fatal("a row is forgotten")
		}
	}
	wrong := 0
	for range 100000 {
		if f.Maybe(Mix(1, 1, r.Uint64())) {
			wrong++
		}
	}
	if wrong > len(f.parts)*70/10 {
		t.Errorf("%d of 100000 are maybe there", wrong)
	}
	if len(f.parts) < 2 || f.Bytes() > 20000*filterBits/8*3 {
		t.Errorf("%d parts, %d bytes", len(f.parts), f.Bytes())
	}
}

func TestFilter_SizeWhenItGrew(t *testing.T) {
	f, rows := New(50_000), 0
	for ; rows < 3*filterMuch; rows++ {
		f.Add(uint64(rows) * 0x9e3779b97f4a7c15)
	}
	if maxBytes := rows*filterBits/8*3/2 + 1<<20; f.Bytes() > maxBytes || len(f.parts) > 9 {
		t.Errorf("%d rows: %d parts, %d bytes", rows, len(f.parts), f.Bytes())
	}
}

package members

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/api/extended"
)

// Of rows that are offered in any order the first after a cursor are kept, with the bytes of their
// keys, however many there are.
func TestFirstRows_KeepsTheFirst(t *testing.T) {
	seed := rand.Uint64()
	t.Log("seed", seed)
	r := rand.New(rand.NewPCG(seed, 1))
	for range 200 {
		f := &firstRows{down: r.IntN(2) == 0, rows: r.IntN(90)}
		all := make([]ordered, r.IntN(400))
		for i := range all {
			all[i] = ordered{domain.MemberID(i + 1), extended.Key{Class: extended.Class(r.IntN(3)), Bytes: strings.Repeat("x", r.IntN(4))}}
		}
		r.Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
		if len(all) > 0 && r.IntN(2) == 0 {
			f.after = &all[r.IntN(len(all))]
		}
		for _, o := range all {
			f.offer(o)
		}
		want := slices.Clone(all)
		slices.SortFunc(want, f.compare)
		if f.after != nil {
			at := slices.Index(want, *f.after)
			want = want[at+1:]
		}
		want = want[:min(f.rows, len(want))]
		bytes := 0
		for _, o := range want {
			bytes += len(o.key.Bytes)
		}
		if got := f.first(); !slices.Equal(got, want) || f.bytes != bytes {
			t.Fatalf("%d rows of %d: %v, %d bytes, want %v, %d", f.rows, len(all), got, f.bytes, want, bytes)
		}
	}
}

// A row's place survives its cursor.
func TestOrdered_OfACursor(t *testing.T) {
	for _, o := range []ordered{
		{7, extended.Key{Class: extended.Number, Bytes: "2\x80\x00"}}, {8, extended.Key{Class: extended.Text, Bytes: "é"}}, {9, extended.Key{Class: extended.Missing}},
	} {
		row := o.row()
		if got := orderedBy(&row); got != o {
			t.Errorf("%v comes back as %v", o, got)
		}
	}
}

package format

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/ovation-analytics/ovation/actors/domain"
)

// sealedContents are operands as a shard seals them one after the other: n with some
// entries each, of sizes that vary.
func sealedContents(r *rand.Rand, n, entries int) (list [][]byte) {
	var c ContentCodec
	seq := r.Uint64() >> r.IntN(64) >> 1
	for range n {
		var add []Entry
		for range entries {
			seq += 1 + r.Uint64N(9)
			e := Entry{Seq: seq, Recorded: r.Uint64() >> r.IntN(64)}
			if r.IntN(5) > 0 {
				e.Text = AppendContent(nil, &domain.Content{Content: fmt.Sprintf(`{"TrackName":"Song %d"}`, r.IntN(1<<r.IntN(30)))})
			}
			add = append(add, e)
		}
		list = append(list, c.Append(nil, nil, add))
	}
	return list
}

// Joined operands are the very bytes that merging them entry by entry gives, and only
// those are joined that can be.
func TestContents_JoiningGivesWhatMergingGives(t *testing.T) {
	t.Parallel()
	seed := rand.Uint64()
	r := rand.New(rand.NewPCG(seed, 21))
	joined, not := 0, 0
	for range 3000 {
		list := sealedContents(r, 1+r.IntN(6), r.IntN(4))
		switch r.IntN(5) {
		case 0: // some take others, some are out of order
			list = operandsOf(r, FamilyContent)
		case 1:
			list = append(list, list[r.IntN(len(list))])
		case 2:
			r.Shuffle(len(list), func(i, j int) { list[i], list[j] = list[j], list[i] })
		case 3:
			v := bytes.Clone(list[r.IntN(len(list))])
			if r.IntN(2) == 0 {
				v = v[:r.IntN(len(v))]
			} else {
				v[r.IntN(len(v))] ^= 1 << r.IntN(8)
			}
			list[r.IntN(len(list))] = v
		}
		var c ContentCodec
		before := []byte("before")
		got, ok := c.join(bytes.Clone(before), list)
		want, err := c.mergeEach(bytes.Clone(before), list, r.IntN(2) == 0)
		switch {
		case !ok:
			not++
			if !bytes.Equal(got, before) {
				t.Fatalf("seed %d: %x is left of what could not be joined", seed, got)
			}
		case err != nil || !bytes.Equal(got, want):
			t.Fatalf("seed %d: %x\n%x, %v\nof %x", seed, got, want, err, list)
		default:
			joined++
		}
	}
	if joined < 500 || not < 500 {
		t.Errorf("seed %d: %d joined, %d not", seed, joined, not)
	}
	var c ContentCodec
	list := sealedContents(r, 5, 40)
	if _, ok := c.join(nil, list); !ok {
		t.Errorf("seed %d: what was sealed one after the other is not joined", seed)
	}
}

// BenchmarkMergeContents is what a read costs of a key that is not compacted.
func BenchmarkMergeContents(b *testing.B) {
	r := rand.New(rand.NewPCG(1, 2))
	for _, of := range []struct{ operands, entries int }{{4, 300}, {20, 60}, {200, 2}} {
		list := sealedContents(r, of.operands, of.entries)
		for name, merge := range map[string]func(c *ContentCodec, dst []byte) ([]byte, error){
			"joined":  func(c *ContentCodec, dst []byte) ([]byte, error) { return c.merge(dst, list, true) },
			"by each": func(c *ContentCodec, dst []byte) ([]byte, error) { return c.mergeEach(dst, list, true) },
		} {
			b.Run(fmt.Sprintf("%s/%dx%d", name, of.operands, of.entries), func(b *testing.B) {
				var c ContentCodec
				var dst []byte
				b.ReportAllocs()
				for b.Loop() {
					var err error
					if dst, err = merge(&c, dst[:0]); err != nil {
						b.Fatal(err)
					}
				}
				b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*of.operands*of.entries), "ns/entry")
			})
		}
	}
}

package view

import (
	"math/rand/v2"
	"testing"

	"github.com/ovation-analytics/ovation/actors/brand/rows"
)

// The versions of brands are those of a map, however the numbers of the brands lie.
func TestAccountVersions_OfBrandsAreThoseOfAMap(t *testing.T) {
	seed := rand.Uint64()
	r := rand.New(rand.NewPCG(seed, 1))
	var a AccountVersions
	last, every := map[uint32]uint64{}, uint64(0)
	for version := uint64(1); version < 2000; version++ {
		for range r.IntN(4) {
			dense := uint32(r.ExpFloat64() * 300)
			if a.SetRows(dense, version); dense != rows.Visits {
				every = version
			}
			last[dense] = version
		}
		dense, since := uint32(r.ExpFloat64()*300), r.Uint64N(version+1)
		if got := a.RowsSince(dense, since); got != (last[dense] > since) {
			t.Fatalf("seed %d: brand %d since %d: %v, it was %d", seed, dense, since, got, last[dense])
		}
		if got := a.RowsSince(rows.EveryBrand, since); got != (every > since) {
			t.Fatalf("seed %d: any brand since %d: %v, it was %d", seed, since, got, every)
		}
	}
	if a.RowsSince(1<<20, 0) {
		t.Error("a brand that never had a row has a version")
	}
}

// BenchmarkAccountVersions_SetRows is what a brand's rows of a slice cost beside their appending.
func BenchmarkAccountVersions_SetRows(b *testing.B) {
	var a AccountVersions
	b.ReportAllocs()
	version := uint64(0)
	for b.Loop() {
		version++
		for dense := range uint32(1000) {
			a.SetRows(dense+1, version)
		}
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/1000, "ns/brand")
}

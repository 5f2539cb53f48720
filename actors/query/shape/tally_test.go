package shape

import (
	"fmt"
	"testing"

	"github.com/ovation-analytics/ovation/actors/domain"
)

func BenchmarkMergeTally(b *testing.B) {
	for _, groups := range []int{20, 2000} {
		parts := make([]*domain.Tally, 64)
		for i := range parts {
			parts[i] = &domain.Tally{}
			for g := range groups {
				parts[i].Groups = append(parts[i].Groups, domain.GroupCount{Group: uint32(100 + g), Count: domain.Count{Actions: 7, Members: 5}})
			}
		}
		b.Run(fmt.Sprint("64 parts/", groups), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				MergeTally(parts)
			}
		})
	}
}

package member

import (
	"slices"

	"github.com/ovation-analytics/ovation/actors/domain"
)

// serviceValues are services as AttrService has them.
func serviceValues(services []domain.Service) []string {
	out := make([]string, len(services))
	for i, s := range services {
		out[i] = serviceValue(s)
	}
	return out
}

func serviceValue(s domain.Service) string { return string([]byte{byte(s)}) }

// opted are the bitmaps of who opted in to something, but for what is no more,
// which is sorted.
func (b *bitmaps) opted(ended []string) (maps []*bitmap) {
	for _, p := range b.of {
		if p == nil {
			continue
		}
		for v, m := range p.of {
			if v.attribute != domain.AttrOptIn {
				continue
			}
			if _, gone := slices.BinarySearch(ended, v.value); !gone {
				maps = append(maps, m)
			}
		}
	}
	return maps
}

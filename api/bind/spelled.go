package bind

import (
	"encoding/binary"
	"slices"
)

// AppendSpelled appends what the request says as it says it: names as they are spelled,
// in the order given, without those named. Two requests that differ in it may be one
// question; two that do not are.
func (p *Params) AppendSpelled(dst []byte, without ...string) []byte {
	for i := range p.given {
		g := &p.given[i]
		if slices.Contains(without, g.Name) {
			continue
		}
		dst = binary.AppendUvarint(dst, uint64(len(g.As)))
		dst = append(dst, g.As...)
		dst = binary.AppendUvarint(dst, uint64(len(g.Value)))
		dst = append(dst, g.Value...)
	}
	return dst
}

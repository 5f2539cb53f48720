package format

import (
	"encoding/binary"
	"errors"
	"slices"
	"testing"

	"github.com/ovation-analytics/ovation/actors/domain"
)

// A state that counts reasons of a later version is newer, not damaged.
func TestDecodeState_MoreReasonsAreNewer(t *testing.T) {
	v := AppendState(nil, &domain.ShardState{}, nil)
	counts := append(binary.AppendUvarint(nil, uint64(domain.Reasons)), make([]byte, domain.Reasons)...)
	const behind = 1 + 16 // no handovers, and the facts
	at := len(v) - behind - len(counts)
	if !slices.Equal(v[at:len(v)-behind], counts) {
		t.Fatalf("no counts at %d of %x", at, v)
	}
	more := append(binary.AppendUvarint(nil, uint64(domain.Reasons)+1), make([]byte, domain.Reasons+1)...)
	v = slices.Concat(v[:at], more, v[len(v)-behind:])
	if _, _, err := DecodeState(v); !errors.Is(err, domain.ErrNewer) {
		t.Errorf("%v", err)
	}
}

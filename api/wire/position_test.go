package wire

import (
	"encoding/base64"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/ovation-analytics/ovation/actors/domain"
)

// A token gives back its position.
func TestPosition_RoundTrip(t *testing.T) {
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	rnd := rand.New(rand.NewPCG(seed, 1))
	for range 2000 {
		p := domain.Position{Journal: domain.TopicID{1, byte(rnd.IntN(256))}, Catalog: rnd.Int64N(1 << uint(1+rnd.IntN(62)))}
		for shard := rnd.IntN(3); shard < domain.Slots && rnd.IntN(20) > 0; shard += 1 + rnd.IntN(300) {
			p.Shards = append(p.Shards, domain.ShardOffset{Shard: shard, Next: rnd.Int64N(math.MaxInt64)})
		}
		got, err := DecodePosition(EncodePosition(p))
		if err != nil {
			t.Fatalf("%+v: %v", p, err)
		}
		if d := cmp.Diff(p, got); d != "" {
			t.Fatal(d)
		}
	}
}

// A token has these bytes.
func TestPosition_Golden(t *testing.T) {
	p := domain.Position{Journal: domain.TopicID{0xab}, Catalog: 300, Shards: []domain.ShardOffset{{Shard: 2, Next: 5}, {Shard: 3, Next: 1 << 40}}}
	if got, want := EncodePosition(p), "AasAAAAAAAAAAAAAAAAAAACsAgICBQCAgICAgCA"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
}

// Other texts are no position.
func TestPosition_Invalid(t *testing.T) {
	raw := func(b ...byte) string { return base64.RawURLEncoding.EncodeToString(b) }
	journal := append([]byte{1, 1}, make([]byte, 15)...)
	none := append([]byte{1}, make([]byte, 16)...)
	with := func(head []byte, tail ...byte) string { return raw(append(append([]byte{}, head...), tail...)...) }
	for name, token := range map[string]string{
		"empty": "", "no base64": "!!!!", "short": raw(1, 2, 3), "padding": EncodePosition(domain.Position{}) + "=",
		"another version": with(append([]byte{2}, journal[1:]...), 0, 0), "no shards' number": with(journal, 0),
		"more shards than bytes": with(journal, 0, 200, 1), "too long": with(journal, 0, 0, 0),
		"longer than needed": with(journal, 0x80, 0, 0), "offset below 0": with(journal, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 1, 0),
		"shard beyond all": with(journal, 0, 2, 0xff, 0x1f, 0, 0, 0), "shards of no journal": with(none, 0, 1, 0, 1),
		"line ends":      "AQAAAAAAAAAAAAA\rAoooooA\rAAAA",
		"bits left over": "AasAAAAAAAAAAAAAAAAAAACsAgICBQCAgICAgCB",
	} {
		if p, err := DecodePosition(token); err == nil {
			t.Errorf("%s: %+v", name, p)
		}
	}
}

// What decodes encodes to the same token.
func FuzzDecodePosition_OneTokenPerPosition(f *testing.F) {
	f.Add(EncodePosition(domain.Position{}))
	f.Add("AasAAAAAAAAAAAAAAAAAAACsAgICBQCAgICAgCA")
	f.Fuzz(func(t *testing.T, token string) {
		p, err := DecodePosition(token)
		if err != nil {
			return
		}
		if again := EncodePosition(p); again != token {
			t.Fatalf("%q is another spelling of %q", token, again)
		}
	})
}

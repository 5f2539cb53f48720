package log

import (
	"encoding/hex"
	"testing"

	"github.com/ovation-analytics/ovation/actors/domain"
)

func TestValues_AreWrittenAsDrawn(t *testing.T) {
	id := domain.TopicID{0xaa, 15: 0xbb}
	s := &producer{epoch: 3, n: 1}
	s.last[0] = appended{first: 1, last: 2, base: 3, stamp: -1}
	for _, c := range []struct {
		name string
		got  []byte
		want string
	}{
		{"epoch", encodeEpoch(5), "0100000005"},
		{"number", encodeNumber(-1), "01ffffffffffffffff"},
		{"floor", encodeFloor(1, 2), "0100000000000000010000000000000002"},
		{"offset", encodeGroupOffset(GroupOffset{Offset: 1, Epoch: 2, Metadata: "m"}), "010000000000000001000000026d"},
		{"topic", encodeTopic(Topic{id, "t", 2, map[string]string{"b": "", "a": "1"}}), "01" + "00000002" + "000174" + "0002" + "000161" + "000131" + "000162" + "0000"},
		{"producer", s.encode(nil), "01" + "0003" + "01" + "00000001" + "00000002" + "0000000000000003" + "ffffffffffffffff"},
		{"block key", partID{id, 1}.blockKey(2), "78" + "aa0000000000000000000000000000bb" + "00000001" + "0000000000000002"},
		{"group key", groupOffsetKey("gr", id, 1), "67" + "0002" + "6772" + "aa0000000000000000000000000000bb" + "00000001"},
	} {
		if got := hex.EncodeToString(c.got); got != c.want {
			t.Errorf("%s: %s, want %s", c.name, got, c.want)
		}
	}
}

func FuzzStoredValues(f *testing.F) {
	f.Add(encodeTopic(Topic{Name: "t", Partitions: 2, Config: map[string]string{"a": "1"}}))
	f.Add((&producer{n: 1}).encode(nil))
	f.Add(encodeFloor(1, 2))
	f.Fuzz(func(t *testing.T, v []byte) {
		if s, err := decodeProducer(v); err == nil && string(s.encode(nil)) != string(v) {
			t.Fatal("producer")
		}
		if a, b, err := decodeFloor(v); err == nil && string(encodeFloor(a, b)) != string(v) {
			t.Fatal("floor")
		}
		if o, err := decodeGroupOffset(v); err == nil && string(encodeGroupOffset(o)) != string(v) {
			t.Fatal("offset")
		}
		_, _ = decodeTopic(domain.TopicID{}, v)
		_, _ = decodeBlock(make([]byte, partKeyLen+8), v)
	})
}

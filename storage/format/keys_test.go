package format

import (
	"bytes"
	"errors"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/ovation-analytics/ovation/actors/domain"
)

func TestKeys_OrderedByTheirFields(t *testing.T) {
	r := rand.New(rand.NewPCG(4, 4))
	for range 2000 {
		a := BrandMonth{domain.AccountID(r.IntN(3)), domain.BrandID(r.Uint32() >> r.IntN(32)), domain.Month(r.IntN(700))}
		b := a
		b.Brand++
		lower := AppendRowKey(nil, FamilyRows, 1, a, uint8(r.IntN(3)), uint16(r.IntN(744)))
		if b.Brand > a.Brand && bytes.Compare(lower, AppendRowKey(nil, FamilyRows, 1, b, 0, 0)) >= 0 {
			t.Fatalf("%v stands behind %v", a, b)
		}
		later := a
		later.Month++
		if bytes.Compare(lower, AppendRowKey(nil, FamilyRows, 0, later, 0, 0)) >= 0 {
			t.Fatal("a month does not come before the shard")
		}
		p, err := ParseRowKey(lower)
		if p.Shard != 1 || p.Of != a || err != nil {
			t.Fatalf("%x is read as %v, %v", lower, p, err)
		}
		id := domain.MemberIDOf(r.Uint64()>>20, domain.Slot(r.IntN(domain.Slots-1)))
		if k := AppendPlaceKey(nil, 1, id); bytes.Compare(k, AppendPlaceKey(nil, 1, id+1<<12)) >= 0 ||
			bytes.Compare(k, AppendPlaceKey(nil, 1, domain.MemberIDOf(0, id.Slot()+1))) >= 0 {
			t.Fatal("places are not by slot and sequence")
		}
	}
}

// A key of another length than its family's is refused as damaged, by each reader of it and as text:
// a key that was cut or grew is never read as that of another member, brand or time.
func TestKeys_OfAnotherLength(t *testing.T) {
	all := golden(t)
	value := func(name string) []byte { return unhex(t, all["value "+name]) }
	for name, parse := range map[string]func(k []byte) error{
		"R":   func(k []byte) error { _, err := ParseRowKey(k); return err },
		"T":   func(k []byte) error { _, err := ParseTailKey(k); return err },
		"a":   func(k []byte) error { _, _, _, err := ParseColumnKey(k); return err },
		"b":   func(k []byte) error { _, _, _, _, err := ParseBitsKey(k); return err },
		"d":   func(k []byte) error { _, err := DecodeNotice(k, value("d")); return err },
		"f":   func(k []byte) error { _, err := ParseOneTimeKey(k); return err },
		"g":   func(k []byte) error { _, err := DecodeMembership(k, value("g")); return err },
		"h":   func(k []byte) error { _, err := DecodeFollowed(k, value("h")); return err },
		"i":   func(k []byte) error { _, err := DecodeIdentity(k, value("i")); return err },
		"k":   func(k []byte) error { _, err := DecodeParked(k, value("k")); return err },
		"m":   func(k []byte) error { _, _, err := ParseMemberKey(k); return err },
		"n":   func(k []byte) error { _, _, _, err := DecodeCountsKey(k, value("n")); return err },
		"o":   func(k []byte) error { _, _, err := DecodePlace(k, value("o")); return err },
		"p":   func(k []byte) error { _, err := DecodePointer(k, value("p")); return err },
		"s":   func(k []byte) error { _, _, _, err := DecodeSealed(k, value("s")); return err },
		"t":   func(k []byte) error { _, _, err := ParseTimelineKey(k); return err },
		"u":   func(k []byte) error { _, err := DecodeUsageKey(k, value("u")); return err },
		"v":   func(k []byte) error { _, err := DecodeVisitPlace(k, value("v")); return err },
		"z o": func(k []byte) error { _, err := DecodeOrigin(k, value("z o")); return err },
		"z m": func(k []byte) error { _, err := DecodeStateMark(k, AppendStateMark(nil, HashOf(k))); return err },
	} {
		k := unhex(t, all["key "+name])
		if name == "z m" {
			k = AppendStateMarkKey(nil, 2, 65536)
		}
		if err := parse(k); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		long := append(slices.Clone(k), make([]byte, 9)...)
		for n := 1; n <= len(long); n++ {
			if n == len(k) {
				continue
			}
			if err := parse(long[:n]); !errors.Is(err, ErrDamaged) {
				t.Errorf("%s: %d of %d bytes are read: %v", name, n, len(k), err)
			}
			if text, err := Text(long[:n], value(name[:1])); err == nil {
				t.Errorf("%s: %d of %d bytes are the text %s", name, n, len(k), text)
			}
		}
	}
	k := unhex(t, all["key R"])
	k[13] = Classes
	if p, err := ParseRowKey(k); !errors.Is(err, ErrDamaged) {
		t.Errorf("a class that is none is read as %+v", p)
	}
}

// What no format has is damaged: a family without merges, a kind of entity, a field of a content.
func TestFormat_UnknownKinds(t *testing.T) {
	one := AppendBit(nil, 1, true)
	for _, family := range []byte{FamilyMember, FamilyState, 0, 'Z'} {
		if v, err := mergeValues(family, nil, [][]byte{one, one}, true); !errors.Is(err, ErrDamaged) {
			t.Errorf("values of family %q are merged to %x", family, v)
		}
	}
	if _, err := Merger.Merge(nil, one); !errors.Is(err, ErrDamaged) {
		t.Errorf("a value of no key: %v", err)
	}
	for _, k := range [][]byte{{FamilyEntity}, {FamilyEntity, 0}, {FamilyEntity, 250}} {
		if e, err := DecodeEntity(k, []byte{version1}); !errors.Is(err, ErrDamaged) {
			t.Errorf("%x is the key of %T", k, e)
		}
	}
	if _, err := AppendEntityKey(nil, domain.Member{}); err == nil {
		t.Error("the catalog has a key for a member")
	}
	e := Entry{Seq: 1, Text: []byte{1 << 5}}
	if c, err := e.Decode(); !errors.Is(err, ErrDamaged) {
		t.Errorf("an unknown field is the content %+v", c)
	}
}

func TestPrefixEnd(t *testing.T) {
	for prefix, want := range map[string][]byte{"a": []byte("b"), "a\xff": []byte("b"), "a\x01\xff\xff": []byte("a\x02"), "\xff": nil, "": nil} {
		if got := PrefixEnd([]byte(prefix)); !bytes.Equal(got, want) {
			t.Errorf("after %q is %q, want %q", prefix, got, want)
		}
	}
}

func TestSlotOf_DaysAndHoursOfAMonth(t *testing.T) {
	m := domain.Month(650)
	start, end := m.Start(), (m + 1).Start()
	if SlotOf(classMonth, start, end-1) != 0 || SlotOf(ClassDay, start, start) != 0 || SlotOf(classHour, start, start+3600) != 1 {
		t.Error("first slots")
	}
	if d, h := SlotOf(ClassDay, start, end-1), SlotOf(classHour, start, end-1); uint32(d) != (end-start)/86400-1 || uint32(h) != (end-start)/3600-1 {
		t.Errorf("last slots %d %d", d, h)
	}
	w := Widths{DayClassFrom, HourClassFrom}
	if w.Class(0) != classMonth || w.Class(4095) != classMonth || w.Class(4096) != ClassDay || w.Class(128<<10) != classHour {
		t.Error("classes")
	}
}

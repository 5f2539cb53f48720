package format

import (
	"bytes"
	"math/rand/v2"
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

package format

import (
	"bytes"
	"cmp"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/storage/internal/check"
)

// put merges operands as Pebble does.
func put(t *testing.T, family byte, list [][]byte, base bool) []byte {
	t.Helper()
	m := check.Must[*operands](t)(firstOperand(family, list))
	v, done, err := m.Finish(base)
	check.OK(t, err)
	v = bytes.Clone(v)
	check.OK(t, done.Close())
	return v
}

// firstOperand gives a merger either from the oldest on or from the newest back.
func firstOperand(family byte, list [][]byte) (*operands, error) {
	newestFirst := len(list[0])%2 == 0
	if newestFirst {
		list = slices.Clone(list)
		slices.Reverse(list)
	}
	vm, err := Merger.Merge([]byte{family}, list[0])
	if err != nil {
		return nil, err
	}
	for _, v := range list[1:] {
		if newestFirst {
			err = vm.MergeOlder(v)
		} else {
			err = vm.MergeNewer(v)
		}
		if err != nil {
			return nil, err
		}
	}
	return vm.(*operands), nil
}

// grouped merges operands in any grouping; oldest says that the first is the oldest
// there is.
func grouped(t *testing.T, r *rand.Rand, family byte, list [][]byte, oldest bool) []byte {
	list = slices.Clone(list)
	for len(list) > 2 {
		i := r.IntN(len(list) - 1)
		j := min(len(list), i+1+r.IntN(4), i+len(list)-1)
		v := put(t, family, list[i:j], oldest && i == 0 && r.IntN(2) == 0)
		list = slices.Replace(list, i, j, v)
	}
	return put(t, family, list, oldest)
}

// operandsOf makes random operands of a family.
func operandsOf(r *rand.Rand, family byte) (list [][]byte) {
	var (
		rows    RowCodec
		content ContentCodec
		blocks  BlockWriter
		seq     uint64
		erased  = map[domain.Ordinal]bool{} // no newer rows come of them
	)
	for range 2 + r.IntN(20) {
		switch family {
		case FamilyRows:
			var add []Row
			for range someRows(r) {
				seq += 1 + uint64(r.IntN(5))
				add = append(add, Row{Seq: seq, Time: uint32(r.IntN(50)), Ord: domain.Ordinal(r.Uint32()), Definition: domain.DefinitionID(r.IntN(9)), Points: uint16(r.IntN(3)), Service: domain.Service(r.IntN(16))})
			}
			slices.SortFunc(add, func(a, b Row) int {
				if a.earlier(&b) {
					return -1
				}
				return 1
			})
			list = append(list, rows.Append(nil, someBelow(r, seq-uint64(5*len(add))), add))
		case FamilyContent:
			var add []Entry
			before := seq
			for range r.IntN(6) {
				seq += 1 + uint64(r.IntN(5))
				add = append(add, Entry{Seq: seq, Recorded: r.Uint64() >> r.IntN(64), Text: AppendContent(nil, &domain.Content{Marker: fmt.Sprint(r.IntN(1000)), Link: "l"})})
			}
			list = append(list, content.Append(nil, someBelow(r, before), add))
		case FamilyTimeline:
			if ord := domain.Ordinal(r.IntN(30)); r.IntN(5) == 0 && !erased[ord+1] {
				erased[ord], erased[ord+1] = true, true
				list = append(list, AppendErased(nil, []domain.Ordinal{ord, ord + 1}))
				continue
			}
			marks := slices.DeleteFunc(someMarks(r), func(a Action) bool { return erased[a.Ord] })
			if len(marks) > 0 {
				list = append(list, blocks.append([]byte{version1}, marks))
			}
		case FamilyCounts:
			list = append(list, AppendCounts(nil, []Tally{{uint16Month(r), uint8(r.IntN(Classes)), int64(r.IntN(9) - 4)}}))
		case FamilyBits:
			list = append(list, AppendBit(nil, uint16(r.IntN(40)), r.IntN(2) == 0))
		case FamilyColumn:
			list = append(list, AppendCell(nil, r.IntN(30), uint16(r.IntN(5))))
		case FamilyUsage:
			list = append(list, AppendUsage(nil, domain.AccountID(r.IntN(3)), uint64(r.IntN(9))))
		}
	}
	return list
}

// someRows is mostly few, and so many now and then that a value of them is a list.
func someRows(r *rand.Rand) int {
	if r.IntN(8) == 0 {
		return r.IntN(1200)
	}
	return r.IntN(6)
}

func uint16Month(r *rand.Rand) domain.Month { return domain.Month(600 + r.IntN(5)) }

// someBelow is a few sequences, ascending, that were or were not added before.
func someBelow(r *rand.Rand, limit uint64) (seqs []uint64) {
	if limit == 0 || limit > 1<<60 || r.IntN(2) == 0 {
		return nil
	}
	for range r.IntN(5) {
		seqs = append(seqs, 1+r.Uint64N(limit))
	}
	slices.Sort(seqs)
	return slices.Compact(seqs)
}

func someMarks(r *rand.Rand) (marks []Action) {
	for range 1 + int(r.ExpFloat64()*20) {
		seq := uint64(r.IntN(400))
		marks = append(marks, Action{Hash: seq * 77, Seq: seq, Time: uint32(seq) * 3, Ord: domain.Ordinal(seq % 9), Brand: 3, Flags: domain.Flags(r.IntN(16))})
	}
	slices.SortFunc(marks, func(a, b Action) int { return cmp.Compare(uint64(a.Ord)<<32|a.Seq, uint64(b.Ord)<<32|b.Seq) })
	return Coalesce(marks)
}

// meaning is what a reader takes from a whole value: text, or what merging makes
// canonical.
func meaning(t *testing.T, family byte, v []byte) string {
	t.Helper()
	if family == FamilyTimeline {
		marks := check.Must[[]Action](t)(AppendActions(nil, v, AccountMonth{}))
		slices.SortFunc(marks, func(a, b Action) int { return cmp.Compare(uint64(a.Ord)<<32|a.Seq, uint64(b.Ord)<<32|b.Seq) })
		return fmt.Sprint(Coalesce(marks))
	}
	if family == FamilyRows {
		var c RowCodec
		check.OK(t, c.DecodeSorted(v))
		return string(c.Append(nil, c.taken, c.Rows))
	}
	return string(v)
}

func TestMerge_AnyGroupingGivesTheSame(t *testing.T) {
	for i := range len("RCtnbau") {
		family := "RCtnbau"[i]
		t.Run(string(family), func(t *testing.T) {
			for seed := range uint64(60) {
				r := rand.New(rand.NewPCG(seed, uint64(family)))
				list := operandsOf(r, family)
				for _, oldest := range []bool{true, false} {
					want := meaning(t, family, put(t, family, list, oldest))
					if len(list) == 1 {
						continue
					}
					for range 4 {
						if got := meaning(t, family, grouped(t, r, family, list, oldest)); got != want {
							t.Fatalf("seed %d, oldest %v: %x, want %x", seed, oldest, got, want)
						}
					}
				}
			}
		})
	}
}

// Of a member who is erased nothing stays, and of a value that has the oldest operand not even who
// it was; others keep their rows.
func TestMerge_ErasedMembersHaveNoRows(t *testing.T) {
	var w BlockWriter
	row := func(ord domain.Ordinal, seq uint64) Action {
		return Action{Hash: seq, Seq: seq, Time: uint32(seq), Ord: ord, Brand: 3, Definition: 100}
	}
	first := w.append([]byte{version1}, []Action{row(1, 1), row(2, 2), row(2, 5), row(3, 3)})
	second := w.append([]byte{version1}, []Action{row(2, 6)})
	third := w.append([]byte{version1}, []Action{row(3, 7)})
	erase := AppendErased(nil, []domain.Ordinal{2})
	want := string(w.append([]byte{version1}, []Action{row(1, 1), row(3, 3), row(3, 7)}))
	for _, list := range [][][]byte{{first, second, erase, third}, {first, put(t, FamilyTimeline, [][]byte{second, erase}, false), third}} {
		got := put(t, FamilyTimeline, list, true)
		if all := check.Must[[]Action](t)(AppendActions(nil, got, AccountMonth{})); len(all) != 3 || got[0] != version1 {
			t.Errorf("merged are %+v", all)
		}
		if again := put(t, FamilyTimeline, [][]byte{got, third}, true); string(again) != want {
			t.Errorf("%x, want %x", again, want)
		}
	}
	if v := put(t, FamilyTimeline, [][]byte{second, erase}, true); string(v) != string([]byte{version1}) {
		t.Errorf("of a member alone %x is left", v)
	}
	if v := put(t, FamilyTimeline, [][]byte{second, erase}, false); string(v) != string(erase) {
		t.Errorf("before the oldest operand %x is left, want %x", v, erase)
	}
	for n := range erase {
		if _, err := AppendActions(nil, erase[:n], AccountMonth{}); err == nil {
			t.Errorf("%d bytes of %x are read", n, erase)
		}
	}
}

func TestMerge_RowsAddedAndNotDeleted(t *testing.T) {
	lists := 0
	defer func() {
		if lists < 4 {
			t.Errorf("%d values of 200 are lists", lists)
		}
	}()
	for seed := range uint64(200) {
		r := rand.New(rand.NewPCG(seed, 5))
		list := operandsOf(r, FamilyRows)
		want := map[uint64]Row{}
		var c RowCodec
		for _, v := range list {
			c.Reset()
			check.OK(t, c.Decode(v))
			for _, q := range c.taken {
				delete(want, q)
			}
			for _, a := range c.Rows {
				want[a.Seq] = a
			}
		}
		c.Reset()
		v := grouped(t, r, FamilyRows, list, true)
		check.OK(t, c.DecodeSorted(v))
		if v[0] == rowPartsVersion {
			lists++
		}
		if len(c.taken) > 0 {
			t.Fatalf("seed %d: a whole value still takes %v", seed, c.taken)
		}
		got := map[uint64]Row{}
		for i, a := range c.Rows {
			if i > 0 && !c.Rows[i-1].earlier(&a) {
				t.Fatalf("seed %d: rows out of order", seed)
			}
			got[a.Seq] = a
		}
		if fmt.Sprint(got) != fmt.Sprint(want) {
			t.Fatalf("seed %d: %v, want %v", seed, got, want)
		}
		checkLiving(t, r, v, c.Rows)
	}
}

func TestMerge_DeletionsKeptUntilTheOldestOperand(t *testing.T) {
	var c RowCodec
	old := c.Append(nil, nil, []Row{{Seq: 1, Time: 5}, {Seq: 2, Time: 6}})
	take := c.Append(nil, []uint64{1}, nil)
	add := c.Append(nil, nil, []Row{{Seq: 3, Time: 1}})
	later := put(t, FamilyRows, [][]byte{take, add}, false)
	c.Reset()
	check.OK(t, c.Decode(put(t, FamilyRows, [][]byte{old, later}, true)))
	if len(c.Rows) != 2 || c.Rows[0].Seq != 3 || c.Rows[1].Seq != 2 {
		t.Fatalf("rows %+v", c.Rows)
	}
}

func TestMerge_UnknownVersionIsAnError(t *testing.T) {
	for i := range len("RCtnbau") {
		family := "RCtnbau"[i]
		r := rand.New(rand.NewPCG(3, 3))
		list := operandsOf(r, family)
		list[1] = append([]byte{99}, list[1][1:]...)
		m := check.Must[*operands](t)(firstOperand(family, list))
		if _, _, err := m.Finish(true); err == nil {
			t.Errorf("family %c passed over a version", family)
		}
	}
}

// TestMerge_DenseBitsAndColumns compares large values with maps.
func TestMerge_DenseBitsAndColumns(t *testing.T) {
	r := rand.New(rand.NewPCG(8, 8))
	var bits, cells [][]byte
	set, cell := map[uint16]bool{}, map[int]uint16{}
	for range 6000 {
		i, on := uint16(r.Uint32()), r.IntN(5) > 0
		bits = append(bits, AppendBit(nil, i, on))
		if set[i] = true; !on {
			delete(set, i)
		}
		j, x := r.IntN(ColumnChunk), uint16(r.IntN(3))
		cells = append(cells, AppendCell(nil, j, x))
		cell[j] = x
	}
	v := grouped(t, r, FamilyBits, bits, true)
	ords := check.Must[[]domain.Ordinal](t)(new(BitCodec).Ordinals(nil, v, 1<<16))
	if len(ords) != len(set) || !slices.IsSorted(ords) {
		t.Fatalf("%d ordinals, want %d", len(ords), len(set))
	}
	for _, o := range ords {
		if !set[uint16(o)] || o < 1<<16 {
			t.Fatalf("ordinal %d", o)
		}
	}
	var c ColumnCodec
	check.OK(t, c.decode(grouped(t, r, FamilyColumn, cells, true)))
	for i, x := range c.value {
		if x != cell[i] {
			t.Fatalf("cell %d is %d, want %d", i, x, cell[i])
		}
	}
}

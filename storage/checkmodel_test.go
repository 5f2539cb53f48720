package storage

import (
	"maps"
	"slices"
	"testing"

	"github.com/ovation-analytics/ovation/actors/domain"
)

// checkShard compares all that the shard gives with the model.
func checkShard(t *testing.T, m *model, s *Shard) {
	t.Helper()
	same(t, "state", s.State(), m.state)
	same(t, "facts computed anew", must[[16]byte](t)(s.Recompute()), m.state.Facts)
	checkScans(t, m, s)
	checkRows(t, m, s)
	checkLookups(t, m, s)
}

func checkScans(t *testing.T, m *model, s *Shard) {
	t.Helper()
	origins := map[[20]byte]domain.Origin{}
	ok(t, s.Origins(func(o domain.Origin) { origins[originKey(o)] = o }))
	same(t, "origins", origins, m.origins)

	bits := map[bitName]map[domain.Ordinal]bool{}
	ok(t, s.Bits(func(a domain.AccountID, at domain.Attribute, v string, ords []domain.Ordinal) {
		if bits[bitName{a, at, v}] != nil {
			t.Fatalf("value %q of attribute %d was given twice", v, at)
		}
		set := map[domain.Ordinal]bool{}
		for _, o := range ords {
			set[o] = true
		}
		bits[bitName{a, at, v}] = set
	}))
	want := maps.Clone(m.bits)
	maps.DeleteFunc(want, func(_ bitName, v map[domain.Ordinal]bool) bool { return len(v) == 0 })
	same(t, "bits", bits, want)

	columns := map[columnName]map[domain.Ordinal]uint16{}
	ok(t, s.Columns(func(a domain.AccountID, at domain.Attribute, first domain.Ordinal, values []uint16) {
		n := columnName{a, at}
		if columns[n] == nil {
			columns[n] = map[domain.Ordinal]uint16{}
		}
		for i, v := range values {
			if v != 0 {
				columns[n][first+domain.Ordinal(i)] = v
			}
		}
	}))
	wantColumns := map[columnName]map[domain.Ordinal]uint16{}
	for n, c := range m.columns {
		c = maps.Clone(c)
		maps.DeleteFunc(c, func(_ domain.Ordinal, v uint16) bool { return v == 0 })
		if len(c) > 0 {
			wantColumns[n] = c
		}
	}
	same(t, "columns", columns, wantColumns)

	var outbox []*domain.Outgoing
	ok(t, s.Outbox(func(o *domain.Outgoing) { outbox = append(outbox, o) }))
	var wantOutbox []*domain.Outgoing
	for _, q := range slices.Sorted(maps.Keys(m.outbox)) {
		wantOutbox = append(wantOutbox, m.outbox[q])
	}
	same(t, "outbox", outbox, wantOutbox)

	usage := map[[3]uint64]domain.UsageCount{}
	ok(t, s.Usage(func(u domain.UsageCount) {
		usage[[3]uint64{uint64(u.Application), uint64(u.Hour), u.Incarnation}] = u
	}))
	same(t, "usage", usage, m.usage)
}

func checkLookups(t *testing.T, m *model, s *Shard) {
	t.Helper()
	for p, x := range m.members {
		same(t, "member", must[*domain.Member](t)(s.Member(p.account, p.ord)), x)
	}
	n := 0
	ok(t, s.Members(func(a domain.AccountID, o domain.Ordinal, id domain.MemberID) {
		if n++; m.members[place{a, o}] == nil || m.members[place{a, o}].ID != id {
			t.Fatalf("member %d at %d/%d", id, a, o)
		}
	}))
	if n != len(m.members) {
		t.Fatalf("%d members, want %d", n, len(m.members))
	}
	checkParked(t, m, s)
	checkByName(t, m, s)
	for seq, r := range m.rows {
		if seq%m.sample != 0 {
			continue
		}
		checkAction(t, s, r.row)
		checkSeen(t, s, r.row, r.row.Time, 0)
		if seq%8 == 0 {
			checkSeen(t, s, r.row, r.row.Time+50*86400, r.row.Time+domain.Second(seq%5)*20*86400)
		}
	}
}

func checkParked(t *testing.T, m *model, s *Shard) {
	t.Helper()
	all := map[place][]*domain.Parked{}
	ok(t, s.Parked(func(p *domain.Parked) error {
		at := place{p.Account, p.Ord}
		all[at] = append(all[at], p)
		return nil
	}))
	same(t, "parked", all, m.parked)
	for at := range m.members {
		var of []*domain.Parked
		ok(t, s.ParkedOf(at.account, at.ord, func(p *domain.Parked) error {
			of = append(of, p)
			return nil
		}))
		same(t, "parked of a member", of, m.parked[at])
	}
}

// checkByName looks up identities, one-time pairs and requests.
func checkByName(t *testing.T, m *model, s *Shard) {
	t.Helper()
	for h := range byte(40) {
		hash := domain.IdentityHash{h}
		got, found, err := s.Identity(1, hash)
		want, there := m.identities[hash]
		if err != nil || found != there || got != want {
			t.Fatalf("identity %v is %+v %v %v, want %+v", hash, got, found, err, want)
		}
	}
	checkPointers(t, m, s)
	for k, want := range m.oneTimes {
		got, found, err := s.OneTime(domain.AccountID(k[0]), domain.Ordinal(k[1]), domain.DefinitionID(k[2]), domain.BrandID(k[3]))
		if err != nil || !found || got != want {
			t.Fatalf("one-time pair is %+v %v %v, want %+v", got, found, err, want)
		}
	}
	for i := range byte(60) {
		id := domain.RequestID{i}
		for day := m.state.Clock/86400_000 - 2; day <= m.state.Clock/86400_000; day++ {
			got := must[*domain.Request](t)(s.Request(uint32(day), id))
			want := m.requests[id]
			if want != nil && int64(want.Day) != day {
				want = nil
			}
			same(t, "request", got, want)
		}
	}
}

// checkSeen asks for a row at a time and a clock, and for what never was.
func checkSeen(t *testing.T, s *Shard, r domain.Row, at, clock domain.Second) {
	t.Helper()
	own, month, now := domain.MonthOf(at), domain.MonthOf(r.Time), domain.MonthOf(clock)
	want := month == own || month == now || month+1 == now
	months := domain.RepeatMonthsOf(at, int64(clock)*1000)
	got, found, err := s.Seen(r.Account, r.Ord, months, r.Hash)
	if err != nil || found != want || found && got != r {
		t.Fatalf("row %+v asked for at %d, clock %d, is %+v %v %v", r, at, clock, got, found, err)
	}
	if _, found, err := s.Seen(r.Account, r.Ord, months, r.Hash+1); found || err != nil {
		t.Fatal("a repeat of nothing", err)
	}
	if _, found, err := s.Seen(r.Account, r.Ord+1000, months, r.Hash); found || err != nil {
		t.Fatal("another member's repeat", err)
	}
}

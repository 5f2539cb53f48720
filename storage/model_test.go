package storage

import (
	"maps"
	"slices"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"

	"github.com/ovation-analytics/ovation/actors/domain"
)

// model is what a shard's store must hold, kept the naive way.
type model struct {
	state      domain.ShardState
	origins    map[[20]byte]domain.Origin
	members    map[place]*domain.Member
	identities map[domain.IdentityHash]domain.Identity
	pointers   map[domain.Pointer]bool
	parked     map[place][]*domain.Parked
	oneTimes   map[[4]uint32]domain.OneTime
	requests   map[domain.RequestID]*domain.Request
	bits       map[bitName]map[domain.Ordinal]bool
	columns    map[columnName]map[domain.Ordinal]uint16
	outbox     map[uint64]*domain.Outgoing
	usage      map[[3]uint64]domain.UsageCount
	rows       map[uint64]*modelRow
	sample     uint64 // of so many rows one is looked up by itself
}

type bitName struct {
	account   domain.AccountID
	attribute domain.Attribute
	value     string
}

type columnName struct {
	account   domain.AccountID
	attribute domain.Attribute
}

type modelRow struct {
	row     domain.Row
	content *domain.Content
}

func newModel() *model {
	return &model{
		origins: map[[20]byte]domain.Origin{}, members: map[place]*domain.Member{}, identities: map[domain.IdentityHash]domain.Identity{}, pointers: map[domain.Pointer]bool{}, parked: map[place][]*domain.Parked{},
		oneTimes: map[[4]uint32]domain.OneTime{}, requests: map[domain.RequestID]*domain.Request{}, bits: map[bitName]map[domain.Ordinal]bool{},
		columns: map[columnName]map[domain.Ordinal]uint16{}, outbox: map[uint64]*domain.Outgoing{}, usage: map[[3]uint64]domain.UsageCount{},
		rows: map[uint64]*modelRow{}, sample: 4,
	}
}

// commit is what one commit holds.
type commit struct {
	changes []domain.Change
	state   domain.ShardState
	origins []domain.Origin
}

func (m *model) apply(c commit) {
	for _, ch := range c.changes {
		m.change(ch)
	}
	for _, o := range c.origins {
		m.origins[originKey(o)] = o
	}
	if before, now := m.state.Clock/86400_000, c.state.Clock/86400_000; now > before {
		maps.DeleteFunc(m.requests, func(_ domain.RequestID, r *domain.Request) bool { return int64(r.Day) < now-1 })
	}
	m.state = c.state
	m.state.Facts = m.facts()
}

func originKey(o domain.Origin) (k [20]byte) {
	copy(k[:], o.Topic[:])
	be.PutUint32(k[16:], uint32(o.Partition))
	return k
}

func (m *model) change(ch domain.Change) {
	switch v := ch.Value.(type) {
	case nil:
		if ch.Kind == domain.RowAdded {
			m.rows[ch.Row.Seq] = &modelRow{ch.Row, ch.Content}
		} else {
			m.rows[ch.Row.Seq].row.Flags |= ch.Row.Flags
		}
	case *domain.OneTime:
		m.oneTimes[[4]uint32{uint32(v.Account), uint32(v.Ord), uint32(v.Definition), uint32(v.Brand)}] = *v
	case *domain.Member:
		m.members[place{v.Account, v.Ord}] = v
	case *domain.Parked:
		at := place{v.Account, v.Ord}
		if ch.Kind == domain.ParkedDrop {
			delete(m.parked, at)
		} else {
			m.parked[at] = append(m.parked[at], v)
		}
	case *domain.Identity:
		if ch.Kind == domain.IdentityDrop {
			delete(m.identities, v.Hash)
		} else {
			m.identities[v.Hash] = *v
		}
	case *domain.Pointer:
		if m.pointers[*v] = true; ch.Kind == domain.PointerDrop {
			delete(m.pointers, *v)
		}
	case *domain.Bit:
		n := bitName{v.Account, v.Attribute, v.Value}
		if m.bits[n] == nil {
			m.bits[n] = map[domain.Ordinal]bool{}
		}
		if m.bits[n][v.Ord] = v.On; !v.On {
			delete(m.bits[n], v.Ord)
		}
	case *domain.Column:
		n := columnName{v.Account, v.Attribute}
		if m.columns[n] == nil {
			m.columns[n] = map[domain.Ordinal]uint16{}
		}
		m.columns[n][v.Ord] = v.Value
	case *domain.Request:
		m.requests[v.ID] = v
	case *domain.Outgoing:
		m.outbox[v.Sequence] = v
	case *domain.Published:
		maps.DeleteFunc(m.outbox, func(q uint64, o *domain.Outgoing) bool {
			return o.Dead == nil && q <= v.UpTo || o.Dead != nil && q <= v.DeadUpTo
		})
	case *domain.UsageCount:
		k := [3]uint64{uint64(v.Application), uint64(v.Hour), v.Incarnation}
		if m.usage[k].Total <= v.Total {
			m.usage[k] = *v
		}
	}
}

// facts are computed the plain way: fact by fact of what there is.
func (m *model) facts() [16]byte {
	var sum facts
	for _, r := range m.rows {
		mk := mark{hash: r.row.Hash, time: r.row.Time, brand: r.row.Brand, def: r.row.Definition, points: r.row.Points, service: r.row.Service, flags: r.row.Flags}
		sum.add(factOfMark(&mk, m.members[place{r.row.Account, r.row.Ord}].ID))
	}
	for _, x := range m.members {
		sum.add(factsOfMember(x))
	}
	for _, x := range m.identities {
		sum.add(factOfIdentity(&x))
	}
	for _, of := range m.parked {
		for _, x := range of {
			sum.add(factOfParked(x))
		}
	}
	for x := range m.pointers {
		sum.add(factOfPointer(&x))
	}
	return sum.bytes()
}

func same(t *testing.T, what string, got, want any) {
	t.Helper()
	if d := gocmp.Diff(want, got); d != "" {
		t.Fatalf("%s (-want +got):\n%s", what, d)
	}
}

func must[T any](t testing.TB) func(v T, err error) T {
	return func(v T, err error) T {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
}

func ok(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// check compares all that the shard gives with the model.
func (m *model) check(t *testing.T, s *Shard) {
	t.Helper()
	same(t, "state", s.State(), m.state)
	same(t, "facts computed anew", must[[16]byte](t)(s.Recompute()), m.state.Facts)
	m.checkScans(t, s)
	m.checkRows(t, s)
	m.checkLookups(t, s)
}

func (m *model) checkScans(t *testing.T, s *Shard) {
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

func (m *model) checkLookups(t *testing.T, s *Shard) {
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
	m.checkParked(t, s)
	m.checkByName(t, s)
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

func (m *model) checkParked(t *testing.T, s *Shard) {
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
func (m *model) checkByName(t *testing.T, s *Shard) {
	t.Helper()
	for h := range byte(40) {
		hash := domain.IdentityHash{h}
		got, found, err := s.Identity(1, hash)
		want, there := m.identities[hash]
		if err != nil || found != there || got != want {
			t.Fatalf("identity %v is %+v %v %v, want %+v", hash, got, found, err, want)
		}
	}
	m.checkPointers(t, s)
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

package storage

import (
	"cmp"
	"maps"
	"slices"

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

// brandRows are the model's living rows of each brand, as the store gives them.
func (m *model) brandRows() map[[2]uint32][]domain.Row {
	out := map[[2]uint32][]domain.Row{}
	for _, r := range m.rows {
		if !r.row.Flags.Dead() {
			k := [2]uint32{uint32(r.row.Account), uint32(r.row.Brand)}
			row := r.row
			row.Hash, row.Slot, row.Flags = 0, 0, 0
			out[k] = append(out[k], row)
		}
	}
	for _, rows := range out {
		sortRows(rows)
	}
	return out
}

func byTime(a, b domain.Row) int {
	return cmp.Or(cmp.Compare(a.Time, b.Time), cmp.Compare(a.Seq, b.Seq))
}

func sortRows(rows []domain.Row) { slices.SortFunc(rows, byTime) }

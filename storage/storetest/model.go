package storetest

import (
	"cmp"
	"encoding/binary"
	"maps"
	"slices"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/storage/format"
)

// Model is what a shard's store must hold, kept the naive way.
type Model struct {
	State       domain.ShardState
	Origins     map[[20]byte]domain.Origin
	Members     map[format.Place]*domain.Member
	Identities  map[domain.IdentityHash]domain.Identity
	Pointers    map[domain.Pointer]bool
	Parked      map[format.Place][]*domain.Parked
	OneTimes    map[[4]uint32]domain.OneTime
	Requests    map[domain.RequestID]*domain.Request
	Bits        map[BitName]map[domain.Ordinal]bool
	Columns     map[ColumnName]map[domain.Ordinal]uint16
	Outbox      map[uint64]*domain.Outgoing
	Usage       map[[3]uint64]domain.UsageCount
	Webhooks    map[domain.WebhookID]*modelWebhook
	Rows        map[uint64]*modelRow
	Notices     map[domain.AccountID][]domain.Notice // in order of their sequences
	Followed    map[ListName]*domain.FollowedList
	Memberships map[ListName][]domain.Membership // in order of their sequences
	Places      map[domain.AccountID][]domain.VisitPlace
	Sample      uint64 // of so many rows one is looked up by itself
}

// BitName is an attribute's value, of an account.
type BitName struct {
	Account   domain.AccountID
	Attribute domain.Attribute
	Value     string
}

// ColumnName is an attribute of an account.
type ColumnName struct {
	Account   domain.AccountID
	Attribute domain.Attribute
}

type modelRow struct {
	Row     domain.Row
	Content *domain.Content
}

// NewModel makes an empty model.
func NewModel() *Model {
	return &Model{
		Origins: map[[20]byte]domain.Origin{}, Members: map[format.Place]*domain.Member{},
		Identities: map[domain.IdentityHash]domain.Identity{}, Pointers: map[domain.Pointer]bool{},
		Parked: map[format.Place][]*domain.Parked{}, OneTimes: map[[4]uint32]domain.OneTime{},
		Requests: map[domain.RequestID]*domain.Request{}, Bits: map[BitName]map[domain.Ordinal]bool{},
		Columns: map[ColumnName]map[domain.Ordinal]uint16{}, Outbox: map[uint64]*domain.Outgoing{},
		Usage: map[[3]uint64]domain.UsageCount{}, Rows: map[uint64]*modelRow{}, Sample: 4,
		Webhooks: map[domain.WebhookID]*modelWebhook{},
		Notices:  map[domain.AccountID][]domain.Notice{},
		Followed: map[ListName]*domain.FollowedList{}, Memberships: map[ListName][]domain.Membership{},
		Places: map[domain.AccountID][]domain.VisitPlace{},
	}
}

// Commit is what one commit holds.
type Commit struct {
	Changes []domain.Change
	State   domain.ShardState
	Origins []domain.Origin
}

// Apply applies a commit.
func (m *Model) Apply(c Commit) {
	for _, ch := range c.Changes {
		m.change(ch)
	}
	for _, o := range c.Origins {
		m.Origins[OriginKey(o)] = o
	}
	if before, now := m.State.Clock/86400_000, c.State.Clock/86400_000; now > before {
		maps.DeleteFunc(m.Requests, func(_ domain.RequestID, r *domain.Request) bool { return int64(r.Day) < now-1 })
	}
	m.State = c.State
	m.State.Facts = m.stateHash()
}

// OriginKey is what differs between streams.
func OriginKey(o domain.Origin) (k [20]byte) {
	copy(k[:], o.Topic[:])
	binary.BigEndian.PutUint32(k[16:], uint32(o.Partition))
	return k
}

func (m *Model) change(ch domain.Change) {
	switch v := ch.Value.(type) {
	case nil:
		if ch.Kind == domain.RowAdded {
			m.Rows[ch.Row.Seq] = &modelRow{ch.Row, ch.Content}
		} else {
			m.Rows[ch.Row.Seq].Row.Flags |= ch.Row.Flags
		}
	case *domain.OneTime:
		m.OneTimes[[4]uint32{uint32(v.Account), uint32(v.Ord), uint32(v.Definition), uint32(v.Brand)}] = *v
	case *domain.Member:
		m.Members[format.Place{Account: v.Account, Ord: v.Ord}] = v
	case *domain.Parked:
		at := format.Place{Account: v.Account, Ord: v.Ord}
		if ch.Kind == domain.ParkedDrop {
			delete(m.Parked, at)
		} else {
			m.Parked[at] = append(m.Parked[at], v)
		}
	case *domain.Identity:
		if ch.Kind == domain.IdentityDrop {
			delete(m.Identities, v.Hash)
		} else {
			m.Identities[v.Hash] = *v
		}
	case *domain.Pointer:
		if m.Pointers[*v] = true; ch.Kind == domain.PointerDrop {
			delete(m.Pointers, *v)
		}
	case *domain.Bit:
		n := BitName{v.Account, v.Attribute, v.Value}
		if m.Bits[n] == nil {
			m.Bits[n] = map[domain.Ordinal]bool{}
		}
		if m.Bits[n][v.Ord] = v.On; !v.On {
			delete(m.Bits[n], v.Ord)
		}
	case *domain.Column:
		n := ColumnName{v.Account, v.Attribute}
		if m.Columns[n] == nil {
			m.Columns[n] = map[domain.Ordinal]uint16{}
		}
		m.Columns[n][v.Ord] = v.Value
	case *domain.Request:
		m.Requests[v.ID] = v
	case *domain.Outgoing:
		m.Outbox[v.Sequence] = v
	case *domain.Published:
		m.trim(v)
	case *domain.ErasedRows:
		m.erase(v)
	case *domain.NumberedPlace:
		m.Places[v.Account] = append(m.Places[v.Account], v.VisitPlace)
	case *domain.UsageCount:
		k := [3]uint64{uint64(v.Application), uint64(v.Hour), v.Incarnation}
		if m.Usage[k].Total <= v.Total {
			m.Usage[k] = *v
		}
	case *domain.ProgressChange:
		m.progress(v)
	case *domain.Notice:
		m.Notices[v.Account] = append(m.Notices[v.Account], *v)
	case *domain.Membership:
		of := ListName{v.Account, v.Segment}
		m.Memberships[of] = append(m.Memberships[of], *v)
	case *domain.FollowedList:
		m.follow(v, ch.Kind == domain.FollowedDrop)
	}
}

// erase flags a member's rows, which are nowhere from now on, and drops its one-time pairs.
func (m *Model) erase(v *domain.ErasedRows) {
	for _, r := range m.Rows {
		if r.Row.Account == v.Account && r.Row.Ord == v.Ord {
			r.Row.Flags |= domain.Erased
		}
	}
	maps.DeleteFunc(m.OneTimes, func(k [4]uint32, _ domain.OneTime) bool {
		return k[0] == uint32(v.Account) && k[1] == uint32(v.Ord)
	})
}

// trim drops what was published of the outbox.
func (m *Model) trim(v *domain.Published) {
	maps.DeleteFunc(m.Outbox, func(q uint64, o *domain.Outgoing) bool {
		switch {
		case o.Dead != nil:
			return q <= v.DeadUpTo
		case o.Keys != nil:
			return q <= v.KeysUpTo
		}
		return q <= v.UpTo
	})
}

// active is how many members are not erased.
func (m *Model) active() (n int) {
	for _, x := range m.Members {
		if x.State != domain.MemberErased {
			n++
		}
	}
	return n
}

// stateHash is computed the plain way: fact by fact of what there is.
func (m *Model) stateHash() [16]byte {
	var sum format.StateHash
	for _, r := range m.Rows {
		mk := format.Action{
			Hash: r.Row.Hash, Time: r.Row.Time, Brand: r.Row.Brand, Definition: r.Row.Definition, Points: r.Row.Points,
			Service: r.Row.Service, Flags: r.Row.Flags,
		}
		id := m.Members[format.Place{Account: r.Row.Account, Ord: r.Row.Ord}].ID
		if _, number, placed := r.Row.Definition.Visit(); placed {
			sum.Add(format.HashVisit(&mk, id, m.Places[r.Row.Account][number]))
		} else {
			sum.Add(format.HashAction(&mk, id))
		}
	}
	for _, x := range m.Members {
		sum.Add(format.HashMember(x))
	}
	for _, x := range m.Identities {
		sum.Add(format.HashIdentity(&x))
	}
	for _, of := range m.Parked {
		for _, x := range of {
			sum.Add(format.HashParked(x))
		}
	}
	for x := range m.Pointers {
		sum.Add(format.HashPointer(&x))
	}
	return sum.Bytes()
}

// BrandRows are the model's living rows of each brand, as the store gives them.
func (m *Model) BrandRows() map[[2]uint32][]domain.Row {
	out := map[[2]uint32][]domain.Row{}
	for _, r := range m.Rows {
		if !r.Row.Flags.Dead() {
			k := [2]uint32{uint32(r.Row.Account), uint32(r.Row.Brand)}
			row := r.Row
			row.Hash, row.Slot, row.Flags = 0, 0, 0
			out[k] = append(out[k], row)
		}
	}
	for _, rows := range out {
		SortRows(rows)
	}
	return out
}

// ByTime orders rows by time and sequence.
func ByTime(a, b domain.Row) int {
	return cmp.Or(cmp.Compare(a.Time, b.Time), cmp.Compare(a.Seq, b.Seq))
}

// SortRows puts rows in order of time and sequence.
func SortRows(rows []domain.Row) { slices.SortFunc(rows, ByTime) }

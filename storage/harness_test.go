package storage

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"

	"github.com/ovation-analytics/ovation/actors/domain"
)

// world makes commits as a shard's actors would, at random, beside the model that
// knows what they mean.
type world struct {
	r     *rand.Rand
	m     *model
	state domain.ShardState
	slots map[domain.Slot]uint64
	ords  map[domain.AccountID]domain.Ordinal
	live  []uint64 // sequences of rows, some of them dead by now
	out   []domain.Change

	number uint32 // of the last parked activity
}

const worldStart = domain.Second(1714000000) // late April 2024

func newWorld(seed uint64) *world {
	w := &world{r: rand.New(rand.NewPCG(seed, 7)), m: newModel(), slots: map[domain.Slot]uint64{}, ords: map[domain.AccountID]domain.Ordinal{}}
	w.state = domain.ShardState{Cluster: "c", Journal: domain.TopicID{9}, Clock: int64(worldStart) * 1000, Rules: 1}
	return w
}

func (w *world) add(kind domain.ChangeKind, v any) {
	c := domain.Change{Kind: kind, Value: v}
	w.out = append(w.out, c)
	w.m.change(c)
}

// next makes a commit of about n changes and applies it to the model.
func (w *world) next(n int) commit {
	w.out = nil
	for range n {
		w.step()
	}
	w.state.Next += int64(n) + 1
	w.state.Epoch = int32(w.r.IntN(5))
	w.state.Clock += int64(w.r.IntN(6 * 3600_000))
	w.state.Dead[w.r.IntN(domain.Reasons)]++
	var origins []domain.Origin
	for range w.r.IntN(3) {
		origins = append(origins, domain.Origin{Topic: domain.TopicID{byte(w.r.IntN(2))}, Partition: int32(w.r.IntN(lateMost)), Epoch: 1, Offset: w.state.Next})
	}
	c := commit{w.out, w.state, origins}
	w.m.apply(commit{nil, w.state, origins})
	return c
}

func (w *world) step() {
	if len(w.m.members) < 3 {
		w.member()
		return
	}
	switch k := w.r.IntN(100); {
	case k < 55:
		w.row()
	case k < 63:
		w.take()
	case k < 68:
		w.member()
	case k < 72:
		p := w.somebody()
		m := *w.m.members[p]
		m.Profile, m.Opts, m.Passwords = w.fields(), w.opts(), nil
		if w.r.IntN(2) == 0 {
			m.Passwords = []domain.Password{{Address: domain.IdentityHash{byte(w.r.IntN(3))}, Hash: []string{"a", "b"}[w.r.IntN(2)]}}
		}
		w.add(domain.MemberPut, &m)
	case k < 74:
		w.identity()
	case k < 75:
		w.park()
	case k < 78:
		w.pointer()
	case k < 84:
		p := w.somebody()
		v := domain.Bit{Account: p.account, Ord: p.ord + domain.Ordinal(w.r.IntN(2))<<16, Attribute: domain.AttrGender, Value: []string{"M", "F", ""}[w.r.IntN(3)], On: w.r.IntN(3) > 0}
		w.add(domain.BitPut, &v)
	case k < 88:
		p := w.somebody()
		v := domain.Column{Account: p.account, Ord: p.ord + domain.Ordinal(w.r.IntN(2))*columnChunk, Attribute: domain.AttrCountry, Value: uint16(w.r.IntN(3) * 100)}
		w.add(domain.ColumnPut, &v)
	case k < 91:
		p := w.somebody()
		w.add(domain.OneTimePut, &domain.OneTime{
			Account: p.account, Ord: p.ord, Definition: domain.DefinitionID(100 + w.r.IntN(3)), Brand: domain.BrandID(w.r.IntN(3)),
			Time: worldStart, Hash: w.r.Uint64(), Seq: w.state.Sequence, Deleted: w.r.IntN(3) == 0,
		})
	case k < 94:
		day := uint32(w.state.Clock / 86400_000)
		id := domain.RequestID{byte(w.r.IntN(60))}
		if old := w.m.requests[id]; old == nil {
			w.add(domain.RequestPut, &domain.Request{ID: id, Day: day, BodyHash: w.r.Uint64(), Outcome: domain.Outcome{Code: domain.NotFound, Message: "bad \xff byte", Member: 7}})
		}
	case k < 96:
		w.add(domain.UsagePut, &domain.UsageCount{Account: 1, Usage: domain.Usage{Application: 3, Hour: uint32(w.r.IntN(3)), Incarnation: uint64(w.r.IntN(2)), Total: uint64(w.r.IntN(100))}})
	default:
		w.outbox()
	}
}

func (w *world) somebody() place {
	for {
		a := domain.AccountID(1 + w.r.IntN(2))
		if n := w.ords[a]; n > 0 {
			return place{a, domain.Ordinal(w.r.IntN(int(n)))}
		}
	}
}

func (w *world) fields() (f domain.Fields) {
	for i := range domain.Field(4) {
		if w.r.IntN(2) == 0 {
			f = append(f, domain.FieldValue{Field: i + 1, Value: strings.Repeat("x\xfe", w.r.IntN(3)) + "é"})
		}
	}
	return f
}

func (w *world) member() {
	slot := domain.Slot(w.r.IntN(20))
	w.slots[slot]++
	a := domain.AccountID(1 + w.r.IntN(2))
	m := &domain.Member{
		ID: domain.MemberIDOf(w.slots[slot], slot), Account: a, Ord: w.ords[a], State: domain.MemberActive, UUID: [16]byte{1}, Profile: w.fields(),
		Services: []domain.ServiceRecord{{ID: 5, Service: domain.Spotify, UID: "u", Fields: domain.Fields{{Field: domain.RecordPaid, Value: "1"}}}},
	}
	w.ords[a]++
	w.add(domain.MemberPut, m)
}

// park parks an activity, or drops all of a member, also where nothing is parked.
func (w *world) park() {
	at := w.somebody()
	if w.r.IntN(4) == 0 {
		w.add(domain.ParkedDrop, &domain.Parked{Account: at.account, Ord: at.ord})
		return
	}
	w.number++
	w.add(domain.ParkedPut, &domain.Parked{
		Account: at.account, Ord: at.ord, Number: w.number, Time: w.state.Clock, Request: domain.RequestID{byte(w.number)}, BodyHash: 3,
		Origin:   domain.Origin{Topic: domain.TopicID{3}, Partition: 1, Epoch: 2, Offset: int64(w.number)},
		Activity: domain.Activity{Member: w.m.members[at].ID, Definition: 100, Time: -1, Hash: w.r.Uint64(), Content: domain.Content{Marker: "m\xff"}},
	})
}

func (w *world) identity() {
	h := domain.IdentityHash{byte(w.r.IntN(40))}
	if old, there := w.m.identities[h]; there && w.r.IntN(2) == 0 {
		w.add(domain.IdentityDrop, &old)
		return
	}
	w.add(domain.IdentityPut, &domain.Identity{Hash: h, Kind: domain.ByService, State: domain.Held, Member: domain.MemberID(w.r.Uint64() >> 20)})
}

func (w *world) opts() (o []domain.OptState) {
	for i := range uint32(3) {
		if n := w.r.IntN(8); n > 0 {
			o = append(o, domain.OptState{Opt: domain.Opt{Kind: domain.OptBrand, ID: i}, In: n&1 > 0, Out: n&2 > 0, Listed: n&4 > 0, At: int64(n)})
		}
	}
	return o
}

// pointer puts or drops a pointer of a few, also one that is there or is not.
func (w *world) pointer() {
	p := &domain.Pointer{Hash: domain.IdentityHash{byte(w.r.IntN(10))}, Member: domain.MemberID(1 + w.r.IntN(4)), Created: int64(w.r.IntN(3))}
	w.add([]domain.ChangeKind{domain.PointerPut, domain.PointerDrop}[w.r.IntN(2)], p)
}

func (w *world) row() {
	p := w.somebody()
	w.state.Sequence++
	at := domain.Second(w.state.Clock/1000) - domain.Second(w.r.IntN(3600))
	if w.r.IntN(8) == 0 {
		at -= domain.Second(w.r.IntN(90 * 86400))
	}
	c := domain.Change{Kind: domain.RowAdded, Row: domain.Row{
		Hash: w.r.Uint64(), Seq: w.state.Sequence, Account: p.account, Ord: p.ord, Time: at,
		Brand: domain.BrandID(min(w.r.ExpFloat64()*3, 30)), Definition: domain.DefinitionID(100 + w.r.IntN(300)), Points: uint16(w.r.IntN(65536)),
		Slot: w.m.members[p].ID.Slot(), Service: domain.Service(w.r.IntN(16)), Flags: domain.Flags(w.r.IntN(4)),
	}}
	if w.r.IntN(40) == 0 {
		c.Row.Flags |= domain.Superseded
	}
	if w.r.IntN(10) > 0 {
		c.Content = &domain.Content{Recorded: w.state.Clock + int64(w.r.IntN(1000))}
		if w.r.IntN(2) == 0 {
			c.Content.Marker, c.Content.Content, c.Content.Geo.City = "m", fmt.Sprintf(`{"a":%d}`, int(w.state.Clock+int64(w.state.Sequence))%7), "Köln"
		}
	}
	w.live = append(w.live, c.Row.Seq)
	w.state.Rows++
	w.out = append(w.out, c)
	w.m.change(c)
}

// take takes a row out, often one of the same commit.
func (w *world) take() {
	if len(w.live) == 0 {
		return
	}
	i := w.r.IntN(len(w.live))
	if w.r.IntN(3) == 0 {
		i = len(w.live) - 1 - w.r.IntN(min(5, len(w.live)))
	}
	row := w.m.rows[w.live[i]].row
	row.Flags = []domain.Flags{domain.Superseded, domain.Deleted}[w.r.IntN(2)]
	c := domain.Change{Kind: domain.RowTaken, Row: row}
	if w.r.IntN(4) > 0 {
		w.live = slices.Delete(w.live, i, i+1)
	}
	w.out = append(w.out, c)
	w.m.change(c)
}

func (w *world) outbox() {
	w.state.Outbox++
	o := &domain.Outgoing{Sequence: w.state.Outbox, To: w.r.IntN(4)}
	switch w.r.IntN(4) {
	case 0:
		o.To = -1
		o.Dead = &domain.DeadLetter{Origin: domain.Origin{Topic: domain.TopicID{3}, Offset: 5}, Reason: domain.BadJSON, Detail: "d", Raw: "\xff\x00", At: w.state.Clock}
	case 1:
		o.Forward = &domain.Record{Kind: domain.KindClaim, Account: 1, Command: &domain.Claim{Step: domain.ClaimAsk, Identity: domain.IdentityHash{1}, Type: domain.ByPartner, Member: 77}}
	case 2:
		o.Forward = &domain.Record{Kind: domain.KindForward, Account: 1, Activity: domain.Activity{
			Member: 5, Time: -3, Hash: 9, Defaulted: true,
			Content: domain.Content{Marker: "m", Geo: domain.Geo{Lat: "1.0"}}, Refusal: domain.BadTime, Detail: "x", Raw: "\xff", Asked: domain.RequestID{4},
		}}
	default:
		w.state.Outbox--
		w.state.Published = max(w.state.Published, uint64(w.r.IntN(int(w.state.Outbox)+1)))
		w.state.DeadUpTo = max(w.state.DeadUpTo, uint64(w.r.IntN(int(w.state.Outbox)+1)))
		w.add(domain.OutboxTrim, &domain.Published{UpTo: w.state.Published, DeadUpTo: w.state.DeadUpTo})
		return
	}
	w.add(domain.OutboxPut, o)
}

package storetest

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/storage/format"
)

// Generator makes commits as a shard's actors would, at random, beside the model that
// knows what they mean.
type Generator struct {
	Rand  *rand.Rand
	Model *Model
	State domain.ShardState
	slots map[domain.Slot]uint64
	ords  map[domain.AccountID]domain.Ordinal
	live  []uint64 // sequences of rows, some of them dead by now
	out   []domain.Change

	number uint32 // of the last parked activity
}

const epoch = domain.Second(1714000000) // late April 2024

// NewGenerator makes one; the seed decides all of it.
func NewGenerator(seed uint64) *Generator {
	w := &Generator{
		Rand: rand.New(rand.NewPCG(seed, 7)), Model: NewModel(), slots: map[domain.Slot]uint64{},
		ords: map[domain.AccountID]domain.Ordinal{},
	}
	w.State = domain.ShardState{Cluster: "c", Journal: domain.TopicID{9}, Clock: int64(epoch) * 1000, Rules: 1}
	return w
}

func (w *Generator) add(kind domain.ChangeKind, v any) {
	c := domain.Change{Kind: kind, Value: v}
	w.out = append(w.out, c)
	w.Model.change(c)
}

// Next makes a commit of about n changes and applies it to the model.
func (w *Generator) Next(n int) Commit {
	w.out = nil
	for range n {
		w.change()
	}
	w.State.Next += int64(n) + 1
	w.State.Epoch = int32(w.Rand.IntN(5))
	w.State.Clock += int64(w.Rand.IntN(6 * 3600_000))
	w.State.Dead[w.Rand.IntN(domain.Reasons)]++
	var origins []domain.Origin
	for range w.Rand.IntN(3) {
		origins = append(origins, domain.Origin{
			Topic: domain.TopicID{byte(w.Rand.IntN(2))}, Partition: int32(w.Rand.IntN(format.MaxRecentOrigins)), Epoch: 1,
			Offset: w.State.Next,
		})
	}
	c := Commit{w.out, w.State, origins}
	w.Model.Apply(Commit{nil, w.State, origins})
	return c
}

func (w *Generator) change() {
	if len(w.Model.Members) < 3 {
		w.member()
		return
	}
	switch k := w.Rand.IntN(105); {
	case k < 55:
		w.addRow()
	case k < 63:
		w.takeRow()
	case k < 68:
		w.member()
	case k < 72:
		w.update()
	case k < 74:
		w.identity()
	case k < 75:
		w.parkActivity()
	case k < 78:
		w.pointer()
	case k < 84:
		p := w.anyMember()
		v := domain.Bit{
			Account: p.Account, Ord: p.Ord + domain.Ordinal(w.Rand.IntN(2))<<16, Attribute: domain.AttrGender,
			Value: []string{"M", "F", ""}[w.Rand.IntN(3)], On: w.Rand.IntN(3) > 0,
		}
		w.add(domain.BitPut, &v)
	case k < 88:
		p := w.anyMember()
		v := domain.Column{
			Account: p.Account, Ord: p.Ord + domain.Ordinal(w.Rand.IntN(2))*format.ColumnChunk, Attribute: domain.AttrCountry,
			Value: uint16(w.Rand.IntN(3) * 100),
		}
		w.add(domain.ColumnPut, &v)
	case k < 91:
		p := w.anyMember()
		w.add(domain.OneTimePut, &domain.OneTime{
			Account: p.Account, Ord: p.Ord, Definition: domain.DefinitionID(100 + w.Rand.IntN(3)),
			Brand: domain.BrandID(w.Rand.IntN(3)), Time: epoch, Hash: w.Rand.Uint64(), Seq: w.State.Sequence,
			Deleted: w.Rand.IntN(3) == 0,
		})
	case k < 94:
		day := uint32(w.State.Clock / 86400_000)
		id := domain.RequestID{byte(w.Rand.IntN(60))}
		if old := w.Model.Requests[id]; old == nil {
			w.add(domain.RequestPut, &domain.Request{ID: id, Day: day, BodyHash: w.Rand.Uint64(), Outcome: domain.Outcome{Code: domain.NotFound, Message: "bad \xff byte", Member: 7}})
		}
	case k < 95:
		w.erase()
	case k < 96:
		w.add(domain.UsagePut, &domain.UsageCount{Account: 1, Usage: domain.Usage{Application: 3, Hour: uint32(w.Rand.IntN(3)), Incarnation: uint64(w.Rand.IntN(2)), Total: uint64(w.Rand.IntN(100))}})
	case k < 97:
		w.webhook()
	case k < 102:
		w.lists()
	default:
		w.outbox()
	}
}

// anyMember is one who is not erased.
func (w *Generator) anyMember() format.Place {
	for {
		p := format.Place{Account: domain.AccountID(1 + w.Rand.IntN(2))}
		n := w.ords[p.Account]
		if n == 0 {
			continue
		}
		p.Ord = domain.Ordinal(w.Rand.IntN(int(n)))
		if w.Model.Members[p].State != domain.MemberErased {
			return p
		}
	}
}

// erase erases a member, unless there are few.
func (w *Generator) erase() {
	p := w.anyMember()
	if w.Rand.IntN(2) > 0 || w.Model.active() < 4 {
		return
	}
	m := w.Model.Members[p]
	w.add(domain.MemberPut, &domain.Member{ID: m.ID, Account: p.Account, Ord: p.Ord, State: domain.MemberErased, Updated: w.State.Clock})
	e := &domain.ErasedRows{Account: p.Account, Ord: p.Ord}
	for _, r := range w.Model.Rows {
		if r.Row.Account == p.Account && r.Row.Ord == p.Ord && r.Row.Flags&domain.Erased == 0 {
			e.Rows = append(e.Rows, r.Row)
		}
	}
	SortRows(e.Rows)
	w.live = slices.DeleteFunc(w.live, func(seq uint64) bool {
		return slices.ContainsFunc(e.Rows, func(r domain.Row) bool { return r.Seq == seq })
	})
	w.add(domain.RowsErased, e)
	n := domain.Notice{Kind: domain.EventErased, Account: p.Account, Member: m.ID}
	if w.State.Sequence%2 == 0 {
		n.Kind, n.Other = domain.EventMerged, m.ID+1
	}
	w.notice(n)
}

// personal is a sealed part, here of any bytes.
func (w *Generator) personal(version uint32) domain.PersonalPart {
	p := domain.PersonalPart{
		Sealed:  domain.Sealed{Key: domain.KeyID{1, byte(w.Rand.IntN(9))}, Data: strings.Repeat("\xff\x00", w.Rand.IntN(40))},
		Version: version, Has: w.Rand.Uint64(), Born: uint16(w.Rand.IntN(40000)),
	}
	if w.Rand.IntN(4) == 0 {
		p.Keys = []domain.KeyID{{2, byte(w.Rand.IntN(9))}}
	}
	return p
}

func (w *Generator) fields() (f domain.Fields) {
	for _, field := range []domain.Field{domain.Gender, domain.Region, domain.Country, domain.GeoRegion} {
		if w.Rand.IntN(2) == 0 {
			f = append(f, domain.FieldValue{Field: field, Value: strings.Repeat("x\xfe", w.Rand.IntN(3)) + "é"})
		}
	}
	return f
}

func (w *Generator) member() {
	slot := domain.Slot(w.Rand.IntN(20))
	w.slots[slot]++
	a := domain.AccountID(1 + w.Rand.IntN(2))
	m := &domain.Member{
		ID: domain.MemberIDOf(w.slots[slot], slot), Account: a, Ord: w.ords[a], State: domain.MemberActive, UUID: [16]byte{1},
		Profile: w.fields(), Personal: w.personal(1),
		Services: []domain.ServiceRecord{
			{ID: 5, Service: domain.Spotify, Fields: domain.Fields{{Field: domain.RecordPaid, Value: "1"}}},
		},
	}
	w.ords[a]++
	w.add(domain.MemberPut, m)
}

// update changes a member.
func (w *Generator) update() {
	m := *w.Model.Members[w.anyMember()]
	m.Profile, m.Opts, m.Passwords = w.fields(), w.opts(), nil
	m.Personal = w.personal(m.Personal.Version + 1)
	if w.Rand.IntN(2) == 0 {
		m.Passwords = []domain.Password{{Address: domain.IdentityHash{byte(w.Rand.IntN(3))}, Hash: []string{"a", "b"}[w.Rand.IntN(2)]}}
	}
	w.add(domain.MemberPut, &m)
}

// parkActivity parks an activity, or drops all of a member, also where nothing is parked.
func (w *Generator) parkActivity() {
	at := w.anyMember()
	if w.Rand.IntN(4) == 0 {
		w.add(domain.ParkedDrop, &domain.Parked{Account: at.Account, Ord: at.Ord})
		return
	}
	w.number++
	w.add(domain.ParkedPut, &domain.Parked{
		Account: at.Account, Ord: at.Ord, Number: w.number, Time: w.State.Clock, Request: domain.RequestID{byte(w.number)},
		BodyHash: 3, Origin: domain.Origin{Topic: domain.TopicID{3}, Partition: 1, Epoch: 2, Offset: int64(w.number)},
		Activity: domain.Activity{
			Member: w.Model.Members[at].ID, Definition: 100, Time: -1, Hash: w.Rand.Uint64(),
			Content: domain.Content{Marker: "m\xff"},
		},
	})
}

func (w *Generator) identity() {
	h := domain.IdentityHash{byte(w.Rand.IntN(40))}
	if old, there := w.Model.Identities[h]; there && w.Rand.IntN(2) == 0 {
		w.add(domain.IdentityDrop, &old)
		return
	}
	w.add(domain.IdentityPut, &domain.Identity{
		Hash: h, Kind: domain.ByService, State: domain.Held, Member: domain.MemberID(w.Rand.Uint64() >> 20),
	})
}

func (w *Generator) opts() (o []domain.OptState) {
	for i := range uint32(3) {
		if n := w.Rand.IntN(8); n > 0 {
			o = append(o, domain.OptState{
				Opt: domain.Opt{Kind: domain.OptBrand, ID: i}, In: n&1 > 0, Out: n&2 > 0, Listed: n&4 > 0, At: int64(n),
			})
		}
	}
	return o
}

// pointer puts or drops a pointer of a few, also one that is there or is not.
func (w *Generator) pointer() {
	p := &domain.Pointer{
		Hash: domain.IdentityHash{byte(w.Rand.IntN(10))}, Member: domain.MemberID(1 + w.Rand.IntN(4)),
		Created: int64(w.Rand.IntN(3)),
	}
	w.add([]domain.ChangeKind{domain.PointerPut, domain.PointerDrop}[w.Rand.IntN(2)], p)
}

func (w *Generator) addRow() {
	p := w.anyMember()
	w.State.Sequence++
	at := domain.Second(w.State.Clock/1000) - domain.Second(w.Rand.IntN(3600))
	if w.Rand.IntN(8) == 0 {
		at -= domain.Second(w.Rand.IntN(90 * 86400))
	}
	c := domain.Change{Kind: domain.RowAdded, Row: domain.Row{
		Hash: w.Rand.Uint64(), Seq: w.State.Sequence, Account: p.Account, Ord: p.Ord, Time: at,
		Brand: domain.BrandID(min(w.Rand.ExpFloat64()*3, 30)), Definition: domain.DefinitionID(100 + w.Rand.IntN(300)),
		Points: uint16(w.Rand.IntN(65536)), Slot: w.Model.Members[p].ID.Slot(), Service: domain.Service(w.Rand.IntN(16)),
		Flags: domain.Flags(w.Rand.IntN(4)),
	}}
	if c.Row.IsVisit() && w.Rand.IntN(3) > 0 {
		c.Row.Definition = w.visited(p.Account)
	}
	if w.Rand.IntN(40) == 0 {
		c.Row.Flags |= domain.Superseded
	}
	if w.Rand.IntN(10) > 0 {
		c.Content = &domain.Content{Recorded: w.State.Clock + int64(w.Rand.IntN(1000))}
		if w.Rand.IntN(2) == 0 {
			c.Content.Marker = "m"
			c.Content.Content = fmt.Sprintf(`{"a":%d}`, int(w.State.Clock+int64(w.State.Sequence))%7)
			c.Content.Geo.City = "Köln"
		}
	}
	w.live = append(w.live, c.Row.Seq)
	w.State.Rows++
	w.out = append(w.out, c)
	w.Model.change(c)
}

// visited is the definition of a visit at a place of the account's, often a new one.
func (w *Generator) visited(account domain.AccountID) domain.DefinitionID {
	of := w.Model.Places[account]
	place := uint32(w.Rand.IntN(len(of) + 1))
	if int(place) == len(of) {
		w.add(domain.VisitPlacePut, &domain.NumberedPlace{Account: account, Number: place, VisitPlace: domain.VisitPlace{
			Domain: "a.example", Page: fmt.Sprintf("b.example/%d\xff", place),
		}})
	}
	return domain.VisitDefinition([]domain.DefinitionID{domain.Registration, domain.Login}[w.Rand.IntN(2)], place)
}

// takeRow takes a row out, often one of the same commit.
func (w *Generator) takeRow() {
	if len(w.live) == 0 {
		return
	}
	i := w.Rand.IntN(len(w.live))
	if w.Rand.IntN(3) == 0 {
		i = len(w.live) - 1 - w.Rand.IntN(min(5, len(w.live)))
	}
	row := w.Model.Rows[w.live[i]].Row
	row.Flags = []domain.Flags{domain.Superseded, domain.Deleted}[w.Rand.IntN(2)]
	c := domain.Change{Kind: domain.RowTaken, Row: row}
	if w.Rand.IntN(4) > 0 {
		w.live = slices.Delete(w.live, i, i+1)
	}
	w.out = append(w.out, c)
	w.Model.change(c)
	if row.Flags == domain.Deleted {
		w.notice(domain.Notice{
			Kind: domain.EventRemoved, Account: row.Account, Member: w.Model.Members[format.Place{Account: row.Account, Ord: row.Ord}].ID,
			Action: row.ID(), Brand: row.Brand, Definition: row.Definition, Service: row.Service, Copied: w.Rand.IntN(4) == 0,
		})
	}
}

// notice adds a notice, under the next sequence.
func (w *Generator) notice(r domain.Notice) {
	w.State.Sequence++
	r.Seq, r.At = w.State.Sequence, w.State.Clock
	w.add(domain.NoticePut, &r)
}

func (w *Generator) outbox() {
	w.State.Outbox++
	o := &domain.Outgoing{Sequence: w.State.Outbox, To: w.Rand.IntN(4)}
	switch w.Rand.IntN(5) {
	case 3:
		o.To, o.Keys = -1, []domain.KeyID{{1}, {2, byte(w.Rand.IntN(9))}}
	case 0:
		o.To = -1
		o.Dead = &domain.DeadLetter{
			Origin: domain.Origin{Topic: domain.TopicID{3}, Offset: 5}, Reason: domain.BadJSON, Detail: "d", Raw: "\xff\x00",
			At: w.State.Clock,
		}
	case 1:
		o.Forward = &domain.Record{
			Kind: domain.KindClaim, Account: 1,
			Command: &domain.Claim{Step: domain.ClaimAsk, Identity: domain.IdentityHash{1}, Type: domain.ByPartner, Member: 77},
		}
	case 2:
		o.Forward = &domain.Record{Kind: domain.KindForward, Account: 1, Activity: domain.Activity{
			Member: 5, Time: -3, Hash: 9, Defaulted: true,
			Content: domain.Content{Marker: "m", Geo: domain.Geo{Lat: "1.0"}}, Refusal: domain.BadTime, Detail: "x", Raw: "\xff",
			Asked: domain.RequestID{4},
		}}
	default:
		w.State.Outbox--
		w.State.Published = max(w.State.Published, uint64(w.Rand.IntN(int(w.State.Outbox)+1)))
		w.State.DeadUpTo = max(w.State.DeadUpTo, uint64(w.Rand.IntN(int(w.State.Outbox)+1)))
		w.State.KeysUpTo = max(w.State.KeysUpTo, uint64(w.Rand.IntN(int(w.State.Outbox)+1)))
		w.add(domain.OutboxTrim, &domain.Published{
			UpTo: w.State.Published, DeadUpTo: w.State.DeadUpTo, KeysUpTo: w.State.KeysUpTo,
		})
		return
	}
	w.add(domain.OutboxPut, o)
}

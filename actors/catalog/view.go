package catalog

import (
	"maps"
	"slices"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/actors/internal/cow"
	"github.com/ovation-analytics/ovation/actors/journal"
)

// View is the catalog as of one record: any goroutine may read it, it never
// changes. What its methods return is shared and must not be written.
type View struct {
	next         int64
	layout       *domain.Layout
	accounts     cow.Array[*domain.Account]
	applications cow.Array[*domain.Application]
	keys         cow.Array[*domain.Key]
	brands       cow.Array[*domain.Brand]
	lastBrand    domain.BrandID
	definitions  cow.Array[*domain.Definition]
	segments     cow.Array[*domain.Segment]
	webhooks     cow.Array[*domain.Webhook]
	owned        cow.Array[*owned] // by account
	byHash       map[domain.KeyHash]uint32
	access
	setAside map[RecordPlace]int64 // when, ms since 1970
	accepted journal.AcceptedGaps
	slotKeys *domain.SlotKeys
	nodes    map[domain.NodeID]*domain.Node // those that are gone, too
	console  console
}

// owned is what an account has, in order of ids; it only grows.
type owned struct {
	changed      int64 // offset after the last record that changed something of it
	applications []domain.ApplicationID
	brands       []domain.BrandID
	definitions  []domain.DefinitionID
	segments     []domain.SegmentID
	webhooks     []domain.WebhookID
}

// RecordPlace is a record of the journal, distinct from any other that was or will be at its offset.
type RecordPlace struct {
	Topic     domain.TopicID
	Partition int
	Offset    int64
	Epoch     int32
}

// Next is the offset after the last record applied.
func (v *View) Next() int64 { return v.next }

// Changed is the offset after the last record that changed something of the account but
// its keys: its brands, definitions, segments, webhooks, applications or itself. It is 0 where
// that was in an earlier life of the process.
func (v *View) Changed(account domain.AccountID) int64 {
	if o := v.owned.Get(uint32(account)); o != nil {
		return o.changed
	}
	return 0
}

// Layout is the installation's layout; nil before it was made.
func (v *View) Layout() *domain.Layout { return v.layout }

// SlotKeys are the wrapped keys of all slots; nil before they were made.
func (v *View) SlotKeys() *domain.SlotKeys { return v.slotKeys }

// Key is the key with that hash, revoked ones too.
func (v *View) Key(hash domain.KeyHash) (*domain.Key, bool) {
	id, ok := v.byHash[hash]
	if !ok {
		return nil, false
	}
	return v.keys.Get(id), true
}

// Account is an account.
func (v *View) Account(id domain.AccountID) (*domain.Account, bool) {
	a := v.accounts.Get(uint32(id))
	return a, a != nil
}

// Application is an application.
func (v *View) Application(id domain.ApplicationID) (*domain.Application, bool) {
	a := v.applications.Get(uint32(id))
	return a, a != nil
}

// ApplicationsOf are the account's applications by id.
func (v *View) ApplicationsOf(account domain.AccountID) []*domain.Application {
	o := v.owned.Get(uint32(account))
	if o == nil {
		return nil
	}
	out := make([]*domain.Application, len(o.applications))
	for i, id := range o.applications {
		out[i] = v.applications.Get(uint32(id))
	}
	return out
}

// Brand is a brand that the account has; a deleted one it has not.
func (v *View) Brand(account domain.AccountID, id domain.BrandID) (*domain.Brand, bool) {
	b := v.brands.Get(uint32(id))
	if b == nil || b.Account != account || b.Deleted {
		return nil, false
	}
	return b, true
}

// AnyBrand is a brand that the account has or had.
func (v *View) AnyBrand(account domain.AccountID, id domain.BrandID) (*domain.Brand, bool) {
	b := v.brands.Get(uint32(id))
	if b == nil || b.Account != account {
		return nil, false
	}
	return b, true
}

// AnyDefinition is a definition that the account has or had.
func (v *View) AnyDefinition(account domain.AccountID, id domain.DefinitionID) (*domain.Definition, bool) {
	d := v.definitions.Get(uint32(id))
	if d == nil || d.Account != account {
		return nil, false
	}
	return d, true
}

// Definition is a definition that the account has; a deleted one it has not.
func (v *View) Definition(account domain.AccountID, id domain.DefinitionID) (*domain.Definition, bool) {
	d := v.definitions.Get(uint32(id))
	if d == nil || d.Account != account || d.Deleted {
		return nil, false
	}
	return d, true
}

// BrandByID is a brand of any account, a deleted one too; nil: none.
func (v *View) BrandByID(id domain.BrandID) *domain.Brand { return v.brands.Get(uint32(id)) }

// LastBrand is the highest id of a brand, be it deleted: ids are given in ascending order, so a brand above it
// was made by a record that the view does not have.
func (v *View) LastBrand() domain.BrandID { return v.lastBrand }

// BrandIDs are the ids of the account's brands by dense number from 1 on, deleted ones too.
func (v *View) BrandIDs(account domain.AccountID) []domain.BrandID {
	if o := v.owned.Get(uint32(account)); o != nil {
		return o.brands
	}
	return nil
}

// AcceptedGaps are all that operators accepted, in the order of the catalog.
func (v *View) AcceptedGaps() journal.AcceptedGaps { return v.accepted }

// Brands are the account's brands by id, deleted ones too.
func (v *View) Brands(account domain.AccountID) []*domain.Brand {
	o := v.owned.Get(uint32(account))
	if o == nil {
		return nil
	}
	out := make([]*domain.Brand, len(o.brands))
	for i, id := range o.brands {
		out[i] = v.brands.Get(uint32(id))
	}
	return out
}

// Definitions are the account's definitions by id, deleted ones too.
func (v *View) Definitions(account domain.AccountID) []*domain.Definition {
	o := v.owned.Get(uint32(account))
	if o == nil {
		return nil
	}
	out := make([]*domain.Definition, len(o.definitions))
	for i, id := range o.definitions {
		out[i] = v.definitions.Get(uint32(id))
	}
	return out
}

// Segment is a segment that the account has; a deleted one it has not.
func (v *View) Segment(account domain.AccountID, id domain.SegmentID) (*domain.Segment, bool) {
	s := v.segments.Get(uint32(id))
	if s == nil || s.Account != account || s.Deleted {
		return nil, false
	}
	return s, true
}

// Segments are the account's segments by id, deleted ones too.
func (v *View) Segments(account domain.AccountID) []*domain.Segment {
	o := v.owned.Get(uint32(account))
	if o == nil {
		return nil
	}
	out := make([]*domain.Segment, len(o.segments))
	for i, id := range o.segments {
		out[i] = v.segments.Get(uint32(id))
	}
	return out
}

// FollowedLists are an account's segments whose lists are followed at a time in ms since 1970: a reader asked for the memberships,
// or a webhook sends them.
func (v *View) FollowedLists(account domain.AccountID, at int64) (out []*domain.Segment) {
	sent := map[domain.SegmentID]bool{}
	for _, w := range v.WebhooksOf(account) {
		sent[w.List(at)] = true
	}
	for _, s := range v.Segments(account) {
		if s.IsFollowed(at) || !s.Deleted && sent[s.ID] {
			out = append(out, s)
		}
	}
	return out
}

// Webhook is a webhook that the account has; a deleted one it has not.
func (v *View) Webhook(account domain.AccountID, id domain.WebhookID) (*domain.Webhook, bool) {
	w := v.webhooks.Get(uint32(id))
	if w == nil || w.Account != account || w.Deleted {
		return nil, false
	}
	return w, true
}

// WebhooksOf are the account's webhooks by id, deleted ones too.
func (v *View) WebhooksOf(account domain.AccountID) []*domain.Webhook {
	o := v.owned.Get(uint32(account))
	if o == nil {
		return nil
	}
	out := make([]*domain.Webhook, len(o.webhooks))
	for i, id := range o.webhooks {
		out[i] = v.webhooks.Get(uint32(id))
	}
	return out
}

// AllSegments are all segments by id, deleted ones too.
func (v *View) AllSegments() []*domain.Segment { return all(v.segments) }

// Webhooks are all webhooks by id, deleted ones too.
func (v *View) Webhooks() []*domain.Webhook { return all(v.webhooks) }

// Accounts are all accounts by id.
func (v *View) Accounts() []*domain.Account { return all(v.accounts) }

// Applications are all applications by id.
func (v *View) Applications() []*domain.Application { return all(v.applications) }

// Keys are all keys by id, revoked ones too.
func (v *View) Keys() []*domain.Key { return all(v.keys) }

func all[V any](p cow.Array[*V]) (out []*V) {
	p.Each(func(_ uint32, v *V) {
		if v != nil {
			out = append(out, v)
		}
	})
	return out
}

// SetsAside reports that the record is to become a dead letter.
func (v *View) SetsAside(record RecordPlace) bool {
	_, ok := v.setAside[record]
	return ok
}

// SetAsides are the records that are to become dead letters.
func (v *View) SetAsides() SetAsides { return SetAsides{v.setAside} }

// SetAsides is a catalog's records that were set aside.
type SetAsides struct{ at map[RecordPlace]int64 }

// Of are the offsets of those of a partition, ascending.
func (s SetAsides) Of(topic domain.TopicID, partition int) (offsets []int64) {
	for at := range s.at {
		if at.Topic == topic && at.Partition == partition {
			offsets = append(offsets, at.Offset)
		}
	}
	slices.Sort(offsets)
	return offsets
}

// Since is how many were set aside at a time or later, ms since 1970.
func (s SetAsides) Since(ms int64) (n int) {
	for _, at := range s.at {
		if at >= ms {
			n++
		}
	}
	return n
}

// Source is the topic that a partition of the public topic is to be read of: the one that
// the installation was made with, or that accepted gaps have led to since. It is zero
// where the layout has none.
func (v *View) Source(partition int) (id domain.TopicID) {
	if v.layout == nil || v.layout.Source.IsZero() {
		return id
	}
	id = v.layout.Source
	for _, w := range v.accepted {
		if w.Topic == id && w.Partition == partition && !w.NewTopic.IsZero() {
			id = w.NewTopic
		}
	}
	return id
}

func putKey(v *View, k *domain.Key, epoch uint64) {
	if _, ok := v.byHash[k.Hash]; !ok {
		v.byHash = maps.Clone(v.byHash)
		if v.byHash == nil {
			v.byHash = map[domain.KeyHash]uint32{}
		}
		v.byHash[k.Hash] = k.ID
	}
	v.keys.Set(k.ID, k, epoch)
}

func putSetAside(v *View, s *domain.SetAside) {
	v.setAside = maps.Clone(v.setAside)
	if v.setAside == nil {
		v.setAside = map[RecordPlace]int64{}
	}
	v.setAside[RecordPlace{s.Topic, s.Partition, s.Offset, s.Epoch}] = s.At
}

// changeOwned lets f change what an account has.
func changeOwned(v *View, account domain.AccountID, epoch uint64, f func(*owned)) {
	o := owned{}
	if old := v.owned.Get(uint32(account)); old != nil {
		o = *old
	}
	f(&o)
	v.owned.Set(uint32(account), &o, epoch)
}

package catalog

import (
	"maps"
	"slices"

	"github.com/ovation-analytics/ovation/actors/domain"
)

// Places of the id counters in State.Counters.
const (
	countAccounts = iota
	countApplications
	countKeys
	countBrands
	countDefinitions
	countSegments
	countWebhooks
)

// ledger is the catalog's state machine: a function of the records, without clock
// or chance (I6). Readers get its views.
type ledger struct {
	epoch    uint64
	view     *View // of this epoch: still being written
	state    State
	slugs    map[slug]domain.BrandID
	names    map[string]domain.AccountID
	requests map[domain.RequestID]*domain.Request
	changed  []any
}

type slug struct {
	account domain.AccountID
	text    string
}

// requestLife is how long a request id is remembered, in ms.
const requestLife = 24 * 3600 * 1000

func newLedger() *ledger {
	return &ledger{
		epoch: 1, view: &View{}, slugs: map[slug]domain.BrandID{},
		names: map[string]domain.AccountID{}, requests: map[domain.RequestID]*domain.Request{},
	}
}

// load takes a stored entity.
func (l *ledger) load(entity any) error {
	switch e := entity.(type) {
	case *domain.Request:
		l.requests[e.ID] = e
	default:
		l.put(entity)
	}
	return nil
}

// publish ends the epoch: the view returned never changes.
func (l *ledger) publish() *View {
	v := l.view
	v.next = l.state.Next
	next := *v // its own fields may be written; pages are copied when set
	l.view = &next
	l.epoch++
	return v
}

// put makes an entity part of the view.
func (l *ledger) put(entity any) {
	v := l.view
	if account := accountOf(entity); account != 0 {
		changeOwned(v, account, l.epoch, func(o *owned) { o.changed = l.state.Next })
	}
	switch e := entity.(type) {
	case *domain.Layout:
		v.layout = e
	case *domain.Account:
		v.accounts.Set(uint32(e.ID), e, l.epoch)
		l.names[e.Name] = e.ID
	case *domain.Application:
		putApplication(v, e, l.epoch)
	case *domain.Key:
		putKey(v, e, l.epoch)
	case *domain.Brand:
		l.putBrand(e)
	case *domain.Definition:
		if v.definitions.Get(uint32(e.ID)) == nil {
			changeOwned(v, e.Account, l.epoch, func(o *owned) { o.definitions = append(o.definitions, e.ID) })
		}
		v.definitions.Set(uint32(e.ID), e, l.epoch)
	case *domain.Segment:
		if v.segments.Get(uint32(e.ID)) == nil {
			changeOwned(v, e.Account, l.epoch, func(o *owned) { o.segments = append(o.segments, e.ID) })
		}
		v.segments.Set(uint32(e.ID), e, l.epoch)
	case *domain.Webhook:
		if v.webhooks.Get(uint32(e.ID)) == nil {
			changeOwned(v, e.Account, l.epoch, func(o *owned) { o.webhooks = append(o.webhooks, e.ID) })
		}
		v.webhooks.Set(uint32(e.ID), e, l.epoch)
	case *domain.SigningKey:
		putSigningKey(v, e)
	case *domain.SetAside:
		putSetAside(v, e)
	case *domain.AcceptedGap:
		v.accepted = append(slices.Clip(v.accepted), e)
	case *domain.SlotKeys:
		v.slotKeys = e
	case *domain.Node:
		putNode(v, e)
	case *domain.Link:
		v.console.putLink(e, l.epoch)
	case *domain.Session:
		v.console.putSession(e, l.epoch)
	case *domain.Deed:
		v.console.putDeed(e, l.epoch)
	}
}

func (l *ledger) putBrand(b *domain.Brand) {
	old := l.view.brands.Get(uint32(b.ID))
	if old == nil {
		changeOwned(l.view, b.Account, l.epoch, func(o *owned) { o.brands = append(o.brands, b.ID) })
	} else if !old.Deleted {
		delete(l.slugs, slug{old.Account, old.Fields["Slug"]})
	}
	if s := b.Fields["Slug"]; s != "" && !b.Deleted {
		l.slugs[slug{b.Account, s}] = b.ID
	}
	l.view.brands.Set(uint32(b.ID), b, l.epoch)
	l.view.lastBrand = max(l.view.lastBrand, b.ID)
}

// keep is put for an entity that a record brought: it will be stored.
func (l *ledger) keep(entity any) {
	l.put(entity)
	l.changed = append(l.changed, entity)
}

// accountOf is the account whose answers have the entity; 0: none's.
func accountOf(entity any) domain.AccountID {
	switch e := entity.(type) {
	case *domain.Account:
		return e.ID
	case *domain.Application:
		return e.Account
	case *domain.Brand:
		return e.Account
	case *domain.Definition:
		return e.Account
	case *domain.Segment:
		return e.Account
	case *domain.Webhook:
		return e.Account
	}
	return 0
}

// count gives the next id of a counter.
func (l *ledger) count(which int) uint32 {
	l.state.Counters[which]++
	return l.state.Counters[which]
}

// apply applies a record and returns what became of its request, with the nonce of the record that brought the
// request first. A record with a request id that is known changes nothing.
func (l *ledger) apply(r *domain.Record) (out domain.Outcome, first domain.Nonce) {
	l.pass(r)
	if !r.Request.IsZero() {
		if q := l.requests[r.Request]; q != nil && q.Day >= l.day()-1 {
			if q.BodyHash != r.BodyHash {
				return domain.Failed(domain.KeyMisused), q.Nonce
			}
			return q.Outcome, q.Nonce
		}
	}
	out = l.command(r)
	if !r.Request.IsZero() {
		q := &domain.Request{ID: r.Request, Day: l.day(), BodyHash: r.BodyHash, Nonce: r.Nonce, Outcome: out}
		l.requests[r.Request] = q
		l.changed = append(l.changed, q)
	}
	return out, r.Nonce
}

// pass moves the catalog past a record.
func (l *ledger) pass(r *domain.Record) {
	before := l.day()
	l.state.Clock = max(l.state.Clock, r.Time)
	l.state.Next = r.Offset + 1
	if l.day() > before {
		l.forget()
		l.forgetSessions()
		l.forgetDeeds()
	}
}

// forget drops the requests that no record can repeat any more; the store does the same.
func (l *ledger) forget() {
	maps.DeleteFunc(l.requests, func(_ domain.RequestID, q *domain.Request) bool { return q.Day+1 < l.day() })
}

func (l *ledger) day() uint32 { return uint32(l.state.Clock / requestLife) }

func (l *ledger) command(r *domain.Record) domain.Outcome {
	switch c := r.Command.(type) {
	case *domain.Layout:
		if l.view.layout == nil {
			l.keep(c)
		}
		return domain.Outcome{}
	case *domain.CreateApplication:
		return l.createApplication(c)
	case *domain.CreateKey:
		return l.createKey(c)
	case *domain.RevokeKey:
		return l.revokeKey(c)
	case *domain.PutBrand:
		return l.putBrandCommand(r.Account, c)
	case *domain.DeleteBrand:
		return l.deleteBrand(r.Account, c)
	case *domain.PutDefinition:
		return l.putDefinition(r.Account, c)
	case *domain.DeleteDefinition:
		return l.deleteDefinition(r.Account, c)
	case *domain.PutSegment:
		return l.putSegment(r.Account, c)
	case *domain.DeleteSegment:
		return l.deleteSegment(r.Account, c)
	case *domain.FollowSegment:
		return l.followSegment(r.Account, c)
	case *domain.PutWebhook:
		return l.putWebhook(r.Account, c)
	case *domain.DeleteWebhook:
		return l.deleteWebhook(r.Account, c)
	case *domain.AllowDomain:
		return l.allowDomain(r.Account, c)
	case *domain.UnallowDomain:
		return l.unallowDomain(r.Account, c)
	case *domain.EditApplication:
		return editApplication(l, c)
	case *domain.AddSigningKey:
		return addSigningKey(l, c)
	case *domain.PutPlan:
		return l.putPlan(c)
	case *domain.PutLimits:
		return l.putLimits(c)
	case *domain.SetAside:
		l.keep(c)
		return domain.Outcome{}
	case *domain.NodeUp:
		return l.nodeUp(c)
	case *domain.NodeGone:
		return l.nodeGone(c)
	case *domain.CreateLink:
		return l.createLink(c)
	case *domain.BeginSession:
		return l.beginSession(c)
	case *domain.RenewSession:
		return l.renewSession(c)
	case *domain.EndSession:
		return l.endSession(c)
	case *domain.NoteDeed:
		return l.noteDeed(r, c)
	case *domain.PutSlotKeys:
		return l.putSlotKeys(c)
	case *domain.AcceptGap:
		if l.view.accepted.Has(c) {
			return domain.Outcome{}
		}
		l.keep(&domain.AcceptedGap{AcceptGap: *c, Offset: r.Offset})
		return domain.Outcome{}
	}
	return domain.Failed(domain.Fail(domain.InvalidParameter, "the catalog knows no such command"))
}

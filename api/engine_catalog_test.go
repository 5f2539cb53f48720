package api

import (
	"cmp"
	"crypto/sha256"
	"maps"
	"reflect"
	"slices"

	"github.com/ovation-analytics/ovation/actors/domain"
)

// snapshot is one state of the fake engine's catalog.
type snapshot struct {
	next   int64
	keys   map[domain.KeyHash]*domain.Key
	apps   map[domain.ApplicationID]*domain.Application
	signs  []*domain.SigningKey
	limits domain.Limits // of each account
	brands []*domain.Brand
	defs   []*domain.Definition
	segs   []*domain.Segment
	hooks  []*domain.Webhook
	links  map[domain.LinkHash]*domain.Link
	open   map[domain.SessionID]*domain.Session
}

// find is the entity for which is reports true.
func find[T any](all []*T, is func(*T) bool) (*T, bool) {
	i := slices.IndexFunc(all, is)
	if i < 0 {
		return nil, false
	}
	return all[i], true
}

// byID are the entities that are kept, by ID.
func byID[T any, I cmp.Ordered](all []*T, keep func(*T) bool, id func(*T) I) []*T {
	out := slices.DeleteFunc(slices.Clone(all), func(x *T) bool { return !keep(x) })
	slices.SortFunc(out, func(a, b *T) int { return cmp.Compare(id(a), id(b)) })
	return out
}

// remove has an entity replaced by a deleted one, if it is there.
func remove[T any](all []*T, is func(*T) bool, mark func(*T)) (found bool) {
	i := slices.IndexFunc(all, is)
	if i < 0 {
		return false
	}
	x := *all[i]
	mark(&x)
	all[i] = &x
	return true
}

// overwrite sets the fields that a command gives.
func overwrite[T any](to *T, from T, given []string) {
	for _, name := range given {
		name = cmp.Or(map[string]string{"BrandID": "Brand", "ServiceType": "Service"}[name], name)
		reflect.ValueOf(to).Elem().FieldByName(name).Set(reflect.ValueOf(from).FieldByName(name))
	}
}

func isBrand(a domain.AccountID, id domain.BrandID) func(*domain.Brand) bool {
	return func(b *domain.Brand) bool { return b.Account == a && b.ID == id && !b.Deleted }
}

func isDefinition(a domain.AccountID, id domain.DefinitionID) func(*domain.Definition) bool {
	return func(d *domain.Definition) bool { return d.Account == a && d.ID == id && !d.Deleted }
}

func isSegment(a domain.AccountID, id domain.SegmentID) func(*domain.Segment) bool {
	return func(s *domain.Segment) bool { return s.Account == a && s.ID == id && !s.Deleted }
}

func isWebhook(a domain.AccountID, id domain.WebhookID) func(*domain.Webhook) bool {
	return func(w *domain.Webhook) bool { return w.Account == a && w.ID == id && !w.Deleted }
}

func (c *snapshot) Webhook(a domain.AccountID, id domain.WebhookID) (*domain.Webhook, bool) {
	return find(c.hooks, isWebhook(a, id))
}

func (c *snapshot) WebhooksOf(a domain.AccountID) []*domain.Webhook {
	return byID(c.hooks, func(w *domain.Webhook) bool { return w.Account == a }, func(w *domain.Webhook) domain.WebhookID { return w.ID })
}

func (c *snapshot) Next() int64                    { return c.next }
func (c *snapshot) Changed(domain.AccountID) int64 { return c.next }

func (c *snapshot) Key(h domain.KeyHash) (*domain.Key, bool) {
	k, ok := c.keys[h]
	return k, ok
}

func (c *snapshot) KeyByID(id uint32) (*domain.Key, bool) {
	for _, k := range c.keys {
		if k.ID == id && id != 0 {
			return k, true
		}
	}
	return nil, false
}

func (c *snapshot) Link(h domain.LinkHash) (*domain.Link, bool) {
	l, ok := c.links[h]
	return l, ok
}

func (c *snapshot) Session(id domain.SessionID) (*domain.Session, bool) {
	s, ok := c.open[id]
	return s, ok
}

func (c *snapshot) Account(id domain.AccountID) (*domain.Account, bool) {
	return &domain.Account{ID: id, Name: "Night Label", Limits: c.limits}, true
}

func (c *snapshot) SigningKeys() []*domain.SigningKey { return c.signs }

func (c *snapshot) Listed(host string) bool {
	for _, a := range c.apps {
		if slices.Contains(a.Domains, host) {
			return true
		}
	}
	return false
}

func (c *snapshot) Application(id domain.ApplicationID) (*domain.Application, bool) {
	a, ok := c.apps[id]
	return a, ok
}

func (c *snapshot) ApplicationsOf(id domain.AccountID) []*domain.Application {
	return byID(slices.Collect(maps.Values(c.apps)), func(a *domain.Application) bool { return a.Account == id },
		func(a *domain.Application) domain.ApplicationID { return a.ID })
}

func (c *snapshot) Brand(a domain.AccountID, id domain.BrandID) (*domain.Brand, bool) {
	return find(c.brands, isBrand(a, id))
}

func (c *snapshot) Definition(a domain.AccountID, id domain.DefinitionID) (*domain.Definition, bool) {
	return find(c.defs, isDefinition(a, id))
}

func (c *snapshot) Segment(a domain.AccountID, id domain.SegmentID) (*domain.Segment, bool) {
	return find(c.segs, isSegment(a, id))
}

func (c *snapshot) AnyBrand(a domain.AccountID, id domain.BrandID) (*domain.Brand, bool) {
	return find(c.brands, func(b *domain.Brand) bool { return b.Account == a && b.ID == id })
}

func (c *snapshot) AnyDefinition(a domain.AccountID, id domain.DefinitionID) (*domain.Definition, bool) {
	return find(c.defs, func(d *domain.Definition) bool { return d.Account == a && d.ID == id })
}

func (c *snapshot) Brands(a domain.AccountID) []*domain.Brand {
	return byID(c.brands, func(b *domain.Brand) bool { return b.Account == a }, func(b *domain.Brand) domain.BrandID { return b.ID })
}

func (c *snapshot) Definitions(a domain.AccountID) []*domain.Definition {
	return byID(c.defs, func(d *domain.Definition) bool { return d.Account == a }, func(d *domain.Definition) domain.DefinitionID { return d.ID })
}

func (c *snapshot) Segments(a domain.AccountID) []*domain.Segment {
	return byID(c.segs, func(s *domain.Segment) bool { return s.Account == a }, func(s *domain.Segment) domain.SegmentID { return s.ID })
}

// allow changes the allowlist of an application.
func (s *fakeEngine) allow(id domain.ApplicationID, host string, in bool) domain.Outcome {
	a := *s.apps[id]
	a.Domains = slices.DeleteFunc(slices.Clone(a.Domains), func(d string) bool { return d == host })
	if in {
		a.Domains = slices.Sorted(slices.Values(append(a.Domains, host)))
	}
	s.apps = maps.Clone(s.apps)
	s.apps[id] = &a
	s.next++
	return domain.Outcome{ID: uint32(id)}
}

func (s *fakeEngine) putBrand(account domain.AccountID, c *domain.PutBrand) domain.Outcome {
	b := &domain.Brand{ID: c.ID, Account: account, Fields: domain.BrandFields{}, Created: c.At, Updated: c.At}
	at := -1
	for i, o := range s.brands {
		if o.Account == account && !o.Deleted && o.ID != c.ID && c.Given["Slug"] != "" && o.Fields["Slug"] == c.Given["Slug"] {
			return domain.Outcome{Code: domain.Conflict, Parameter: "slug", Message: "another brand has this slug"}
		}
		if o.ID == c.ID && o.Account == account && !o.Deleted {
			at = i
			maps.Copy(b.Fields, o.Fields)
		}
	}
	for k, v := range c.Given {
		if v == "" {
			delete(b.Fields, k)
		} else {
			b.Fields[k] = v
		}
	}
	switch {
	case c.ID == 0:
		b.ID = domain.BrandID(len(s.brands) + 1)
		s.brands = append(s.brands, b)
	case at < 0:
		return domain.Outcome{Code: domain.NotFound, Parameter: "brandid", Message: "the account has no such brand"}
	default:
		s.brands[at] = b
	}
	s.next++
	return domain.Outcome{ID: uint32(b.ID)}
}

func (s *fakeEngine) putDefinition(account domain.AccountID, c *domain.PutDefinition) domain.Outcome {
	d := c.Definition
	d.Account = account
	if d.ID == 0 {
		d.ID = domain.FirstDefinition + domain.DefinitionID(len(s.defs))
		d.Created = c.At
		s.defs = append(s.defs, &d)
		s.next++
		return domain.Outcome{ID: uint32(d.ID)}
	}
	i := slices.IndexFunc(s.defs, isDefinition(account, d.ID))
	if i < 0 {
		return domain.Outcome{Code: domain.NotFound, Parameter: "activityid", Message: "the account has no such activity"}
	}
	old := *s.defs[i]
	overwrite(&old, d, c.Given)
	s.defs[i] = &old
	s.next++
	return domain.Outcome{ID: uint32(d.ID)}
}

// putSegment does what the catalog does, as far as handlers see it.
func (s *fakeEngine) putSegment(account domain.AccountID, c *domain.PutSegment) domain.Outcome {
	g := domain.Segment{Account: account, Threshold: 1, Created: c.At}
	at := slices.IndexFunc(s.segs, isSegment(account, c.Segment.ID))
	if c.Segment.ID != 0 {
		if at < 0 {
			return domain.Outcome{Code: domain.NotFound, Parameter: "segmentid", Message: "no such segment"}
		}
		g = *s.segs[at]
	}
	overwrite(&g, c.Segment, c.Given)
	if g.ID == 0 {
		g.ID = domain.SegmentID(len(s.segs) + 1)
		s.segs = append(s.segs, &g)
	} else {
		s.segs[at] = &g
	}
	s.next++
	return domain.Outcome{ID: uint32(g.ID)}
}

// addKey adds a key to the catalog.
func (s *fakeEngine) addKey(text string, key domain.Key) {
	s.keys[sha256.Sum256([]byte(text))] = &key
}

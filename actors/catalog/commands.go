package catalog

import (
	"maps"
	"slices"

	"github.com/ovation-analytics/ovation/actors/domain"
)

func (l *ledger) createApplication(c *domain.CreateApplication) domain.Outcome {
	account, ok := l.names[c.AccountName]
	if !ok {
		account = domain.AccountID(l.count(countAccounts))
		l.keep(&domain.Account{ID: account, Name: c.AccountName, Created: c.At})
	}
	if slices.ContainsFunc(l.view.Applications(), func(a *domain.Application) bool {
		return a.Account == account && a.Name == c.Name
	}) {
		return domain.Failed(domain.Bad(domain.Conflict, "name", "the account has an application of this name"))
	}
	id := l.count(countApplications)
	l.keep(&domain.Application{ID: domain.ApplicationID(id), Account: account, Name: c.Name, Plan: c.Plan, Created: c.At})
	return domain.Outcome{ID: id, Second: uint32(account), New: true}
}

func (l *ledger) createKey(c *domain.CreateKey) domain.Outcome {
	app, ok := l.view.Application(c.Application)
	if !ok {
		return domain.Failed(domain.Bad(domain.NotFound, "application", "no such application"))
	}
	if _, ok := l.view.Key(c.Hash); ok {
		return domain.Failed(domain.Bad(domain.Conflict, "key", "the key exists already"))
	}
	id := l.count(countKeys)
	l.keep(&domain.Key{
		ID: id, Hash: c.Hash, Hint: c.Hint, Application: app.ID, Account: app.Account, Scope: c.Scope, Created: c.At,
	})
	return domain.Outcome{ID: id, Second: uint32(app.Account), New: true}
}

func (l *ledger) revokeKey(c *domain.RevokeKey) domain.Outcome {
	k := l.view.keys.Get(c.ID)
	if k == nil {
		return domain.Failed(domain.Bad(domain.NotFound, "key", "no such key"))
	}
	if k.Revoked == 0 {
		revoked := *k
		revoked.Revoked = c.At
		l.keep(&revoked)
	}
	return domain.Outcome{ID: c.ID}
}

func (l *ledger) putBrandCommand(account domain.AccountID, c *domain.PutBrand) domain.Outcome {
	if _, ok := l.view.Account(account); !ok {
		return domain.Failed(domain.Fail(domain.NotFound, "no such account"))
	}
	b := domain.Brand{Account: account, Fields: domain.BrandFields{}, Created: c.At}
	if c.ID != 0 {
		old, ok := l.view.Brand(account, c.ID)
		if !ok {
			return domain.Failed(domain.Bad(domain.NotFound, "brandid", "no such brand"))
		}
		b = *old
		b.Fields = maps.Clone(old.Fields)
	}
	for name, value := range c.Given {
		if value == "" {
			delete(b.Fields, name)
		} else {
			b.Fields[name] = value
		}
	}
	if holder, ok := l.slugs[slug{account, b.Fields["Slug"]}]; ok && holder != c.ID {
		return domain.Failed(domain.Bad(domain.Conflict, "slug",
			"another brand has the slug "+b.Fields["Slug"]+": give this one another by slug"))
	}
	b.Updated = c.At
	if c.ID == 0 {
		b.ID = domain.BrandID(l.count(countBrands))
		b.Dense = 1
		if o := l.view.owned.Get(uint32(account)); o != nil {
			b.Dense = uint32(len(o.brands)) + 1
		}
	}
	l.keep(&b)
	return domain.Outcome{ID: uint32(b.ID), New: c.ID == 0}
}

func (l *ledger) deleteBrand(account domain.AccountID, c *domain.DeleteBrand) domain.Outcome {
	old, ok := l.view.Brand(account, c.ID)
	if !ok {
		return domain.Failed(domain.Bad(domain.NotFound, "brandid", "no such brand"))
	}
	definitions, segments := l.brandUsers(account, c.ID)
	if len(definitions)+len(segments) > 0 && !c.Force {
		return domain.Failed(domain.Bad(domain.Conflict, "brandid",
			"activity definitions or segments use the brand; force=1 deletes them too"))
	}
	for _, d := range definitions {
		gone := *d
		gone.Deleted, gone.Updated = true, c.At
		l.keep(&gone)
	}
	for _, s := range segments {
		gone := *s
		gone.Deleted, gone.Updated = true, c.At
		l.keep(&gone)
	}
	b := *old
	b.Deleted, b.Updated = true, c.At
	l.keep(&b)
	return domain.Outcome{ID: uint32(c.ID)}
}

// brandUsers are the living definitions and segments of a brand.
func (l *ledger) brandUsers(
	account domain.AccountID, id domain.BrandID,
) (definitions []*domain.Definition, segments []*domain.Segment) {
	for _, d := range l.view.Definitions(account) {
		if d.Brand == id && !d.Deleted {
			definitions = append(definitions, d)
		}
	}
	for _, s := range l.view.Segments(account) {
		if s.Brand == id && !s.Deleted {
			segments = append(segments, s)
		}
	}
	return definitions, segments
}

func (l *ledger) putDefinition(account domain.AccountID, c *domain.PutDefinition) domain.Outcome {
	d := domain.Definition{Account: account, Value: 1, Created: c.At}
	if c.Definition.ID != 0 {
		old, ok := l.view.Definition(account, c.Definition.ID)
		if !ok {
			return domain.Failed(domain.Bad(domain.NotFound, "activityid", "no such activity"))
		}
		d = *old
	}
	before := d.Service
	for _, name := range c.Given {
		overwrite(&d, &c.Definition, name)
	}
	if d.ID != 0 && d.Service != before && !slices.Contains(d.Former, before) {
		d.Former = append(slices.Clone(d.Former), before)
	}
	if d.Brand != 0 {
		if _, ok := l.view.Brand(account, d.Brand); !ok {
			return domain.Failed(domain.Bad(domain.NotFound, "brandid", "no such brand"))
		}
	}
	d.Updated = c.At
	isNew := d.ID == 0
	if isNew {
		l.state.Counters[countDefinitions] = max(l.state.Counters[countDefinitions], uint32(domain.FirstDefinition)-1)
		d.ID = domain.DefinitionID(l.count(countDefinitions))
	}
	l.keep(&d)
	return domain.Outcome{ID: uint32(d.ID), New: isNew}
}

// overwrite copies the field of that name in the contract's spelling.
func overwrite(d, from *domain.Definition, name string) {
	switch name {
	case "BrandID":
		d.Brand = from.Brand
	case "Name":
		d.Name = from.Name
	case "ShortName":
		d.ShortName = from.ShortName
	case "Type":
		d.Type = from.Type
	case "ServiceType":
		d.Service = from.Service
	case "Value":
		d.Value = from.Value
	case "OneTime":
		d.OneTime = from.OneTime
	case "Category":
		d.Category = from.Category
	case "Link":
		d.Link = from.Link
	case "Media":
		d.Media = from.Media
	}
}

func (l *ledger) deleteDefinition(account domain.AccountID, c *domain.DeleteDefinition) domain.Outcome {
	old, ok := l.view.Definition(account, c.ID)
	if !ok {
		return domain.Failed(domain.Bad(domain.NotFound, "activityid", "no such activity"))
	}
	d := *old
	d.Deleted, d.Updated = true, c.At
	l.keep(&d)
	return domain.Outcome{ID: uint32(c.ID)}
}

func (l *ledger) putSlotKeys(c *domain.PutSlotKeys) domain.Outcome {
	inForce := uint32(0)
	if k := l.view.slotKeys; k != nil {
		inForce = k.Generation
	}
	if c.Keys.Generation != inForce+1 {
		return domain.Failed(domain.Fail(domain.Conflict, "the slot keys were put by another node meanwhile"))
	}
	keys := c.Keys
	l.keep(&keys)
	return domain.Outcome{}
}

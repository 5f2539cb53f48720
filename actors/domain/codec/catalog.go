package codec

import (
	"maps"
	"slices"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/actors/domain/codec/schema"
)

func layoutToWire(l *domain.Layout) *schema.Layout {
	return &schema.Layout{
		Shards:  int64(l.Shards),
		Journal: block(l.Journal[:]),
		Pepper:  block(l.Pepper[:]),
		Token:   block(l.Token[:]),
		At:      l.At,
		Source:  block(l.Source[:]),
	}
}

func layoutFromWire(c *checker, m *schema.Layout) domain.Layout {
	return domain.Layout{
		Shards:  int(m.Shards),
		Journal: c.id(m.Journal),
		Pepper:  c.id(m.Pepper),
		Token:   c.id(m.Token),
		At:      m.At,
		Source:  c.id(m.Source),
	}
}

func createApplicationToWire(a *domain.CreateApplication) *schema.CreateApplication {
	return &schema.CreateApplication{AccountName: a.AccountName, Name: a.Name, Plan: uint32(a.Plan), At: a.At}
}

func createApplicationFromWire(c *checker, m *schema.CreateApplication) domain.CreateApplication {
	return domain.CreateApplication{
		AccountName: m.AccountName, Name: m.Name, Plan: small[domain.Plan](c, m.Plan), At: m.At,
	}
}

func createKeyToWire(k *domain.CreateKey) *schema.CreateKey {
	return &schema.CreateKey{
		Application: uint32(k.Application), Hash: block(k.Hash[:]), Hint: k.Hint, Scope: uint32(k.Scope), At: k.At,
	}
}

func createKeyFromWire(c *checker, m *schema.CreateKey) domain.CreateKey {
	k := domain.CreateKey{
		Application: domain.ApplicationID(m.Application),
		Hint:        m.Hint,
		Scope:       small[domain.KeyScope](c, m.Scope),
		At:          m.At,
	}
	c.fixed(k.Hash[:], m.Hash)
	return k
}

func revokeKeyToWire(r *domain.RevokeKey) *schema.RevokeKey {
	return &schema.RevokeKey{Id: r.ID, At: r.At}
}

func revokeKeyFromWire(_ *checker, m *schema.RevokeKey) domain.RevokeKey {
	return domain.RevokeKey{ID: m.Id, At: m.At}
}

func putBrandToWire(p *domain.PutBrand) *schema.PutBrand {
	return &schema.PutBrand{Id: uint32(p.ID), Given: brandFieldsToWire(p.Given), At: p.At}
}

func putBrandFromWire(c *checker, m *schema.PutBrand) domain.PutBrand {
	return domain.PutBrand{ID: domain.BrandID(m.Id), Given: brandFieldsFromWire(c, m.Given), At: m.At}
}

// brandFieldsToWire is the fields in the order of their names.
func brandFieldsToWire(fields domain.BrandFields) []*schema.BrandField {
	var out []*schema.BrandField
	for _, name := range slices.Sorted(maps.Keys(fields)) {
		out = append(out, &schema.BrandField{Name: name, Value: fields[name]})
	}
	return out
}

// brandFieldsFromWire reads fields whose names ascend.
func brandFieldsFromWire(c *checker, all []*schema.BrandField) domain.BrandFields {
	if len(all) == 0 {
		return nil
	}
	fields := make(domain.BrandFields, len(all))
	for i, f := range all {
		if i > 0 && f.Name <= all[i-1].Name {
			c.bad = true
		}
		fields[f.Name] = f.Value
	}
	return fields
}

func deleteBrandToWire(d *domain.DeleteBrand) *schema.DeleteBrand {
	return &schema.DeleteBrand{Id: uint32(d.ID), Force: d.Force, At: d.At}
}

func deleteBrandFromWire(_ *checker, m *schema.DeleteBrand) domain.DeleteBrand {
	return domain.DeleteBrand{ID: domain.BrandID(m.Id), Force: m.Force, At: m.At}
}

func putDefinitionToWire(p *domain.PutDefinition) *schema.PutDefinition {
	return &schema.PutDefinition{Definition: definitionToWire(&p.Definition), Given: p.Given, At: p.At}
}

func putDefinitionFromWire(c *checker, m *schema.PutDefinition) domain.PutDefinition {
	return domain.PutDefinition{Definition: definitionFromWire(c, m.Definition), Given: m.Given, At: m.At}
}

func deleteDefinitionToWire(d *domain.DeleteDefinition) *schema.DeleteDefinition {
	return &schema.DeleteDefinition{Id: uint32(d.ID), At: d.At}
}

func deleteDefinitionFromWire(_ *checker, m *schema.DeleteDefinition) domain.DeleteDefinition {
	return domain.DeleteDefinition{ID: domain.DefinitionID(m.Id), At: m.At}
}

func setAsideToWire(s *domain.SetAside) *schema.SetAside {
	return &schema.SetAside{
		Topic: block(s.Topic[:]), Partition: int64(s.Partition), Offset: s.Offset, Epoch: s.Epoch, At: s.At,
	}
}

func setAsideFromWire(c *checker, m *schema.SetAside) domain.SetAside {
	return domain.SetAside{
		Topic: c.id(m.Topic), Partition: int(m.Partition), Offset: m.Offset, Epoch: m.Epoch, At: m.At,
	}
}

func acceptGapToWire(g *domain.AcceptGap) *schema.AcceptGap {
	return &schema.AcceptGap{
		Topic:     block(g.Topic[:]),
		Partition: int64(g.Partition),
		From:      g.From,
		Epoch:     g.Epoch,
		NewTopic:  block(g.NewTopic[:]),
		To:        g.To,
		At:        g.At,
	}
}

func acceptGapFromWire(c *checker, m *schema.AcceptGap) domain.AcceptGap {
	return domain.AcceptGap{
		Topic:     c.id(m.GetTopic()),
		Partition: int(m.GetPartition()),
		From:      m.GetFrom(),
		Epoch:     m.GetEpoch(),
		NewTopic:  c.id(m.GetNewTopic()),
		To:        m.GetTo(),
		At:        m.GetAt(),
	}
}

func acceptedGapToWire(g *domain.AcceptedGap) *schema.AcceptedGap {
	return &schema.AcceptedGap{Gap: acceptGapToWire(&g.AcceptGap), Offset: g.Offset}
}

func acceptedGapFromWire(c *checker, m *schema.AcceptedGap) domain.AcceptedGap {
	return domain.AcceptedGap{AcceptGap: acceptGapFromWire(c, m.Gap), Offset: m.Offset}
}

func accountToWire(a *domain.Account) *schema.Account {
	return &schema.Account{Id: uint32(a.ID), Name: a.Name, Created: a.Created, Limits: limitsToWire(&a.Limits)}
}

func accountFromWire(c *checker, m *schema.Account) domain.Account {
	return domain.Account{
		ID: domain.AccountID(m.Id), Name: m.Name, Created: m.Created, Limits: limitsFromWire(c, m.Limits),
	}
}

func keyToWire(k *domain.Key) *schema.Key {
	return &schema.Key{
		Id:          k.ID,
		Hash:        block(k.Hash[:]),
		Hint:        k.Hint,
		Application: uint32(k.Application),
		Account:     uint32(k.Account),
		Scope:       uint32(k.Scope),
		Created:     k.Created,
		Revoked:     k.Revoked,
	}
}

func keyFromWire(c *checker, m *schema.Key) domain.Key {
	k := domain.Key{
		ID:          m.Id,
		Hint:        m.Hint,
		Application: domain.ApplicationID(m.Application),
		Account:     domain.AccountID(m.Account),
		Scope:       small[domain.KeyScope](c, m.Scope),
		Created:     m.Created,
		Revoked:     m.Revoked,
	}
	c.fixed(k.Hash[:], m.Hash)
	return k
}

func brandToWire(b *domain.Brand) *schema.Brand {
	return &schema.Brand{
		Id:      uint32(b.ID),
		Account: uint32(b.Account),
		Dense:   b.Dense,
		Fields:  brandFieldsToWire(b.Fields),
		Created: b.Created,
		Updated: b.Updated,
		Deleted: b.Deleted,
	}
}

func brandFromWire(c *checker, m *schema.Brand) domain.Brand {
	return domain.Brand{
		ID:      domain.BrandID(m.Id),
		Account: domain.AccountID(m.Account),
		Dense:   m.Dense,
		Fields:  brandFieldsFromWire(c, m.Fields),
		Created: m.Created,
		Updated: m.Updated,
		Deleted: m.Deleted,
	}
}

func definitionToWire(d *domain.Definition) *schema.Definition {
	return &schema.Definition{
		Id:        uint32(d.ID),
		Account:   uint32(d.Account),
		Brand:     uint32(d.Brand),
		Name:      d.Name,
		ShortName: d.ShortName,
		Type:      d.Type,
		Service:   uint32(d.Service),
		Former:    list(d.Former, func(s *domain.Service) uint32 { return uint32(*s) }),
		Value:     uint32(d.Value),
		OneTime:   d.OneTime,
		Category:  d.Category,
		Link:      d.Link,
		Media:     d.Media,
		Created:   d.Created,
		Updated:   d.Updated,
		Deleted:   d.Deleted,
	}
}

func definitionFromWire(c *checker, m *schema.Definition) domain.Definition {
	return domain.Definition{
		ID:        domain.DefinitionID(m.GetId()),
		Account:   domain.AccountID(m.GetAccount()),
		Brand:     domain.BrandID(m.GetBrand()),
		Name:      m.GetName(),
		ShortName: m.GetShortName(),
		Type:      m.GetType(),
		Service:   small[domain.Service](c, m.GetService()),
		Former:    list(m.GetFormer(), func(v *uint32) domain.Service { return small[domain.Service](c, *v) }),
		Value:     small[uint16](c, m.GetValue()),
		OneTime:   m.GetOneTime(),
		Category:  m.GetCategory(),
		Link:      m.GetLink(),
		Media:     m.GetMedia(),
		Created:   m.GetCreated(),
		Updated:   m.GetUpdated(),
		Deleted:   m.GetDeleted(),
	}
}

func slotKeysToWire(s *domain.SlotKeys) *schema.SlotKeys {
	return &schema.SlotKeys{Generation: s.Generation, Master: block(s.Master[:]), Wrapped: s.Wrapped, At: s.At}
}

func slotKeysFromWire(c *checker, m *schema.SlotKeys) domain.SlotKeys {
	return domain.SlotKeys{
		Generation: m.GetGeneration(), Master: c.id(m.GetMaster()), Wrapped: m.GetWrapped(), At: m.GetAt(),
	}
}

func putSlotKeysToWire(p *domain.PutSlotKeys) *schema.PutSlotKeys {
	return &schema.PutSlotKeys{Keys: slotKeysToWire(&p.Keys)}
}

func putSlotKeysFromWire(c *checker, m *schema.PutSlotKeys) domain.PutSlotKeys {
	return domain.PutSlotKeys{Keys: slotKeysFromWire(c, m.Keys)}
}

package members

import (
	"context"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/api/bind"
	"github.com/ovation-analytics/ovation/api/envelope"
	"github.com/ovation-analytics/ovation/api/node"
	"github.com/ovation-analytics/ovation/api/page"
	"github.com/ovation-analytics/ovation/api/selection"
	"github.com/ovation-analytics/ovation/api/serve"
	"github.com/ovation-analytics/ovation/api/wire"
)

// itemsIn are the parameters that say which items of a list of members are wanted, and which
// of their fields.
type itemsIn struct {
	Fields string `name:"fields" max:"4096" doc:"only these fields of the items, by name in any case, and paths into Extended, as Extended.lastUpdated; ID always stays" eg:"FirstName,Score,LastActivity"`
	selection.Required
}

// itemFields are the fields of items that are wanted.
type itemFields struct {
	only *wire.ItemFields // nil: all
	node bool             // Extended is one of all
}

// nodeFields are the fields of Extended that are wanted, nil: all, and whether there are any.
func (f itemFields) nodeFields() (*wire.NodeFields, bool) {
	named := f.only.Node()
	return named, named != nil || f.only == nil && f.node
}

// itemFields are the fields wanted. A name that no field has gives a warning.
func (in *itemsIn) itemFields(req *serve.Request) (itemFields, error) {
	if in.Fields == "" {
		return itemFields{}, nil
	}
	names, err := selection.Names(req, in.Fields, "fields")
	if err != nil {
		return itemFields{}, err
	}
	fields, unknown := wire.ParseItemFields(names)
	for _, name := range unknown {
		req.Warn("the field " + bind.Shorten(name) + " is unknown and was ignored")
	}
	return itemFields{only: fields}, nil
}

// ranked is a member in a list, with its latest action that matched.
type ranked struct {
	domain.Leader
	latest domain.Row // Seq 0: none
}

// askRanked asks a question of members by rank, each with its latest action.
func askRanked(ctx context.Context, req *serve.Request, q *domain.Question, op string) (*domain.Answer, []ranked, error) {
	q.Top.Latest = true
	answer, err := req.Ask(ctx, q)
	if err != nil {
		return nil, nil, err
	}
	l := answer.Leaders
	if l == nil || len(l.Latest) != len(l.Members) {
		return nil, nil, serve.ErrShape(op)
	}
	members := make([]ranked, len(l.Members))
	for i := range members {
		members[i] = ranked{l.Members[i], l.Latest[i]}
	}
	return answer, members, nil
}

// rankedKey is what a member is listed by in a ranking.
func rankedKey(order domain.Order) func(*ranked) page.Row {
	return func(r *ranked) page.Row {
		k := page.Row{Rank: uint64(r.At), ID: uint64(r.Member)}
		switch order {
		case domain.ByScore:
			k.Rank = r.Score
		case domain.ByActions:
			k.Rank = r.Actions
		}
		return k
	}
}

// showLatest is what an answer shows of members and of their latest actions, read at a
// position or after it.
func showLatest(ctx context.Context, req *serve.Request, members []ranked, at domain.Position) ([]domain.Shown, error) {
	if len(members) == 0 {
		return nil, nil
	}
	items := make([]domain.FeedItem, len(members))
	for i := range members {
		items[i] = domain.FeedItem{Row: members[i].latest, Member: members[i].Member}
	}
	shown, err := req.Engine.Show(ctx, req.Account(), items, at)
	return shown, serve.WaitFault(err)
}

// items are members as lists show them, read at a position or after it. What is no member
// any more is left out. brand is the one asked for; nil: each shows that of its latest
// action.
func items(
	ctx context.Context, req *serve.Request, members []ranked, brand *domain.Brand, fields itemFields, at domain.Position,
) ([]wire.MemberItem, error) {
	shown, err := showLatest(ctx, req, members, at)
	if err != nil {
		return nil, err
	}
	out, opened := make([]wire.MemberItem, 0, len(members)), make([]*domain.Member, 0, len(members))
	for i := range members {
		if shown[i].Member == nil {
			continue
		}
		out, opened = append(out, wire.MemberItem{}), append(opened, shown[i].Member)
		item := &out[len(out)-1]
		if err := fill(item, req, &members[i], shown[i].Member, shown[i].Content, brand); err != nil {
			return nil, err
		}
		item.Only(fields.only)
	}
	of, wanted := fields.nodeFields()
	if !wanted {
		return out, nil
	}
	nodes, err := node.Nodes(ctx, req, opened, node.PartsOf(of))
	if err != nil {
		return nil, err
	}
	for i := range out {
		nodes[i].Only(of)
		out[i].Extended = nodes[i]
	}
	return out, nil
}

// fill makes the item of a member.
func fill(
	item *wire.MemberItem, req *serve.Request, r *ranked, m *domain.Member, contents *domain.Content, brand *domain.Brand,
) error {
	text := func(f domain.Field) *string { return wire.Field(m.Profile, f) }
	country := m.Profile.Get(domain.Country)
	*item = wire.MemberItem{
		ID: wire.Number(m.ID), UUID: wire.UUID(m.UUID), FirstName: text(domain.FirstName), Surname: text(domain.Surname),
		Username: text(domain.Username), Email: text(domain.EmailAddress), Gender: text(domain.Gender), Bio: text(domain.Bio),
		City: text(domain.City), State: text(domain.Region), Country: wire.Null(bind.CountryName()[country]), PostCode: text(domain.PostCode),
		Address: text(domain.Address), Addressline2: text(domain.AddressLine2), HomePhone: text(domain.HomePhone), MobilePhone: text(domain.MobilePhone),
		LastVisited: wire.NullMillis(m.LastLogin()), Score: wire.Number(r.Score), ActivityCount: wire.Number(r.Actions),
		GeoCity: text(domain.GeoCity), GeoRegion: text(domain.GeoRegion), GeoCountry: text(domain.GeoCountry),
		GeoLat: text(domain.GeoLat), GeoLong: text(domain.GeoLong), MemberAvatarURL: wire.Avatar(req.Links.Base, m),
		CountryCode: text(domain.Country), VerifiedEmail: text(domain.VerifiedEmail), Services: envelope.Records(m),
	}
	optIns, err := envelope.OptIns(req, m)
	if err != nil {
		return err
	}
	if len(optIns) > 0 {
		item.OptIns = &optIns
	}
	if r.latest.Seq != 0 {
		of, err := req.AnyBrand(r.latest.Brand)
		if err != nil {
			return err
		}
		if item.LastActivity, err = lastActivity(req, &r.latest, contents, of); err != nil {
			return err
		}
		if brand == nil {
			brand = of
		}
	}
	if brand != nil {
		id, name, kind := wire.Number(brand.ID), wire.Null(brand.Name()), wire.Null(brand.Fields["Type"])
		item.BrandID, item.BrandName, item.BrandType = &id, name, kind
		item.Brand = &wire.ItemBrand{ID: id, Name: name, Type: kind}
	}
	return nil
}

// lastActivity is an action as a list of members shows it.
func lastActivity(req *serve.Request, row *domain.Row, contents *domain.Content, brand *domain.Brand) (*wire.LastActivity, error) {
	d, err := req.AnyDefinition(row.Definition)
	if err != nil {
		return nil, err
	}
	if d == nil {
		d = &domain.Definition{ID: row.Definition}
	}
	if contents == nil {
		contents = &domain.Content{}
	}
	return &wire.LastActivity{
		ID: wire.Number(contents.ID(row)), Name: wire.DefinitionName(d, brand), ActivityID: wire.Number(row.Definition), Content: wire.Content(contents.Content),
		Link: wire.NullOr(contents.Link, d.Link), CompleteDate: wire.Seconds(int64(row.Time)),
	}, nil
}

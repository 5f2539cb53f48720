package api

import (
	"context"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/api/bind"
	"github.com/ovation-analytics/ovation/api/selection"
	"github.com/ovation-analytics/ovation/api/serve"
	"github.com/ovation-analytics/ovation/api/wire"
)

// selected are the parameters that say what of the items of a list of members is
// wanted.
type selected struct {
	Fields string `name:"fields" max:"4096" doc:"only these fields of the items, by name in any case; ID always stays" eg:"FirstName,Score,LastActivity"`
	selection.Required
}

// fields are the fields wanted; nil: all. Names that no field has are warned of.
func itemFields(req *serve.Request, in selected) (*wire.ItemFields, error) {
	if in.Fields == "" {
		return nil, nil
	}
	names, err := selection.Names(req, in.Fields, "fields")
	if err != nil {
		return nil, err
	}
	fields, unknown := wire.ParseItemFields(names)
	for _, name := range unknown {
		req.Warn("the field " + bind.Shorten(name) + " is unknown and was ignored")
	}
	return fields, nil
}

// ranked is a member in a list, with its latest action that matched.
type ranked struct {
	domain.Leader
	latest domain.Row // Seq 0: none
}

// memberItems are members as lists show them, read at a position or after it. Who is
// no member any more is left out. brand is the one asked for; nil: each shows that of
// its latest action.
func (s *memberService) memberItems(ctx context.Context, req *serve.Request, members []ranked, brand *domain.Brand, only *wire.ItemFields, at domain.Position) ([]wire.MemberItem, error) {
	out := make([]wire.MemberItem, 0, len(members))
	if len(members) == 0 {
		return out, nil
	}
	items := make([]domain.FeedItem, len(members))
	for i := range members {
		items[i] = domain.FeedItem{Row: members[i].latest, Member: members[i].Member}
	}
	shown, err := req.Engine.Show(ctx, req.Account(), items, at)
	if err != nil {
		return nil, serve.WaitFault(err)
	}
	for i := range members {
		if shown[i].Member == nil {
			continue
		}
		item := s.memberItemOf(req, &members[i], shown[i].Member, shown[i].Content, brand)
		item.Only(only)
		out = append(out, item)
	}
	return out, nil
}

func (s *memberService) memberItemOf(req *serve.Request, r *ranked, m *domain.Member, said *domain.Content, brand *domain.Brand) wire.MemberItem {
	d := s.memberOf(req, m)
	item := wire.MemberItem{
		ID: wire.Number(m.ID), UUID: wire.UUID(m.UUID), FirstName: d.FirstName, Surname: d.Surname, Username: d.Username, Email: d.Email,
		Gender: d.Gender, Bio: d.Bio, City: d.City, State: d.State, Country: d.Country, PostCode: d.PostCode,
		LastVisited: wire.NullMillis(m.LastLogin()), Score: wire.Number(r.Score), ActivityCount: wire.Number(r.Actions),
		GeoCity: d.GeoCity, GeoRegion: d.GeoRegion, GeoCountry: d.GeoCountry, GeoLat: d.GeoLat, GeoLong: d.GeoLong,
		MemberAvatarURL: d.AvatarURL, CountryCode: d.CountryCode, VerifiedEmail: d.VerifiedEmail, Services: recordsOf(m),
	}
	if optIns := optInsOf(req, m); len(optIns) > 0 {
		item.OptIns = &optIns
	}
	if r.latest.Seq != 0 {
		of := req.AnyBrand(r.latest.Brand)
		item.LastActivity = lastActivity(req, &r.latest, said, of)
		if brand == nil {
			brand = of
		}
	}
	if brand != nil {
		id, name, kind := wire.Number(brand.ID), wire.Null(brand.Name()), wire.Null(brand.Fields["Type"])
		item.BrandID, item.BrandName, item.BrandType = &id, name, kind
		item.Brand = &wire.ItemBrand{ID: id, Name: name, Type: kind}
	}
	return item
}

// lastActivity is an action as a list of members shows it.
func lastActivity(req *serve.Request, row *domain.Row, said *domain.Content, brand *domain.Brand) *wire.LastActivity {
	d := req.AnyDefinition(row.Definition)
	if d == nil {
		d = &domain.Definition{ID: row.Definition}
	}
	if said == nil {
		said = &domain.Content{}
	}
	return &wire.LastActivity{
		ID: wire.Number(row.ID()), Name: wire.DefinitionName(d, brand), ActivityID: wire.Number(row.Definition), Content: wire.Content(said.Content),
		Link: wire.NullOr(said.Link, d.Link), CompleteDate: wire.Seconds(int64(row.Time)),
	}
}

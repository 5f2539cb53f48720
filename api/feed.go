package api

import (
	"time"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/api/wire"
)

// feedItem is the action of an outcome, rendered from the state of now.
func (c *Call) feedItem(out *domain.Outcome) (*wire.FeedItem, error) {
	m, err := c.member(out.Member, out.Position)
	if err != nil {
		return nil, err
	}
	said, err := c.Engine.Content(c.ctx, out.Row, out.Position)
	if err != nil {
		return nil, err
	}
	if said == nil {
		said = &domain.Content{}
	}
	return c.item(&out.Row, m, said), nil
}

// item is an action as a feed shows it. Links are the action's, else the
// definition's; the account on the network is the member's first record of it.
func (c *Call) item(row *domain.Row, m *domain.Member, said *domain.Content) *wire.FeedItem {
	d := c.anyDefinition(row.Definition)
	if d == nil {
		d = &domain.Definition{ID: row.Definition}
	}
	brand := c.anyBrand(row.Brand)
	item := &wire.FeedItem{
		ID: wire.Number(row.ID()), Marker: said.Marker, BrandID: wire.NullNumber(row.Brand),
		Link: orNull(said.Link, d.Link), Media: orNull(said.Media, d.Media), Category: wire.Null(d.Category),
		Content: wire.Content(said.Content), CompleteDate: wire.Seconds(int64(row.Time)),
		Name: named(d, brand), ShortName: wire.Null(d.ShortName), GeoData: wire.GeoData(said.Geo),
		MemberName: wire.Null(memberName(m.Profile)), Value: wire.Number(row.Points), ActivityID: wire.Number(row.Definition),
		ActivityType: d.Type, ServiceType: row.Service.String(), MemberID: wire.Number(m.ID),
		MemberEmail: wire.Null(m.Profile.Get(domain.EmailAddress)), Username: wire.Null(m.Profile.Get(domain.Username)),
		MemberAvatarURL: c.avatar(m),
	}
	if item.Marker == "" {
		item.Marker = wire.Marker(time.UnixMilli(said.Recorded))
	}
	if brand != nil {
		item.BrandName = wire.Null(brand.Name())
	}
	for i := range m.Services {
		if s := &m.Services[i]; s.Service == row.Service {
			item.ServiceUserID = wire.Null(s.UID)
			item.ServiceUserName = wire.Null(s.Fields.Get(domain.RecordUsername))
			item.RemoteUserURL = wire.Null(s.Fields.Get(domain.RecordURL))
			break
		}
	}
	return item
}

func orNull(a, b string) *string {
	if a != "" {
		return &a
	}
	return wire.Null(b)
}

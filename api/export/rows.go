package export

import (
	"context"
	"strconv"
	"time"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/api/feed"
	"github.com/ovation-analytics/ovation/api/logins"
	"github.com/ovation-analytics/ovation/api/serve"
	"github.com/ovation-analytics/ovation/api/wire"
)

// question is about rows of the member, the oldest first.
func (l *Lines) question() *domain.Question {
	return &domain.Question{
		Account: l.req.Account(), Shape: domain.ShapeFeed, Range: domain.AllTime,
		Filter:  domain.Filter{Members: []domain.MemberID{l.member.ID}},
		Listing: domain.Listing{Every: true, Up: true, Limit: serve.StreamRows},
	}
}

// ask asks for rows.
func (l *Lines) ask(ctx context.Context, q *domain.Question) (*domain.Answer, error) {
	answer, err := l.req.Ask(ctx, q)
	if err == nil && answer.Feed == nil {
		err = serve.ErrShape("export")
	}
	return answer, err
}

// page asks for the rows after those of earlier pages; last: there are no more. What lies before
// them is not looked at.
func (l *Lines) page(ctx context.Context, q *domain.Question) (items []domain.FeedItem, at domain.Position, last bool, err error) {
	if l.after != nil {
		q.Listing.After = l.after
		q.Range.From = domain.Second(l.after.At)
	}
	answer, err := l.ask(ctx, q)
	if err != nil {
		return nil, at, false, err
	}
	items = answer.Feed.Items
	if n := len(items); n > 0 {
		l.after = &domain.FeedAfter{At: int64(items[n-1].Row.Time), ID: items[n-1].Row.ID()}
	}
	l.req.Catalog = l.req.Engine.Catalog() // segments of pages may be newer than the stream
	return items, answer.Position, len(items) < serve.StreamRows, nil
}

// visits are a page of registrations and logins.
func (l *Lines) visits(ctx context.Context) (done bool, err error) {
	q := l.question()
	q.Visits = &domain.VisitQuery{}
	items, at, last, err := l.page(ctx, q)
	if err != nil || len(items) == 0 {
		return last, err
	}
	shown, err := l.req.Engine.Show(ctx, l.req.Account(), items, at)
	if err != nil {
		return false, err
	}
	render := logins.Shown(l.req, l.member)
	for i := range items {
		row := &items[i].Row
		of, _, _ := row.Definition.Visit()
		l.put(wire.ExportedVisit{
			Type: wire.VisitLine, ID: wire.Number(shown[i].Content.ID(row)), Timestamp: wire.Seconds(int64(row.Time)),
			Registration: of == domain.Registration, Page: wire.Null(shown[i].Place.Page),
			UserAgent: wire.Null(shown[i].Details.UserAgent), Visit: render(row, &shown[i]),
		})
	}
	l.counts.Visits += uint64(len(items))
	return last, nil
}

// located is the address of the member's latest visit from the country that it is known to be in;
// empty: there is none.
func (l *Lines) located(ctx context.Context) (string, error) {
	country := l.member.Profile.Get(domain.GeoCountry)
	if country == "" {
		return "", nil
	}
	q := l.question()
	q.Visits, q.Listing.Up = &domain.VisitQuery{}, false
	answer, err := l.ask(ctx, q)
	if err != nil {
		return "", err
	}
	shown, err := l.req.Engine.Show(ctx, l.req.Account(), answer.Feed.Items, answer.Position)
	if err != nil {
		return "", err
	}
	for i := range shown {
		v, _ := domain.VisitOf(shown[i].Content)
		if ip := shown[i].Details.IP; ip != "" && v.Country == country {
			return ip, nil
		}
	}
	return "", nil
}

// actions are a page of actions.
func (l *Lines) actions(ctx context.Context) (done bool, err error) {
	q := l.question()
	for _, d := range l.req.Engine.Catalog().Definitions(l.req.Account()) {
		if d.ID >= domain.FirstDefinition {
			q.Groups = append(q.Groups, domain.Group{Definition: d.ID})
		}
	}
	if len(q.Groups) == 0 {
		return true, nil
	}
	items, at, last, err := l.page(ctx, q)
	if err != nil || len(items) == 0 {
		return last, err
	}
	rendered, shown, err := feed.Shown(ctx, l.req, items, at)
	if err != nil {
		return false, err
	}
	for i := range items {
		if shown[i].Content == nil { // it was deleted meanwhile
			continue
		}
		line, err := l.action(&items[i].Row, shown[i].Content)
		if err != nil {
			return false, err
		}
		line.Item = rendered[i]
		l.put(line)
		l.counts.Activities++
	}
	return last, nil
}

// action is the line of an action without the item of the feed.
func (l *Lines) action(row *domain.Row, c *domain.Content) (*wire.ExportedAction, error) {
	d, err := l.req.AnyDefinition(row.Definition)
	if err != nil {
		return nil, err
	}
	b, err := l.req.AnyBrand(row.Brand)
	if err != nil {
		return nil, err
	}
	if d == nil || b == nil {
		return nil, serve.ErrShape("export")
	}
	line := &wire.ExportedAction{
		Type: wire.ActionLine, ID: wire.UUID(l.member.UUID) + "/" + wire.Number(c.ID(row)), Source: wire.ExportSource,
		Time:    time.Unix(int64(row.Time), 0).UTC().Format(time.RFC3339),
		Account: uint32(l.req.Account()), ActivityID: uint64(row.Definition), BrandID: uint64(row.Brand),
		Link: c.Link, Media: c.Media, Marker: c.Marker, Geo: placeOf(&c.Geo),
		Definition: wire.ExportedDefinition{
			Name: d.Name, ShortName: d.ShortName, Type: d.Type, Service: row.Service.String(),
			Value: strconv.Itoa(int(d.Value)), OneTime: wire.Flag(d.OneTime), Category: d.Category, Link: d.Link, Media: d.Media,
		},
		Brand: wire.ExportedBrand{Name: b.Name(), Type: b.Fields["Type"], Slug: b.Fields["Slug"]},
	}
	if c.Content != "" {
		line.Content = wire.Content(c.Content)
	}
	l.name(line)
	return line, nil
}

func placeOf(g *domain.Geo) *wire.ExportedPlace {
	if g.IsZero() {
		return nil
	}
	return &wire.ExportedPlace{Country: g.Country, Region: g.Region, City: g.City, Lat: g.Lat, Lon: g.Lon}
}

package feed

import (
	"cmp"
	"context"
	"math"
	"time"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/api/bind"
	"github.com/ovation-analytics/ovation/api/page"
	"github.com/ovation-analytics/ovation/api/selection"
	"github.com/ovation-analytics/ovation/api/serve"
	"github.com/ovation-analytics/ovation/api/wire"
)

// feedIn are the parameters of activity/feed.
type feedIn struct {
	BrandID bind.ID `name:"brandID" doc:"only actions for this brand" eg:"1"`
	bind.Range
	Filters feedFilters
	page.Paged
	Keyword       string     `name:"keyword" doc:"only actions with this text in a value of their Content, in any case" eg:"blue"`
	ByRecorded    bool       `name:"order_by_recorded" doc:"1: in order of recording, then of ID, not of completion. An action is recorded when it takes its place in its member's shard, after a forward too; pages by cursor give each once; error 4 if members of the account were merged or unmerged since the page before: ask for the first page. Shards apply side by side: an action of a shard that lags (X-Lag-Ms) may sort before the end of the last page" eg:"1"`
	RecordedSince bind.Start `name:"recorded_since" doc:"actions in order of recording, from those that were recorded at this time on; order_by_recorded and sort are then ignored. totalSize also counts earlier ones. A cursor stays valid when members are merged or unmerged: their actions may come again, or be left out" eg:"2026-01-01 00:00:00"`
	AllActions    bool       `name:"all_member_actions" doc:"1: every action, not each member's latest alone" eg:"1"`
	Sort          string     `name:"sort" enum:"ASC,DESC" default:"DESC" doc:"by date"`
}

// since is where a feed begins that has no cursor yet; nil: at its front.
func (in *feedIn) since() *domain.FeedAfter {
	if !in.RecordedSince.Given {
		return nil
	}
	return &domain.FeedAfter{At: 1000*in.RecordedSince.Unix - 1, ID: math.MaxUint64}
}

// feedFilters are filters of which an opt-in that names nothing means the global list.
type feedFilters selection.Filters

// Check refuses a region that is not of one country.
func (f *feedFilters) Check() *domain.Error { return (*selection.Filters)(f).Check() }

// List lists actions, of each member the latest or all, newest first; with the cursor of a stream, the stream's page
// after it.
func List(ctx context.Context, req *serve.Request, in *feedIn) (*wire.Feed, error) {
	if req.List().Stream != "" && page.IsStream(in.Cursor) {
		return pageOfStream(ctx, req, in)
	}
	span, err := req.ResolveRange(in.Range, selection.Lists)
	if err != nil {
		return nil, err
	}
	q := &domain.Question{Shape: domain.ShapeFeed, Range: span.Seconds()}
	of, err := selection.Choose(ctx, req, q, in.BrandID, "brandID", (*selection.Filters)(&in.Filters))
	if err != nil {
		return nil, err
	}
	p := in.Paged.Page(req)
	if in.RecordedSince.Given {
		in.ByRecorded, in.Sort = true, "ASC"
	}
	q.Groups = of.Groups(selection.InOne)
	q.Listing = domain.Listing{Every: in.AllActions, Recorded: in.ByRecorded, Up: in.Sort == "ASC", Keyword: in.Keyword, Limit: req.List().Keyset.Wanted(p)}
	if p.Limit > 0 {
		q.Listing.Offset = p.Offset
	}
	q.Listing.After = cmp.Or(page.FeedAfter(req.List().Keyset.After()), in.since())
	answer, err := req.Ask(ctx, q)
	if err != nil {
		return nil, err
	}
	f := answer.Feed
	if f == nil {
		return nil, serve.ErrShape("feed")
	}
	if err := page.FeedGoesOn(f, req.List().Keyset.After(), "cursor"); err != nil {
		return nil, err
	}
	out := &wire.Feed{TotalSize: wire.Number(f.Total)}
	last := func(*domain.FeedItem) page.Row {
		row := page.FeedRow(f, p.Limit-1, in.ByRecorded)
		if in.RecordedSince.Given {
			row = page.Lasting(row)
		}
		return row
	}
	items, _ := page.ResultPage(req, p, f.Items, int(f.Total), last, page.Dates(span)...)
	out.Items, err = Items(ctx, req, items, answer.Position)
	return out, err
}

// Items are actions as feeds show them, read at a position or after it.
func Items(ctx context.Context, req *serve.Request, items []domain.FeedItem, at domain.Position) ([]wire.FeedItem, error) {
	out, _, err := Shown(ctx, req, items, at)
	return out, err
}

// Shown is Items, beside each item what it was made of. An item names the member that it counted for in the answer, also one who
// was merged between the answer and its showing: what counted for the other member is in the same answer, and of one-time actions
// that both did one would be the other's repeat.
func Shown(
	ctx context.Context, req *serve.Request, items []domain.FeedItem, at domain.Position,
) ([]wire.FeedItem, []domain.Shown, error) {
	return shownAs(ctx, req, items, at, nil)
}

// shownAs is Shown, where items name who did them: survivor is whom a member stands for who is merged into another; nil: one who is
// erased.
func shownAs(
	ctx context.Context, req *serve.Request, items []domain.FeedItem, at domain.Position,
	survivor func(domain.MemberID) (*domain.Member, error),
) ([]wire.FeedItem, []domain.Shown, error) {
	out := make([]wire.FeedItem, len(items))
	if len(items) == 0 {
		return out, nil, nil
	}
	shown, err := req.Engine.Show(ctx, req.Account(), items, at)
	if err != nil {
		return nil, nil, serve.WaitFault(err)
	}
	for i := range items {
		m, contents := shown[i].Member, shown[i].Content
		if m != nil && m.IsLent() && survivor != nil {
			if m, err = survivor(m.ID); err != nil {
				return nil, nil, err
			}
			shown[i].Member = m
		}
		if m == nil {
			m = &domain.Member{ID: items[i].Member}
		}
		if contents == nil { // the action is deleted: its own time is shown as that of recording
			contents = &domain.Content{Recorded: 1000 * int64(items[i].Row.Time)}
		}
		if out[i], err = itemOf(req, &items[i].Row, m, contents); err != nil {
			return nil, nil, err
		}
	}
	return out, shown, nil
}

// Item is the action of an outcome, rendered from the state of now.
func Item(ctx context.Context, req *serve.Request, out *domain.Outcome) (*wire.FeedItem, error) {
	items, _, err := shownAs(ctx, req, []domain.FeedItem{{Row: out.Row, Member: out.Member}}, out.Position, func(id domain.MemberID) (*domain.Member, error) {
		return req.Survivor(ctx, id, out.Position)
	})
	if err != nil {
		return nil, err
	}
	return &items[0], nil
}

// itemOf is an action as a feed shows it. Links are the action's, else the
// definition's; the account on the network is the member's first record of it.
func itemOf(req *serve.Request, row *domain.Row, m *domain.Member, contents *domain.Content) (wire.FeedItem, error) {
	d, err := req.AnyDefinition(row.Definition)
	if err != nil {
		return wire.FeedItem{}, err
	}
	if d == nil {
		d = &domain.Definition{ID: row.Definition}
	}
	brand, err := req.AnyBrand(row.Brand)
	if err != nil {
		return wire.FeedItem{}, err
	}
	item := wire.FeedItem{
		ID: wire.Number(contents.ID(row)), Marker: contents.Marker, BrandID: wire.NullNumber(row.Brand),
		Link: wire.NullOr(contents.Link, d.Link), Media: wire.NullOr(contents.Media, d.Media), Category: wire.Null(d.Category),
		Content: wire.Content(contents.Content), CompleteDate: wire.Seconds(int64(row.Time)),
		Name: wire.DefinitionName(d, brand), ShortName: wire.Null(d.ShortName), GeoData: wire.GeoData(contents.Geo),
		MemberName: wire.Null(wire.MemberName(m.Profile)), Value: wire.Number(row.Points), ActivityID: wire.Number(row.Definition),
		ActivityType: d.Type, ServiceType: row.Service.String(), MemberID: wire.Number(m.ID),
		MemberEmail: wire.Null(m.Profile.Get(domain.EmailAddress)), Username: wire.Null(m.Profile.Get(domain.Username)),
		MemberAvatarURL: wire.Avatar(req.Links.Base, m),
	}
	if item.Marker == "" {
		item.Marker = wire.Marker(time.UnixMilli(contents.Recorded))
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
	return item, nil
}

package members

import (
	"context"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/api/bind"
	"github.com/ovation-analytics/ovation/api/feed"
	"github.com/ovation-analytics/ovation/api/selection"
	"github.com/ovation-analytics/ovation/api/serve"
	"github.com/ovation-analytics/ovation/api/wire"
)

// checkIn are the parameters of a check whether a member performed an activity.
type checkIn struct {
	MemberID   bind.ID `name:"memberid" doc:"id of the member" eg:"4097"`
	ActivityID bind.ID `name:"activityid" doc:"id of the activity; one-time ones are seen, too" eg:"100"`
	BrandID    bind.ID `name:"brandID" doc:"done for this brand; without it for any" eg:"1"`
	bind.Range
}

// CheckActivity answers whether a member performed an activity and how often, with the latest
// action.
func CheckActivity(ctx context.Context, req *serve.Request, in *checkIn) (*wire.Check, error) {
	span, err := openRange(req, in.Range)
	if err != nil {
		return nil, err
	}
	d, err := req.Definition(in.ActivityID, "activityid")
	if err != nil {
		return nil, err
	}
	q := &domain.Question{Account: req.Account(), Shape: domain.ShapeFeed, Range: span, Groups: []domain.Group{{Definition: d.ID}}}
	if _, err := req.ScopeToBrand(q, in.BrandID, "brandID"); err != nil {
		return nil, err
	}
	m, err := req.Member(ctx, domain.MemberID(in.MemberID), req.Wait)
	if err != nil {
		return nil, err
	}
	q.Filter.Members = []domain.MemberID{m.ID}
	q.Listing = domain.Listing{Every: true, Limit: checkedAtOnce}
	return check(ctx, req, q)
}

// checkedAtOnce is how many actions are asked for to know the first of them: few do the
// same more often.
const checkedAtOnce = 100

// check asks for the actions, the newest first: count and last are of one moment, and so is
// the first where there are no more than asked for at once. Else it is asked for in another
// round.
func check(ctx context.Context, req *serve.Request, q *domain.Question) (*wire.Check, error) {
	done, err := askFeed(ctx, req, q)
	if err != nil {
		return nil, err
	}
	out := &wire.Check{Completed: done.Total > 0, Count: wire.Number(done.Total)}
	if !out.Completed {
		return out, nil
	}
	last, first := done.Items[0], done.Items[len(done.Items)-1]
	if done.Total > uint64(len(done.Items)) {
		up := *q
		up.Listing = domain.Listing{Every: true, Up: true, Limit: 1}
		earliest, err := askFeed(ctx, req, &up)
		if err != nil {
			return nil, err
		}
		if earliest.Total > 0 {
			first = earliest.Items[0]
		}
	}
	items, err := feed.Items(ctx, req, []domain.FeedItem{last}, req.Wait)
	if err != nil {
		return nil, err
	}
	out.Action = &items[0]
	out.First, out.Last = wire.Null(wire.Seconds(int64(first.Row.Time))), wire.Null(wire.Seconds(int64(last.Row.Time)))
	return out, nil
}

// askFeed asks for a feed, of which there are items where there are any.
func askFeed(ctx context.Context, req *serve.Request, q *domain.Question) (*domain.Feed, error) {
	answer, err := req.Ask(ctx, q)
	if err != nil {
		return nil, err
	}
	if answer.Feed == nil || answer.Feed.Total > 0 && len(answer.Feed.Items) == 0 {
		return nil, serve.ErrShape("check activity")
	}
	return answer.Feed, nil
}

// openRange is the range of the parameters, all time without any; without a start it has none.
func openRange(req *serve.Request, in bind.Range) (domain.Range, error) {
	if in == (bind.Range{}) {
		return domain.AllTime, nil
	}
	started := in.StartDate.Given || !in.Period.IsZero()
	r, fault := req.Resolve(in, selection.Always, started)
	if fault != nil {
		return domain.Range{}, fault
	}
	req.Response.Warnings = append(req.Response.Warnings, r.Warnings...)
	if !started {
		r.Span.From = 0
	}
	req.Response.Span = r.Span.String()
	return r.Span.Seconds(), nil
}

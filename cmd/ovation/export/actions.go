package export

import (
	"context"
	"fmt"
	"strconv"
	"time"

	"github.com/ovation-analytics/ovation/api/client"
	"github.com/ovation-analytics/ovation/api/wire"
	"github.com/ovation-analytics/ovation/cmd/ovation/export/state"
	"github.com/ovation-analytics/ovation/cmd/ovation/export/table"
)

// Actions is the table of actions, named as the feed names its fields.
var Actions = table.Table{Name: "actions", Columns: []table.Column{
	{Name: "ID", Kind: table.Number},
	{Name: "CompleteDate", Kind: table.Time},
	{Name: "MemberID", Kind: table.Number},
	{Name: "ActivityID", Kind: table.Number},
	{Name: "Name"},
	{Name: "ShortName", Null: true},
	{Name: "ActivityType"},
	{Name: "ServiceType"},
	{Name: "Category", Null: true},
	{Name: "BrandID", Kind: table.Number, Null: true},
	{Name: "BrandName", Null: true},
	{Name: "Value", Kind: table.Number},
	{Name: "Marker"},
	{Name: "Content", Kind: table.JSON},
	{Name: "Link", Null: true},
	{Name: "Media", Null: true},
	{Name: "GeoData", Null: true},
	{Name: "MemberName", Null: true, Personal: true},
	{Name: "Username", Null: true, Personal: true},
	{Name: "MemberEmail", Null: true, Personal: true},
	{Name: "MemberAvatarURL", Personal: true},
	{Name: "ServiceUserID", Null: true, Personal: true},
	{Name: "ServiceUserName", Null: true, Personal: true},
	{Name: "RemoteUserURL", Null: true, Personal: true},
}}

// field is a column of an action; nil: it has no value.
func field(item *wire.FeedItem, column string) *string {
	switch column {
	case "ID":
		return &item.ID
	case "CompleteDate":
		return &item.CompleteDate
	case "MemberID":
		return &item.MemberID
	case "ActivityID":
		return &item.ActivityID
	case "Name":
		return &item.Name
	case "ShortName":
		return item.ShortName
	case "ActivityType":
		return &item.ActivityType
	case "ServiceType":
		return &item.ServiceType
	case "Category":
		return item.Category
	case "BrandID":
		return item.BrandID
	case "BrandName":
		return item.BrandName
	case "Value":
		return &item.Value
	case "Marker":
		return &item.Marker
	case "Content":
		return new(string(item.Content))
	case "Link":
		return item.Link
	case "Media":
		return item.Media
	case "GeoData":
		return item.GeoData
	case "MemberName":
		return item.MemberName
	case "Username":
		return item.Username
	case "MemberEmail":
		return item.MemberEmail
	case "MemberAvatarURL":
		return &item.MemberAvatarURL
	case "ServiceUserID":
		return item.ServiceUserID
	case "ServiceUserName":
		return item.ServiceUserName
	case "RemoteUserURL":
		return item.RemoteUserURL
	}
	return nil
}

// Actions exports what is new.
func (x *Export) Actions(ctx context.Context) error { return x.toEnd(ctx, x.actions) }

// actions is one run.
func (x *Export) actions(ctx context.Context) error {
	var windows []window
	run, err := x.begin(ctx, func(run *state.Run, now time.Time) (err error) {
		windows = x.windows(now)
		if run.HasPages() { // it goes on
			return nil
		}
		if !run.Whole {
			if run.Whole, err = x.merged(ctx, x.Store.State.Probe); err != nil {
				return err
			}
		}
		run.Probe, err = x.probe(ctx, windows)
		return err
	})
	if err != nil {
		return err
	}
	for i := range windows {
		w := &windows[i]
		if run.Window > w.start {
			continue // it is read
		}
		if run.Window < w.start {
			run.Window, run.Page = w.start, nil
		}
		if err := x.window(ctx, w); err != nil {
			return err
		}
	}
	return x.end()
}

// window is a range of completion.
type window struct{ start, end string }

// windows are those of half a year, which is as long as a list's range may be, up to one that holds what may be completed
// within the day.
func (x *Export) windows(now time.Time) (list []window) {
	from := time.Date(2000, 1, 1, 0, 0, 0, 0, time.UTC) // before it nothing is accepted
	since := x.Store.State.Of.From
	for ; from.Before(now.Add(24 * time.Hour)); from = from.AddDate(0, 6, 0) {
		w := window{state.Moment(from), state.Moment(from.AddDate(0, 6, 0))}
		if w.end <= since {
			continue
		}
		w.start = max(w.start, since)
		list = append(list, w)
	}
	return list
}

// question is about all actions of a window.
func (w *window) question() client.GetFeed {
	return client.GetFeed{StartDate: w.start, EndDate: w.end, AllActions: true, IncludeOneTime: true, Limit: pageRows, More: client.Params{"cursor": ""}}
}

// probe is the address of a page that is refused once members are merged or unmerged from now on: that after the first in
// order of recording of the latest window that has two actions. nil: none has, so that there is little to read.
func (x *Export) probe(ctx context.Context, windows []window) (state.Params, error) {
	for i := len(windows) - 1; i >= 0; i-- {
		q := windows[i].question()
		q.ByRecorded, q.Limit = true, "1"
		_, meta, err := do(ctx, x.API, q)
		if err != nil {
			return nil, err
		}
		if meta.Next != nil {
			return state.Params(meta.Next), nil
		}
	}
	return nil, nil
}

// merged reports that members were merged or unmerged since a probe was made, or that it does not tell.
func (x *Export) merged(ctx context.Context, probe state.Params) (bool, error) {
	if probe == nil {
		return true, nil
	}
	_, _, err := page(ctx, x.API, feedPath, client.GetFeed{}, probe)
	if refusesCursor(err) {
		return true, nil
	}
	return false, err
}

const feedPath = "/v1.1/activity/feed"

// window reads one, from the page of the run on.
func (x *Export) window(ctx context.Context, w *window) error {
	run := x.Store.State.Run
	q := w.question()
	q.Sort = "ASC"
	if !run.Whole {
		q.RecordedSince = x.Store.State.Since
	}
	back := []state.Params{nil} // pages of before, of which the first is never refused
	for {
		list, meta, err := page(ctx, x.API, feedPath, q, run.Page)
		if refusesCursor(err) && run.Page != nil {
			run.Page = back[len(back)-1] // members were merged: from a page on whose cursor lasts
			back = back[:max(1, len(back)-1)]
			continue
		}
		if err != nil {
			return err
		}
		if meta.Range != w.start+"/"+w.end {
			return fmt.Errorf("the API answered for %s, not for %s/%s: not everything would be exported", meta.Range, w.start, w.end)
		}
		for i := range list.Items {
			if err := x.action(&list.Items[i]); err != nil {
				return err
			}
		}
		if len(back) == maxBack {
			back = append(back[:1], back[2:]...)
		}
		back = append(back, run.Page)
		last := meta.Next == nil
		if !last {
			run.Page = state.Params(meta.Next)
		}
		if err := x.after(); err != nil || last {
			return err
		}
	}
}

// maxBack is how many pages of before are remembered.
const maxBack = 100

// action exports an action, unless it is exported.
func (x *Export) action(item *wire.FeedItem) error {
	id, err := strconv.ParseUint(item.ID, 10, 64)
	if err != nil {
		return errNoNumber
	}
	return x.put(id, 0, func() (table.Row, error) {
		return x.Table.Row(func(column string) *string { return field(item, column) }, seconds)
	})
}

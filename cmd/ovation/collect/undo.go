package collect

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"sync"
	"time"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/api/client"
	"github.com/ovation-analytics/ovation/api/wire"
	"github.com/ovation-analytics/ovation/cmd/ovation/collect/runs"
	"github.com/ovation-analytics/ovation/ingest/kafka"
)

// Undo takes back what a run published: it looks through the actions of the account in the times of the run, and deletes
// those with a marker of the run, or that the run noted. Before a page's actions are deleted they are written to the
// run, so that an undo that was killed goes on there and counts each action once. It tells how far it is after each page:
// of so many actions that were looked through.
type Undo struct {
	API    *API
	Folder *runs.Folder
	Now    func() time.Time
	Tell   func(taken, looked, total int64)

	run    *runs.Run
	ids    *runs.IDs // nil: the markers are enough
	at     string    // a position that has all that was published
	looked int64
}

// Take takes a run back. One that was taken back as a whole stays as it is.
func (u *Undo) Take(ctx context.Context, run *runs.Run) (err error) {
	if run.Undo != nil && !run.Undo.Ended.IsZero() {
		return nil
	}
	u.run = run
	if err := u.API.check(ctx, run.Account); err != nil {
		return err
	}
	if run.Undo == nil {
		run.Undo = &runs.Undo{Began: u.Now().UTC()}
	}
	if run.Given {
		if u.ids, err = u.Folder.IDs(run.ID); err != nil {
			return fmt.Errorf("the ids of the run: %w", err)
		}
		defer func() { err = errors.Join(err, u.ids.Close()) }()
	}
	if err := u.save(); err != nil { // from here on no command continues the run
		return err
	}
	if run.Published > 0 {
		if err := u.settled(ctx); err != nil {
			return err
		}
		if err := u.walk(ctx); err != nil {
			return err
		}
	}
	run.Undo.Ended, run.Undo.Cursor = u.Now().UTC(), ""
	return u.save()
}

func (u *Undo) save() error { return u.Folder.Save(u.run) }

// settled waits until the engine has applied what was published before now.
func (u *Undo) settled(ctx context.Context) error {
	began := u.Now()
	var backoff kafka.Backoff
	for {
		passed := u.Now().Sub(began).Milliseconds()
		var meta client.Meta
		err := u.API.patiently(ctx, "lag", nil, func(c *client.Client) (err error) {
			_, meta, err = client.Do(ctx, c, client.GetApplication{})
			return err
		})
		if err != nil {
			return err
		}
		if meta.LagMs >= 0 && meta.LagMs <= passed {
			u.at = meta.Position
			return nil
		}
		if err := backoff.Wait(ctx); err != nil {
			return err
		}
	}
}

// walk goes through the feed, page by page.
func (u *Undo) walk(ctx context.Context) error {
	undo := u.run.Undo
	for {
		if err := u.take(ctx, undo.Pending); err != nil {
			return err
		}
		page, next, err := u.page(ctx, undo.Cursor)
		if e, answered := errors.AsType[*client.Error](err); answered && e.Parameter == "cursor" && undo.Cursor != "" {
			undo.Cursor, u.looked = "", 0 // members were merged meanwhile: what is taken back is not in the feed any more
			continue
		}
		if err != nil {
			return err
		}
		found, err := u.found(page.Items)
		if err != nil {
			return err
		}
		undo.Pending = found
		if len(found) > 0 {
			if err := u.save(); err != nil {
				return err
			}
		}
		if err := u.take(ctx, found); err != nil {
			return err
		}
		u.looked += int64(len(page.Items))
		total, _ := strconv.ParseInt(page.TotalSize, 10, 64)
		u.Tell(undo.Taken, u.looked, max(total, u.looked))
		if undo.Cursor = next; next == "" {
			return nil
		}
		if err := u.save(); err != nil {
			return err
		}
	}
}

// page is a page of the feed and the cursor of the next one; empty: it is the last.
func (u *Undo) page(ctx context.Context, cursor string) (feed wire.Feed, next string, err error) {
	q := client.GetFeed{
		StartDate: wire.Seconds(int64(u.run.First)), EndDate: wire.Seconds(int64(u.run.Last) + 1),
		IncludeOneTime: true, AllActions: true, Limit: strconv.Itoa(pageSize), More: client.Params{"cursor": cursor},
	}
	err = u.API.patiently(ctx, "feed", nil, func(c *client.Client) error {
		var meta client.Meta
		feed, meta, err = client.Do(ctx, c.At(u.at), q)
		next = meta.Next["cursor"]
		return err
	})
	return feed, next, err
}

// found are the actions of a page that are the run's.
func (u *Undo) found(items []wire.FeedItem) (found []runs.Action, err error) {
	for i := range items {
		item := &items[i]
		its := u.run.Marked(item.Marker)
		if !its && u.ids != nil {
			if its, err = u.noted(item); err != nil {
				return nil, err
			}
		}
		if !its {
			continue
		}
		member, err := strconv.ParseUint(item.MemberID, 10, 64)
		if err != nil {
			return nil, fmt.Errorf("the feed has an action without a member: %w", err)
		}
		action, err := strconv.ParseUint(item.ID, 10, 64)
		if err != nil {
			return nil, fmt.Errorf("the feed has an action without an ID: %w", err)
		}
		found = append(found, runs.Action{Member: domain.MemberID(member), Action: domain.ActionID(action)})
	}
	return found, nil
}

func (u *Undo) noted(item *wire.FeedItem) (bool, error) {
	at, err := time.Parse(time.DateTime, item.CompleteDate)
	if err != nil {
		return false, fmt.Errorf("the feed has an action without a time: %w", err)
	}
	brand := ""
	if item.BrandID != nil {
		brand = *item.BrandID
	}
	noted, err := u.ids.Noted(runs.Shown{
		Marker: item.Marker, Time: domain.Second(at.Unix()), Activity: number32(item.ActivityID), Brand: number32(brand),
	})
	if err != nil {
		return false, fmt.Errorf("the ids of the run: %w", err)
	}
	return noted, nil
}

// deleting is how many actions are deleted at once.
const deleting = 32

// take deletes actions that were found and counts them. One that is gone already was deleted by an undo that was killed.
func (u *Undo) take(ctx context.Context, found []runs.Action) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	queue := make(chan runs.Action)
	var wg sync.WaitGroup
	for range min(deleting, len(found)) {
		wg.Go(func() {
			for a := range queue {
				if err := u.delete(ctx, a); err != nil {
					cancel(err)
				}
			}
		})
	}
	for _, a := range found {
		select {
		case queue <- a:
		case <-ctx.Done():
		}
	}
	close(queue)
	wg.Wait()
	if err := context.Cause(ctx); err != nil {
		return err
	}
	u.run.Undo.Taken += int64(len(found))
	u.run.Undo.Pending = nil
	return nil
}

func (u *Undo) delete(ctx context.Context, a runs.Action) error {
	err := u.API.patiently(ctx, "deletion", nil, func(c *client.Client) error {
		_, _, err := client.Do(ctx, c, client.DeleteMemberActivity{MemberID: a.Member, ActionID: a.Action})
		return err
	})
	if e, answered := errors.AsType[*client.Error](err); answered && (e.Code == domain.NotFound || e.Code == domain.Gone) {
		return nil
	}
	return err
}

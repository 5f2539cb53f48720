package demo

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"slices"
	"time"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/api/client"
	"github.com/ovation-analytics/ovation/cmd/ovation/audience"
)

// live is what the fans do from now on: each signs in when a visit begins, and then acts.
type live struct {
	*stage
	feed   *feed
	script *audienceFile
	crowd  *audience.Live

	next   func() (audience.Action, bool) // of the history, which goes on
	ahead  audience.Action                // the next one, which is not due; zero: none was taken
	began  time.Time
	before time.Duration // up to when more than the history was done, since it began
	visits visits
	noted  time.Time // what the script has
}

const (
	// visit is how long a member may do nothing without signing in again.
	visit = 30 * time.Minute
	// noteEvery is how often the script has up to where the history was published: after a kill, so much is published again.
	noteEvery = time.Minute
	// forever is longer than a demo runs.
	forever = 100 * 365 * 24 * time.Hour
)

// live publishes from now on, until ctx ends.
func (s *stage) live(ctx context.Context, f *feed, script *audienceFile) error {
	now := time.Now()
	l := &live{stage: s, feed: f, script: script, crowd: s.fans.Live(), began: now, visits: visits{}, noted: script.Until}
	var stop func()
	l.next, stop = iter.Pull(s.fans.Between(script.Until, now.Add(forever)))
	defer stop()
	second := time.NewTicker(time.Second)
	defer second.Stop()
	for {
		select {
		case at := <-second.C:
			if err := l.step(ctx, at); err != nil && ctx.Err() == nil {
				return err
			}
		case <-ctx.Done():
			return nil
		}
	}
}

// step does what is due.
func (l *live) step(ctx context.Context, at time.Time) error {
	rate := l.options.Rate
	if !rate.History {
		return l.feed.publish(ctx, slices.Values(l.crowd.At(at, rate.PerSecond)))
	}
	due := l.due(at)
	since := at.Sub(l.began)
	due = append(due, l.crowd.At(at, beside(l.before, since))...)
	l.before = since
	if err := l.signIn(ctx, l.visits.begin(at, due)); err != nil {
		return err
	}
	if err := l.feed.publish(ctx, slices.Values(due)); err != nil {
		return err
	}
	if at.Sub(l.noted) < noteEvery {
		return nil
	}
	l.noted, l.script.Until = at, at
	return l.script.write(l.options.Data)
}

// signIn signs in the members of actions. A refused login is logged and ends nothing: a member may have been erased in the console.
func (l *live) signIn(ctx context.Context, actions []audience.Action) error {
	return each(ctx, len(actions), func(ctx context.Context, i int) error {
		err := l.login(ctx, &actions[i])
		if e, answered := errors.AsType[*client.Error](err); answered {
			l.log.Warn("a fan cannot sign in", "code", e.Code)
			return nil
		}
		return err
	})
}

// due are the actions of the history up to a time, those of a time when no demo ran among them.
func (l *live) due(at time.Time) (due []audience.Action) {
	for {
		if l.ahead.ID == "" {
			var more bool
			if l.ahead, more = l.next(); !more {
				return due
			}
		}
		if l.ahead.Time.After(at) {
			return due
		}
		due = append(due, l.ahead)
		l.ahead = audience.Action{}
	}
}

// visits are the members by their last action.
type visits map[int]time.Time

// begin are the actions with which visits begin, of those that are done by a time: what was done a visit ago is over.
func (v visits) begin(at time.Time, actions []audience.Action) (first []audience.Action) {
	for _, a := range actions {
		if at.Sub(a.Time) > visit {
			continue
		}
		if last, known := v[a.Member]; !known || a.Time.Sub(last) > visit {
			first = append(first, a)
		}
		v[a.Member] = a.Time
	}
	return first
}

// login signs in the member who does something then, by the account that it does it with.
func (s *stage) login(ctx context.Context, a *audience.Action) error {
	m := &s.fans.Members[a.Member]
	acc := &m.Accounts[a.Account]
	call := client.LoginMember{Service: acc.Service.String(), UID: acc.UID, AuthToken: authToken, Domain: m.Domain}
	if acc.Service == domain.Email {
		call = client.LoginMember{Service: acc.Service.String(), Email: m.Email, Password: password(m), Domain: m.Domain}
	}
	return s.once(ctx, fmt.Sprint("login ", a.ID), func(c *client.Client) error {
		_, _, err := client.Do(ctx, c, call)
		return err
	})
}

package actors

import (
	"context"
	"log/slog"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/ovation-analytics/ovation/actors/catalog"
	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/actors/journal"
	"github.com/ovation-analytics/ovation/actors/member"
	"github.com/ovation-analytics/ovation/actors/nodes"
	"github.com/ovation-analytics/ovation/actors/shard"
	"github.com/ovation-analytics/ovation/actors/view"
)

// segmentsOnly is a catalog of account 1 and its segments.
type segmentsOnly []*domain.Segment

func (segmentsOnly) State() catalog.State              { return catalog.State{} }
func (segmentsOnly) Commit(catalog.State, []any) error { return nil }
func (segmentsOnly) Close() error                      { return nil }
func (e segmentsOnly) Load(f func(any) error) error {
	if err := f(&domain.Account{ID: 1, Name: "a"}); err != nil {
		return err
	}
	for _, s := range e {
		if err := f(s); err != nil {
			return err
		}
	}
	return nil
}

// closed is a snapshot that nothing is read from.
type closed struct{ view.Snapshot }

func (closed) Close() error { return nil }

// A shard that does not keep the memberships of a followed list, or keeps them by an older rule, gets a record, again after a time until it has
// applied one. A shard that keeps those of a list that is not followed gets a record that ends them.
func TestFollowedLists(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		log := newMemLog(1, 1)
		h := shard.NewHandle(0)
		appender := journal.StartAppender(ctx, log, 0, slog.New(slog.DiscardHandler))
		s := &shards{
			o: &Options{Now: time.Now}, count: 1, running: map[int]*runningShard{0: {Handle: h}}, appenders: []*journal.PartitionAppender{appender},
		}
		began := time.Now().UnixMilli()
		segment := &domain.Segment{
			ID: 7, Account: 1, Rule: true, Threshold: 2, Activities: []domain.SegmentActivity{{Definition: 100}}, Version: 5, Followed: began,
		}
		handle := catalog.NewHandle()
		know := func(all ...*domain.Segment) {
			handle = catalog.NewHandle()
			if _, err := catalog.Open(ctx, catalog.Options{Store: segmentsOnly(all)}, handle); err != nil {
				t.Fatal(err)
			}
		}
		writer := view.NewWriter(&h.View, 1, 0)
		shows := func(l view.Lists) {
			writer.Set(1, &view.Account{Members: member.NewAudience().Commit(), Lists: l})
			writer.Publish(1, nil, nil, closed{})
		}
		f := &followedLists{shards: s, catalog: func() *catalog.View { return handle.View() }, current: func() *nodes.Snapshot { return nil }}
		sent := 0
		looks := func(why string, want ...*domain.FollowList) {
			t.Helper()
			f.read = -1 // the catalog moved
			f.look(time.Now())
			time.Sleep(time.Second) // what is posted is appended
			log.mu.Lock()
			defer log.mu.Unlock()
			var got []*domain.FollowList
			for _, r := range log.parts[0][sent:] {
				got = append(got, r.Command.(*domain.FollowList))
			}
			sent = len(log.parts[0])
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("%s: %s", why, diff)
			}
		}
		follow := &domain.FollowList{Segment: 7, Version: 5, Rule: domain.ListRule{Rule: true, Definitions: []domain.DefinitionID{100}, Threshold: 2}}

		know(segment)
		looks("without a view")
		shows(nil)
		looks("it is not followed", follow)
		looks("the record is on its way")
		time.Sleep(tickDelay)
		looks("the record was lost", follow)
		shows(view.Lists{7: {Version: 5}})
		looks("it is followed")
		shows(view.Lists{7: {Version: 4}, 8: {Version: 2}})
		looks("by an older rule, beside one that is not followed", follow, &domain.FollowList{Segment: 8, Version: 2, Ends: true})
		shows(view.Lists{7: {Version: 5}})
		looks("it is followed again")
		time.Sleep(domain.FollowLife * time.Millisecond)
		looks("no reader asked for 30 days", &domain.FollowList{Segment: 7, Version: 5, Ends: true})
		h.View.Retract()
		cancel()
		<-appender.Done()
	})
}

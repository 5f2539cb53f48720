package main

import (
	"context"
	"fmt"
	"net/url"
	"time"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/api/client"
)

// announce prints the address, the key and a question with the answer it will give:
// as the audience was made, not as the engine counts it.
func (s *stage) announce() {
	count, members := s.expected(0)
	s.print(s.brands[0], count, members)
}

// expected is what a tally of the artist's activities must say of the past: one-time
// actions left out.
func (s *stage) expected(artist int) (count, members int) {
	met := map[int]bool{}
	for i := range s.acts {
		a := &s.acts[i]
		at := domain.Second(a.at.Unix())
		if a.artist != artist || s.fans.deeds[a.deed].oneTime || at < s.past.From || at >= s.past.To {
			continue
		}
		count++
		met[a.fan] = true
	}
	return count, len(met)
}

// encore is a later run on the same directory: the audience is there, the answer is
// what the engine says.
func (s *stage) encore(ctx context.Context) error {
	if err := s.applied(ctx); err != nil {
		return err
	}
	now := time.Now().Truncate(time.Hour)
	s.past = domain.Range{From: domain.Second(now.AddDate(0, 0, -2*demoDays).Unix()), To: domain.Second(now.Unix())}
	brands := s.p.node.Catalog().Brands(s.account)
	if len(brands) == 0 {
		return fmt.Errorf("the account %q has no brands: was an earlier run cut off? Start in an empty --data", demoAccount)
	}
	got, _, err := s.api.StatsActivity(ctx, brands[0].ID, client.Params{"start_date": stamp(s.past.From), "end_date": stamp(s.past.To)})
	if err != nil {
		return err
	}
	s.print(brands[0].ID, got.TotalCount, got.TotalMembers)
	<-ctx.Done()
	return nil
}

func (s *stage) print(brand domain.BrandID, count, members any) {
	base := "http://" + s.p.public.Addr().String()
	q := url.Values{"apiKey": {s.key}, "start_date": {stamp(s.past.From)}, "end_date": {stamp(s.past.To)}}
	fmt.Fprintf(s.out, `
API      %s
Key      %s
Kafka    %s (topic %sactivities)
Admin    http://%s/status

What did the fans of the first artist do from %s to %s?

  curl '%s/v1.1/brand/%d/stats/activity?%s'

It answers "TotalCount":"%v" and "TotalMembers":"%v".
`, base, s.key, s.p.brokerAddress(), s.demo.TopicPrefix, s.p.admin.Addr(), stamp(s.past.From), stamp(s.past.To), base, brand, q.Encode(), count, members)
}

func stamp(t domain.Second) string { return time.Unix(int64(t), 0).UTC().Format(time.DateTime) }

// brokerAddress is where collectors publish.
func (p *program) brokerAddress() string { return p.brokers[0] }

// caughtUp reports that all that was in the public topic when it was asked is
// applied and committed.
func (p *program) caughtUp(ctx context.Context) bool {
	n, err := p.topics.source.Partitions(ctx)
	if err != nil || p.node.Ready() != nil {
		return false
	}
	ends := map[int]int64{}
	for i := range n {
		if ends[i], err = p.topics.source.End(ctx, i); err != nil {
			return false
		}
	}
	st := p.node.Status()
	if len(st.Routers) < n {
		return false
	}
	for _, r := range st.Routers {
		if r.Next < ends[r.Partition] {
			return false
		}
	}
	for i := range st.Shards {
		end, err := p.topics.journal.End(ctx, i)
		if err != nil || p.node.Await(ctx, domain.Position{Shards: []domain.ShardOffset{{Shard: i, Next: end}}}) != nil {
			return false
		}
	}
	return true
}

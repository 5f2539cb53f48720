package e2e

import (
	"fmt"
	"net/http"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/api/client"
)

// TestCluster_IsOneInstallation holds that three nodes without a fault are as one: what is made at one is known at
// another at once, and nodes are restarted one after the other under load without a request that fails.
func TestCluster_IsOneInstallation(t *testing.T) {
	rounds := 60
	if full {
		rounds = 1_000
	}
	c := startCluster(t, 3)
	t.Run("made at one, used at another", func(t *testing.T) { c.madeAndUsed(t, rounds) })
	t.Run("restarted one after the other", c.restarted)
}

// madeAndUsed makes a key, a brand, an activity and a member at one node and names them at another at once: no node
// says that it does not know one of them. What is recorded and published so counts once, and no shard stops.
func (c *cluster) madeAndUsed(t *testing.T, rounds int) {
	collector := c.collector()
	var own string // key of the account in which all but the keys is made
	var account uint32
	var brands []domain.BrandID
	for i := range rounds {
		made, used := i%3, (i+1+i/3%2)%3
		if i%20 == 0 {
			account, own = c.nodes[made].application("made and used", fmt.Sprint("application ", i))
		}
		at, elsewhere := c.apiOf(made, own), c.apiOf(used, own)
		brand, _, err := client.Do(ctx(t), at, client.CreateBrand{Name: fmt.Sprint("brand ", i), Type: "Music"})
		if err != nil {
			t.Fatalf("round %d: %v", i, err)
		}
		if _, _, err := client.Do(ctx(t), elsewhere, client.GetBrand{BrandID: brand.ID}); err != nil {
			t.Fatalf("round %d: a brand of node %d at node %d: %v", i, made, used, err)
		}
		activity, _, err := client.Do(ctx(t), at, client.CreateActivity{Name: fmt.Sprint("plays ", i), Type: "Listened", Service: "custom"})
		if err != nil {
			t.Fatalf("round %d: %v", i, err)
		}
		plays, uid := domain.DefinitionID(number(t, activity.ID)), fmt.Sprint("fan-", i)
		member, _, err := client.Do(ctx(t), at, client.RegisterMember{Service: "spotify", UID: uid, AuthToken: "t"})
		if err != nil {
			t.Fatalf("round %d: %v", i, err)
		}
		if _, _, err := client.Do(ctx(t), elsewhere.As(member.JWT), client.FindMember{}); err != nil {
			t.Fatalf("round %d: a token of node %d at node %d: %v", i, made, used, err)
		}
		if _, _, err := client.Do(ctx(t), elsewhere, client.Authenticate{AccessToken: member.Data.AccessToken}); err != nil {
			t.Fatalf("round %d: an access token of node %d at node %d: %v", i, made, used, err)
		}
		if _, _, err := client.Do(ctx(t), elsewhere, client.RecordActivity{
			ActivityID: plays, ID: domain.MemberID(member.Data.ID), BrandID: brand.ID, Marker: "1",
		}); err != nil {
			t.Fatalf("round %d: activity, member and brand of node %d at node %d: %v", i, made, used, err)
		}
		if _, _, err := client.Do(ctx(t), elsewhere, client.LoginMember{Service: "spotify", UID: uid, AuthToken: "t"}); err != nil {
			t.Fatalf("round %d: a login at node %d of who registered at node %d: %v", i, used, made, err)
		}
		published := event{ID: fmt.Sprint("p-", i), Source: "collector", Time: time.Now().UTC().Format(time.RFC3339), data: &data{
			Account: domain.AccountID(account), Service: "spotify", UID: uid, Activity: plays, Brand: brand.ID,
		}}
		collector.publish(t, &kgo.Record{Value: encoded(published)})
		brands = append(brands, brand.ID)
	}
	published := collector.end(t)
	for _, n := range c.nodes {
		n.settled(published)
	}
	c.agree() // no shard stopped, no dead letter
	for i, id := range brands {
		tally, _, err := client.Do(ctx(t), c.apiOf(i%3, own), client.GetBrandActivityStats{BrandID: id, Period: "1 day"})
		if err != nil || tally.TotalCount != "2" {
			t.Errorf("of the brand of round %d %s actions count, want 2: %v", i, tally.TotalCount, err)
		}
	}
}

// restarted ends each node in order and starts it again, while clients that hold all addresses read and write: a request
// is answered by a node that runs, 503 by none.
func (c *cluster) restarted(t *testing.T) {
	_, key := c.nodes[0].account("restarted")
	api := c.apiOf(0, key)
	brand, _, err := client.Do(ctx(t), api, client.CreateBrand{Name: "Brand", Type: "Music"})
	if err != nil {
		t.Fatal(err)
	}
	activity, _, err := client.Do(ctx(t), api, client.CreateActivity{Name: "plays", Type: "Listened", Service: "custom"})
	if err != nil {
		t.Fatal(err)
	}
	plays, watched := domain.DefinitionID(number(t, activity.ID)), &refusals{}
	var clients sync.WaitGroup
	var reads, registered, recorded atomic.Int64
	over := make(chan struct{})
	repeat := func(of int, do func(api *client.Client, n int) error) {
		api := c.api(key).Over(&http.Client{Transport: watched, Timeout: 30 * time.Second})
		clients.Go(func() {
			tick := time.NewTicker(20 * time.Millisecond)
			defer tick.Stop()
			for n := of; ; n += 1_000_000 {
				select {
				case <-tick.C:
				case <-over:
					return
				}
				if err := do(api, n); err != nil {
					t.Errorf("client %d, request %d: %v", of, n/1_000_000, err)
					return
				}
			}
		})
	}
	for i := range 3 {
		repeat(i, func(api *client.Client, n int) error {
			_, _, err := client.Do(ctx(t), api, client.GetBrandActivityStats{BrandID: brand.ID, Period: "1 day"})
			reads.Add(1)
			return err
		})
		repeat(10+i, func(api *client.Client, n int) error {
			m, _, err := client.Do(ctx(t), api, client.RegisterMember{Service: "spotify", UID: fmt.Sprint("fan-", n), AuthToken: "t"})
			if err != nil {
				return err
			}
			registered.Add(1)
			_, _, err = client.Do(ctx(t), api, client.RecordActivity{
				ActivityID: plays, ID: domain.MemberID(m.Data.ID), BrandID: brand.ID, Marker: "1",
			})
			recorded.Add(1)
			return err
		})
	}
	more := func() {
		for to := reads.Load() + recorded.Load() + 60; reads.Load()+recorded.Load() < to && !t.Failed(); {
			time.Sleep(pollEvery)
		}
	}
	for i := range c.nodes {
		more()
		if code := c.nodes[i].Stop(); code != 0 {
			t.Errorf("node %d ends with %d:\n%s", i, code, c.nodes[i].Log())
		}
		more()
		c.start(i)
	}
	more()
	close(over)
	clients.Wait()
	if n := watched.n.Load(); n > 0 {
		t.Errorf("%d answers were 503, the last: %s", n, *watched.last.Load())
	}
	c.agree()
	tally, _, err := client.Do(ctx(t), c.apiOf(1, key), client.GetBrandActivityStats{BrandID: brand.ID, Period: "1 day"})
	if err != nil || tally.TotalCount != fmt.Sprint(recorded.Load()) {
		t.Errorf("%s actions of %d count: %v", tally.TotalCount, recorded.Load(), err)
	}
	t.Logf("%d reads, %d registrations, %d records while three nodes were restarted", reads.Load(), registered.Load(), recorded.Load())
}

// refusals is a transport that counts answers of 503.
type refusals struct {
	n    atomic.Int64
	last atomic.Pointer[string]
}

// RoundTrip sends a request.
func (r *refusals) RoundTrip(q *http.Request) (*http.Response, error) {
	res, err := http.DefaultTransport.RoundTrip(q)
	if err == nil && res.StatusCode == http.StatusServiceUnavailable {
		which := q.Method + " " + q.URL.String()
		r.last.Store(&which)
		r.n.Add(1)
	}
	return res, err
}

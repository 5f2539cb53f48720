package main

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/api/client"
	"github.com/ovation-analytics/ovation/deploy/bench/peers"
	"github.com/ovation-analytics/ovation/deploy/bench/population"
	"github.com/ovation-analytics/ovation/deploy/bench/report"
	"github.com/ovation-analytics/ovation/deploy/harness"
)

// Requests is what the node spends on requests that scan nothing: each client has a connection
// and asks again as soon as it has its answer.
type Requests struct {
	Name      string        `json:"name"`
	Clients   int           `json:"clients"`
	CPU       report.Spread `json:"cpu"`       // of the node a request, above what it takes at rest, µs
	Rate      report.Spread `json:"rate"`      // a second, by the clock
	Unchanged float64       `json:"unchanged"` // share that was answered 304
}

const (
	listsInOne   = 50 // of the requests of a round, one in so many where each is a list
	clientsAside = 16
)

// measureAPI measures a read without a shard and of one, a login, a list, a poll of a tally that has
// not changed, and a 304 of a static document, for what net/http, the runtime and the kernel take of it.
func (b *bench) measureAPI(ctx context.Context, n *harness.Node, c *peers.Scene) error {
	before, err := harness.CPU(n.PID())
	if err != nil {
		return err
	}
	if err := n.Pause(ctx, b.o.pace.rest); err != nil {
		return err
	}
	after, err := harness.CPU(n.PID())
	if err != nil {
		return err
	}
	resting := (after - before).Seconds() / b.o.pace.rest.Seconds()
	for _, kind := range kindsOf(c) {
		for _, clients := range []int{1, clientsAside} {
			r := Requests{Name: kind.name, Clients: clients}
			var cpu, rate []float64
			for range b.o.runs {
				p := kind
				p.api, p.requests = c.API(n, clients), b.o.pace.requests
				if kind.list {
					p.requests = max(p.requests/listsInOne, clients)
				}
				round, err := p.round(ctx, n, clients, resting)
				if err != nil {
					return fmt.Errorf("%s: %w", kind.name, err)
				}
				cpu = append(cpu, round.micros)
				rate = append(rate, round.rate)
				r.Unchanged += round.unchanged / float64(b.o.runs)
			}
			r.CPU = report.SpreadOf(cpu)
			r.Rate = report.SpreadOf(rate)
			progress("%s, %d at once: %.1f µs of CPU, %.0f a second, %.2f %% unchanged", r.Name, clients, r.CPU.Median,
				r.Rate.Median, 100*r.Unchanged)
			b.report.API = append(b.report.API, r)
		}
	}
	return nil
}

// kindsOf are the requests that are measured.
func kindsOf(c *peers.Scene) []poll {
	brand := "/v1.1/brand/" + strconv.FormatUint(uint64(c.Brands[0]), 10)
	member := "/v1.1/member/" + strconv.FormatUint(uint64(c.Members[0].ID), 10)
	login := client.Params{"service": domain.Spotify.String(), "uid": population.UID(0), "authtoken": "bench"}
	return []poll{
		{name: "a brand", path: brand},
		{name: "a member", path: member},
		{name: "login by uid", path: "/v1.1/member/login", params: login, post: true},
		{name: "list of 1,000 members", path: "/v1.1/members", params: client.Params{"limit": "1000"}, list: true},
		{name: "poll of a 7-day tally, unchanged", path: brand + "/stats/activity", params: client.Params{"period": "7 Day"}, etags: true},
		{name: "poll of /openapi.json, unchanged", path: "/openapi.json", etags: true},
	}
}

// poll is a request that is sent again and again.
type poll struct {
	name     string
	api      *client.Client
	path     string
	params   client.Params
	post     bool
	etags    bool // each request carries the ETag of the answer before
	list     bool // each request takes much longer than others
	requests int  // of a round
}

type pollRound struct{ micros, rate, unchanged float64 }

// round sends requests side by side; resting is the CPU in seconds that the node takes a second
// in any case.
func (p *poll) round(ctx context.Context, n *harness.Node, clients int, resting float64) (pollRound, error) {
	before, err := harness.CPU(n.PID())
	if err != nil {
		return pollRound{}, err
	}
	var unchanged atomic.Int64
	errs := make(chan error, clients)
	began := time.Now()
	var wg sync.WaitGroup
	for range clients {
		wg.Go(func() {
			api := p.api
			for range p.requests / clients {
				var body json.RawMessage
				ask := api.Get
				if p.post {
					ask = api.Post
				}
				meta, err := ask(ctx, p.path, p.params, &body)
				if err != nil {
					errs <- err
					return
				}
				if p.etags {
					api = p.api.With("If-None-Match", meta.ETag)
				}
				if meta.Status == http.StatusNotModified {
					unchanged.Add(1)
				}
			}
		})
	}
	wg.Wait()
	took := time.Since(began)
	close(errs)
	if err := <-errs; err != nil {
		return pollRound{}, err
	}
	after, err := harness.CPU(n.PID())
	all := float64(p.requests / clients * clients)
	return pollRound{
		micros: (report.Micros(after-before) - resting*report.Micros(took)) / all, rate: all / took.Seconds(),
		unchanged: float64(unchanged.Load()) / all,
	}, err
}

func printAPI(t *report.Table, all []Requests) {
	if len(all) == 0 {
		return
	}
	t.Row()
	t.Row("REQUESTS OF THE API", "MEDIAN", "LEAST", "MOST")
	for i := range all {
		r := &all[i]
		t.Spread(fmt.Sprintf("%s, %d at once, %.2f %% answered 304: CPU (µs)", r.Name, r.Clients, 100*r.Unchanged),
			r.CPU, 1)
		t.Spread("  a second", r.Rate, 0)
	}
}

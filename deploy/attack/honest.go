package attack

import (
	"context"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"
)

// Honest is the client of an account, over one protocol.
type Honest struct {
	Address, Key string
	HTTP2        bool
	Email        string // of a member, and its password
	Password     string
}

// Figures are what honest clients got: statuses, and how long answers took, by what was asked.
type Figures struct {
	mu       sync.Mutex // guards what follows
	took     map[string][]time.Duration
	statuses map[int]int // 0: no answer
}

// NewFigures are none yet.
func NewFigures() *Figures {
	return &Figures{took: map[string][]time.Duration{}, statuses: map[int]int{}}
}

func (f *Figures) add(kind string, status int, took time.Duration) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.took[kind] = append(f.took[kind], took)
	f.statuses[status]++
}

// Statuses are how often each status was answered; 0 is no answer.
func (f *Figures) Statuses() map[int]int {
	f.mu.Lock()
	defer f.mu.Unlock()
	return maps.Clone(f.statuses)
}

// String is a line for each kind of request.
func (f *Figures) String() string {
	f.mu.Lock()
	defer f.mu.Unlock()
	var b strings.Builder
	for _, kind := range slices.Sorted(maps.Keys(f.took)) {
		took := slices.Sorted(slices.Values(f.took[kind]))
		at := func(share float64) float64 { return took[int(share*float64(len(took)-1))].Seconds() * 1000 }
		fmt.Fprintf(&b, "%-14s %6d requests, p50 %7.1f ms, p99 %7.1f ms, most %7.1f ms\n", kind, len(took), at(0.5), at(0.99), at(1))
	}
	fmt.Fprintf(&b, "statuses %v", f.statuses)
	return b.String()
}

// Run asks until ctx ends, a request every so often in each of some goroutines.
func (h *Honest) Run(ctx context.Context, clients int, every time.Duration, to *Figures) {
	protocols := new(http.Protocols)
	protocols.SetHTTP1(!h.HTTP2)
	protocols.SetUnencryptedHTTP2(h.HTTP2)
	over := &http.Transport{Protocols: protocols, MaxIdleConnsPerHost: clients}
	defer over.CloseIdleConnections()
	client := &http.Client{Transport: over, Timeout: time.Minute}
	base, key := "http://"+h.Address, "apiKey="+h.Key
	var all sync.WaitGroup
	for c := range clients {
		all.Go(func() {
			tick := time.NewTicker(every)
			defer tick.Stop()
			for i := c; ; i++ {
				select {
				case <-tick.C:
				case <-ctx.Done():
					return
				}
				kind, method, target, body := "brands", http.MethodGet, base+"/v1.1/brands?"+key, ""
				switch i % 8 {
				case 1, 5:
					kind, target = "active members", base+"/v1.1/members/active?period=1+Day&"+key
				case 3:
					kind, target = "list of 1000", base+"/v1.1/brands?limit=1000&"+key
				case 7:
					kind, method, target = "login", http.MethodPost, base+"/v1.1/member/login"
					body = fmt.Sprintf("service=email&email=%s&password=%s&%s", h.Email, h.Password, key)
				}
				asked := time.Now()
				status, err := send(context.WithoutCancel(ctx), client, method, target, formKind, body)
				if err != nil {
					status = 0
				}
				to.add(kind, status, time.Since(asked))
			}
		})
	}
	all.Wait()
}

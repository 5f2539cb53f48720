package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"math/rand/v2"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/ovation-analytics/ovation/api/client"
	"github.com/ovation-analytics/ovation/api/wire"
)

// listReader reads the stream of a segment over connections that break.
type listReader struct {
	path string
	rnd  *rand.Rand
	id   string
	on   map[string]bool // who is on the list, as the stream says
	came int
}

// read reads from a port until the connection is given up or ends.
func (s *listReader) read(ctx context.Context, p *streamPort, key string) error {
	ctx, cancel := context.WithTimeout(ctx, time.Duration(1+s.rnd.IntN(200_000))*time.Millisecond)
	defer cancel()
	o, err := openStream(ctx, p, s.path, key, nil, s.id, s.rnd.IntN(2) == 0)
	if err != nil {
		if ctx.Err() != nil || strings.Contains(err.Error(), "code 11") {
			return nil
		}
		return err
	}
	defer o.stop()
	for {
		e, err := o.next()
		if err != nil {
			return nil // what was cut is no event
		}
		if e.id != "" {
			s.id = e.id
		}
		if e.name != "enter" && e.name != "leave" {
			continue
		}
		var m wire.Membership
		if err := json.Unmarshal([]byte(e.data), &m); err != nil {
			return err
		}
		if s.on[m.MemberID] == (e.name == "enter") || !strings.HasSuffix(s.path, "/"+m.SegmentID+"/stream") {
			return fmt.Errorf("%s %s is told twice, or of another segment", e.name, e.data)
		}
		if s.on[m.MemberID] = e.name == "enter"; !s.on[m.MemberID] {
			delete(s.on, m.MemberID)
		}
		s.came++
	}
}

// onList are the members on a segment's list as the API counts them.
func onList(ctx context.Context, c *client.Client, id string) (map[string]bool, error) {
	out := map[string]bool{}
	for p := (client.Params{"members_from_segment": id, "limit": "100", "cursor": ""}); p != nil; {
		var list struct{ Items []struct{ ID json.Number } }
		meta, err := c.Get(ctx, "/v1.1/members", p, &list)
		if err != nil {
			return nil, err
		}
		for _, m := range list.Items {
			out[m.ID.String()] = true
		}
		p = meta.Next
	}
	return out, nil
}

func (h *ward) onList(c *client.Client, id string) map[string]bool {
	h.Helper()
	out, err := onList(h.Context(), c, id)
	h.must(err)
	return out
}

// Readers of segments' streams, whose connections break, who come back by the id that they have at another node, and over a
// restart, know who is on each list: those who were when they began, those who came since, and not those who left. Members do
// things, opt in and out, are merged, parted and erased, rules are edited, and time passes. Webhooks of the lists have the same.
func TestStream_SegmentIsItsList(t *testing.T) {
	inWard(t, func(h *ward) {
		l := h.model.labels[0]
		rnd := rand.New(rand.NewPCG(uint64(h.rng.Int64()), 4))
		for range 10 {
			h.something()
		}
		h.must(h.drain())
		c := h.engine.speaks(l.key)
		definitions := make([]string, len(l.definitions))
		for i := range definitions {
			definitions[i] = fmt.Sprint(l.definitions[i].id)
		}
		var all []*listReader
		var hooks []*listHook
		var ids []string
		for i, more := range []client.Params{
			{"rule": "1", "activities": strings.Join(definitions, ",")},
			{"rule": "1", "activities": strings.Join(definitions, ","), "threshold": "3"},
			{"rule": "1", "activities": definitions[rnd.IntN(len(definitions))], "period": "3 Hour"},
			{},
		} {
			more["name"] = fmt.Sprint("list ", i)
			var s wire.Segment
			_, err := c.Post(h.Context(), "/v1.1/segment/create", more, &s)
			h.must(err)
			ids = append(ids, s.ID)
			all = append(all, &listReader{path: "/v1.1/segment/" + s.ID + "/stream", rnd: rand.New(rand.NewPCG(rnd.Uint64(), 3))})
		}
		for life := range 2 {
			ports := []*streamPort{h.openPort(false), h.openPort(true)}
			if life == 0 { // readers begin while nothing happens
				for i, s := range all {
					o, err := openStream(h.Context(), ports[0], s.path, l.key, nil, "", false)
					h.must(err)
					e, err := o.next()
					h.must(err)
					o.stop()
					s.id, s.on = e.id, h.onList(c, ids[i])
					hooks = append(hooks, h.hook(c, ids[i], rand.New(rand.NewPCG(rnd.Uint64(), 6))))
				}
			}
			ctx, cancel := context.WithCancel(h.Context())
			var reading sync.WaitGroup
			for _, s := range all {
				reading.Go(func() {
					for ctx.Err() == nil {
						if err := s.read(ctx, ports[s.rnd.IntN(2)], l.key); err != nil {
							t.Errorf("%s: %v", s.path, err)
							return
						}
					}
				})
			}
			for _, l := range hooks {
				reading.Go(func() {
					if err := l.take(ctx, h); err != nil {
						t.Errorf("webhook of list %s: %v", l.segment, err)
					}
				})
			}
			for range 10 {
				h.something()
				time.Sleep(time.Duration(rnd.IntN(1500)) * time.Second)
				members := slices.Sorted(maps.Keys(h.onList(c, ids[0])))
				for range min(3, len(members)) {
					path := "/v1.1/segment/" + ids[rnd.IntN(len(ids))] + []string{"/optin", "/optout"}[rnd.IntN(2)]
					_, err := c.Post(h.Context(), path, client.Params{"id": members[rnd.IntN(len(members))]}, new(json.RawMessage))
					h.must(err)
				}
				if rnd.IntN(4) == 0 {
					_, err := c.Post(h.Context(), "/v1.1/segment/"+ids[1]+"/edit", client.Params{"threshold": fmt.Sprint(1 + rnd.IntN(4))}, new(json.RawMessage))
					h.must(err)
				}
			}
			if life > 0 {
				h.takeBack(c, rnd, 3, true)
			}
			h.must(h.drain())
			if life > 0 {
				time.Sleep(5 * time.Hour) // ticks end the periods
			}
			cancel()
			reading.Wait()
			for _, p := range ports {
				p.close()
			}
			if life == 0 {
				h.must(h.restart(false))
				h.must(h.drain())
				c = h.engine.speaks(l.key)
			}
		}
		came := 0
		for i, s := range all {
			if diff := cmp.Diff(h.onList(c, ids[i]), s.on); diff != "" {
				t.Errorf("%s: on the list, and as the stream says: %s", s.path, diff)
			}
			if diff := cmp.Diff(s.on, hooks[i].on); diff != "" {
				t.Errorf("%s: as the stream says, and as a webhook: %s", s.path, diff)
			}
			came += s.came
		}
		t.Logf("%d events; webhooks have %d, %d, %d and %d others", came, hooks[0].actions, hooks[1].actions, hooks[2].actions, hooks[3].actions)
		if came < 20 {
			t.Error("too little was streamed")
		}
	})
}

// The stream of a segment refuses an id of another stream, ends where the segment is deleted, and is not there of another account's.
func TestStream_SegmentRefusals(t *testing.T) {
	inWard(t, func(h *ward) {
		l := h.model.labels[0]
		h.something()
		h.must(h.drain())
		c := h.engine.speaks(l.key)
		var s wire.Segment
		_, err := c.Post(h.Context(), "/v1.1/segment/create", client.Params{"name": "a"}, &s)
		h.must(err)
		p := h.openPort(false)
		defer p.close()
		path := "/v1.1/segment/" + s.ID + "/stream"
		of, err := openStream(h.Context(), p, feedStream, l.key, url.Values{"cursor": {""}}, "", false)
		h.must(err)
		e, err := of.next()
		h.must(err)
		of.stop()
		type refused struct{ path, key, id, want string }
		all := []refused{
			{path, l.key, e.id, "status 400, code 4 of \"cursor\""},
			{path, l.key, "x", "status 400, code 4 of \"cursor\""},
			{"/v1.1/segment/4000000/stream", l.key, "", "status 404, code 5"},
		}
		for _, other := range h.model.labels[1:] { // some installations have one account
			all = append(all, refused{path, other.key, "", "status 404, code 5"})
		}
		for _, bad := range all {
			if o, err := openStream(h.Context(), p, bad.path, bad.key, nil, bad.id, false); err == nil {
				o.stop()
				t.Errorf("%+v is answered", bad)
			} else if !strings.HasPrefix(err.Error(), bad.want) {
				t.Errorf("%+v: %v", bad, err)
			}
		}
		o, err := openStream(h.Context(), p, path, l.key, nil, "", false)
		h.must(err)
		defer o.stop()
		_, err = o.next()
		h.must(err)
		_, err = c.Post(h.Context(), "/v1.1/segment/"+s.ID+"/delete", nil, new(json.RawMessage))
		h.must(err)
		synctest.Wait()
		for {
			e, err := o.next()
			if err == io.EOF {
				t.Fatal("the stream ended without a word")
			}
			h.must(err)
			if e.name == "problem" {
				if !strings.Contains(e.data, fmt.Sprintf(`"status":%d`, http.StatusNotFound)) {
					t.Error(e.data)
				}
				break
			}
		}
	})
}

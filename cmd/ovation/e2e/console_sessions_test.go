package e2e

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
	"testing"

	"github.com/ovation-analytics/ovation/api/admin"
	signin "github.com/ovation-analytics/ovation/api/console/session"
	"github.com/ovation-analytics/ovation/deploy/harness"
)

// consoleHost is where people reach the nodes of the test: a balancer that speaks TLS.
const consoleHost = "console.example"

// visitor is a browser with a session of the console, or without.
type visitor struct {
	t            *testing.T
	cookie, half string
}

// at asks a node, as the balancer passes it on, and gives the status and the body of the answer.
func (p *visitor) at(n *node, method, path string, body any) (int, []byte) {
	p.t.Helper()
	var payload []byte
	if body != nil {
		payload, _ = json.Marshal(body)
	}
	r, err := http.NewRequestWithContext(ctx(p.t), method, "http://"+n.HTTP+path, bytes.NewReader(payload))
	if err != nil {
		p.t.Fatal(err)
	}
	r.Host = consoleHost
	r.Header = http.Header{
		"Content-Type": {"application/json"}, "Origin": {"https://" + consoleHost}, "Sec-Fetch-Site": {"same-origin"}, "X-Forwarded-For": {"203.0.113.7"},
		"Cookie": {p.cookie}, signin.Header: {p.half},
	}
	res, err := new(http.Transport).RoundTrip(r)
	if err != nil {
		p.t.Fatal(err)
	}
	defer res.Body.Close()
	b, err := io.ReadAll(res.Body)
	if err != nil {
		p.t.Fatal(err)
	}
	for _, c := range res.Cookies() {
		p.cookie = c.Name + "=" + c.Value
	}
	return res.StatusCode, b
}

// signsIn gives the status of a sign-in; after 200 the person has the session.
func (p *visitor) signsIn(n *node, by map[string]string) int {
	p.t.Helper()
	status, b := p.at(n, "POST", signin.Path, by)
	if status == http.StatusOK {
		var in signin.Person
		if err := json.Unmarshal(b, &in); err != nil {
			p.t.Fatal(err)
		}
		p.half = in.Half
	}
	return status
}

// isOut waits until a node knows the session no more: its catalog may lag behind by moments.
func (p *visitor) isOut(n *node) {
	p.t.Helper()
	n.eventually("end of the session", func() bool {
		status, _ := p.at(n, "GET", "/console/v1.1/brands", nil)
		return status == http.StatusUnauthorized
	})
}

// asks holds that a node answers the session at once.
func (p *visitor) asks(n *node) {
	p.t.Helper()
	if status, b := p.at(n, "GET", "/console/v1.1/brands", nil); status != http.StatusOK {
		p.t.Errorf("%d %s", status, b)
	}
}

// TestCluster_ConsoleSessions holds that three nodes sign people in as one: a link that is made at one and taken at both
// others at the same time gives one session, which the first knows at once; one that ends at a node ends at all, and so does
// one whose key is revoked.
func TestCluster_ConsoleSessions(t *testing.T) {
	c := startClusterOf(t, 3, func(_ int, h *harness.Node) { h.Args = append(h.Args, "--base-url", "https://"+consoleHost) })
	account, key := c.nodes[0].account("label")
	rounds := 20
	if full {
		rounds = 500
	}
	var people []*visitor
	for i := range rounds {
		made, others := c.nodes[i%3], []*node{c.nodes[(i+1)%3], c.nodes[(i+2)%3]}
		var link admin.CreatedLink
		made.ask("/console/links", map[string]any{"role": "editor", "account": account, "name": "Ada"}, &link)
		token, ok := strings.CutPrefix(link.Link, "https://"+consoleHost+signin.LinkPath)
		if !ok {
			t.Fatalf("the link is %q", link.Link)
		}
		both, status := [2]*visitor{{t: t}, {t: t}}, [2]int{}
		var all sync.WaitGroup
		for k, n := range others {
			all.Go(func() { status[k] = both[k].signsIn(n, map[string]string{"token": token}) })
		}
		all.Wait()
		if status != [2]int{200, 404} && status != [2]int{404, 200} {
			t.Fatalf("round %d: a link taken at two nodes gives %v", i, status)
		}
		in := both[0]
		if status[1] == 200 {
			in = both[1]
		}
		in.asks(made)
		if late := (&visitor{t: t}).signsIn(made, map[string]string{"token": token}); late != 404 {
			t.Errorf("round %d: the link once more: %d", i, late)
		}
		people = append(people, in)
	}
	for _, n := range c.nodes {
		n.eventually("list of all sessions", func() bool {
			var list admin.List[admin.ListedSession]
			n.ask("/console/sessions", nil, &list)
			return len(list.Items) == rounds
		})
	}
	// One signs out at the first node; another's session is ended by its id at the second.
	if status, b := people[0].at(c.nodes[0], "DELETE", signin.Path, nil); status != http.StatusNoContent {
		t.Fatalf("%d %s", status, b)
	}
	var list admin.List[admin.ListedSession]
	c.nodes[1].ask("/console/sessions", nil, &list)
	ended := list.Items[len(list.Items)-1]
	var answer admin.EndedSessions
	c.nodes[1].ask("/console/sessions/end", admin.EndSessions{ID: ended.ID}, &answer)
	if answer.Ended != 1 {
		t.Errorf("%d sessions ended", answer.Ended)
	}
	for _, n := range []*node{c.nodes[2], c.nodes[0], c.nodes[1]} {
		people[0].isOut(n)
		people[rounds-1].isOut(n)
		people[1].asks(n)
	}
	// A session by a key ends with the key, at every node.
	byKey := &visitor{t: t}
	if status := byKey.signsIn(c.nodes[2], map[string]string{"key": key}); status != 200 {
		t.Fatalf("by a key: %d", status)
	}
	for _, n := range c.nodes {
		byKey.asks(n)
	}
	var keys admin.List[admin.ListedKey]
	c.nodes[0].ask("/keys", nil, &keys)
	if len(keys.Items) != 1 {
		t.Fatalf("%d keys", len(keys.Items))
	}
	var revoked admin.RevokedKey
	c.nodes[1].ask("/keys/"+fmt.Sprint(keys.Items[0].ID)+"/revoke", struct{}{}, &revoked)
	for _, n := range c.nodes {
		byKey.isOut(n)
		people[1].asks(n)
	}
	// All end at once, and what ended stays so over a restart.
	c.nodes[0].ask("/console/sessions/end", admin.EndSessions{All: true}, &answer)
	if int(answer.Ended) != rounds-2+1 {
		t.Errorf("%d sessions ended", answer.Ended)
	}
	if code := c.nodes[1].Stop(); code != 0 {
		t.Errorf("node 1 stops with %d", code)
	}
	c.start(1)
	for _, n := range c.nodes {
		for _, p := range append(people, byKey) {
			p.isOut(n)
		}
	}
}

package e2e

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"net/url"
	"path/filepath"
	"regexp"
	"sync"
	"testing"
	"time"

	"github.com/ovation-analytics/ovation/api/client"
	"github.com/ovation-analytics/ovation/deploy/harness"
	apache "github.com/ovation-analytics/ovation/deploy/kafka"
)

// cluster is an installation of several nodes on an Apache Kafka of its own. Each node reaches Kafka by a proxy, and
// clients reach each node by another, whose address stays the same over restarts.
type cluster struct {
	t      *testing.T
	broker *apache.Broker
	nodes  []*node
	links  []*harness.Proxy // between node and Kafka
	fronts []*harness.Proxy // between clients and node
}

// startCluster starts n nodes on empty directories; the secrets are those that the first one makes.
func startCluster(t *testing.T, n int) *cluster {
	t.Helper()
	return startClusterOf(t, n, func(int, *harness.Node) {})
}

// startClusterOf is startCluster whose nodes are changed before they start.
func startClusterOf(t *testing.T, n int, change func(i int, h *harness.Node)) *cluster {
	t.Helper()
	c := &cluster{t: t}
	proxies := func() (all []*harness.Proxy) {
		for range n {
			p, err := harness.NewProxy()
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(p.Close)
			all = append(all, p)
		}
		return all
	}
	c.links, c.fronts = proxies(), proxies()
	c.startKafka()
	dir := t.TempDir()
	for i := range n {
		h := harness.Node{
			Data: filepath.Join(dir, fmt.Sprint("node-", i)), LogData: c.broker.Data(),
			Args: []string{
				"--kafka", c.links[i].Addr, "--secrets", filepath.Join(dir, "secrets.yaml"), "--base-url", "http://ovation.example", "--shards", "4",
			},
		}
		change(i, &h)
		c.nodes = append(c.nodes, newNode(t, h))
		if i == 0 {
			c.start(i)
		}
	}
	c.each(func(i int) {
		if i > 0 {
			c.start(i)
		}
	})
	return c
}

// startKafka starts the broker and has each link lead to a listener of its own.
func (c *cluster) startKafka() {
	c.t.Helper()
	var at []string
	for _, l := range c.links {
		at = append(at, l.Addr)
	}
	var err error
	if c.broker, err = apache.StartBehind(filepath.Join(c.t.TempDir(), "kafka"), at); err != nil {
		if errors.Is(err, apache.ErrMissing) {
			onKafka(c.t) // skips, but in CI
		}
		c.t.Fatal(err)
	}
	c.t.Cleanup(func() { _ = c.broker.Close() })
	for i, l := range c.links {
		l.Forward(c.broker.Behind[i])
	}
}

// each does something for each node at once.
func (c *cluster) each(do func(i int)) {
	var all sync.WaitGroup
	for i := range c.links {
		all.Go(func() { do(i) })
	}
	all.Wait()
}

// start runs a node and waits until it is ready.
func (c *cluster) start(i int) {
	c.nodes[i].start()
	c.fronts[i].Forward(c.nodes[i].HTTP)
}

// addresses are those by which clients reach the nodes.
func (c *cluster) addresses() (all []string) {
	for _, f := range c.fronts {
		all = append(all, "http://"+f.Addr)
	}
	return all
}

// api is a client that holds all addresses.
func (c *cluster) api(key string) *client.Client {
	all := c.addresses()
	return client.New(all[0], key, all[1:]...)
}

// apiOf is a client of one node alone.
func (c *cluster) apiOf(i int, key string) *client.Client { return client.New(c.addresses()[i], key) }

// collector publishes past all proxies.
func (c *cluster) collector() *publisher {
	direct := node{t: c.t, Node: &harness.Node{Kafka: c.broker.Addr}}
	return direct.publisher()
}

// agree waits until all nodes have applied the same records, and holds that they came to the same state.
func (c *cluster) agree() {
	c.t.Helper()
	var all []harness.Status
	c.nodes[0].eventually("same place of all nodes", func() bool {
		all = nil
		for _, n := range c.nodes {
			all = append(all, n.status())
		}
		for i := range all {
			for s := range all[i].Shards {
				if one := &all[i].Shards[s]; one.Applied != all[0].Shards[s].Applied || one.Applied < one.End {
					return false
				}
			}
		}
		return true
	})
	for i := range all {
		for s := range all[i].Shards {
			one, first := &all[i].Shards[s], &all[0].Shards[s]
			if one.Facts != first.Facts || one.Rows != first.Rows || one.Stopped != "" || len(one.DeadLetters) > 0 {
				c.t.Errorf("node %d, shard %d at %d: state %s of %d rows, at node 0 %s of %d; stopped %q, dead letters %v",
					i, s, one.Applied, one.Facts, one.Rows, first.Facts, first.Rows, one.Stopped, one.DeadLetters)
			}
		}
	}
}

// everyNode is a transport that asks every node the same and holds that all answer alike: the same status, ETag and
// body, and 304 by the tag of another node.
type everyNode struct {
	c         *cluster
	asked     int
	unchanged int
	faults    []error
}

// RoundTrip gives the answer of the first node.
func (a *everyNode) RoundTrip(r *http.Request) (*http.Response, error) {
	var first *http.Response
	var body []byte
	for try := range 3 { // a range that ends now is another one once a minute began
		minute := comingMinute()
		var err error
		var fault error
		if first, body, fault, err = a.ask(r); err != nil {
			return nil, err
		}
		if fault == nil {
			break
		}
		if comingMinute() == minute || try == 2 {
			a.faults = append(a.faults, fmt.Errorf("%s: %w", r.URL, fault))
			break
		}
	}
	a.asked++
	first.Body = io.NopCloser(bytes.NewReader(body))
	return first, nil
}

func (a *everyNode) ask(r *http.Request) (first *http.Response, body []byte, fault, err error) {
	for i, at := range a.c.addresses() {
		res, b, err := a.askOne(r, at, "")
		if err != nil {
			return nil, nil, nil, err
		}
		if i == 0 {
			first, body = res, b
		}
		tag := first.Header.Get("ETag")
		if res.StatusCode != first.StatusCode || res.Header.Get("ETag") != tag || !bytes.Equal(shared(b), shared(body)) {
			fault = fmt.Errorf("node %d answers %d, %s:\n%s\nnode 0 answers %d, %s:\n%s", i, res.StatusCode, res.Header.Get("ETag"), b, first.StatusCode, tag, body)
			return first, body, fault, nil
		}
		if i == 0 || tag == "" {
			continue
		}
		if res, _, err = a.askOne(r, at, tag); err != nil {
			return nil, nil, nil, err
		}
		if res.StatusCode != http.StatusNotModified {
			return first, body, fmt.Errorf("node %d answers %d to the tag of node 0", i, res.StatusCode), nil
		}
		a.unchanged++
	}
	return first, body, nil, nil
}

func (a *everyNode) askOne(r *http.Request, address, tag string) (*http.Response, []byte, error) {
	to, err := url.Parse(address)
	if err != nil {
		return nil, nil, err
	}
	same := r.Clone(r.Context())
	same.URL.Host, same.Host = to.Host, ""
	if tag != "" {
		same.Header.Set("If-None-Match", tag)
	}
	res, err := http.DefaultTransport.RoundTrip(same)
	if err != nil {
		return nil, nil, err
	}
	defer res.Body.Close()
	b, err := io.ReadAll(res.Body)
	return res, b, err
}

// ofTheAnswer is what an answer has of its own: under equal tags it may differ.
var ofTheAnswer = regexp.MustCompile(`"(jwt|position)":"[^"]*"`)

func shared(body []byte) []byte { return ofTheAnswer.ReplaceAll(body, nil) }

// answerAlike asks so many random questions of all nodes.
func (c *cluster) answerAlike(seed uint64, p *model, key string, rnd *rand.Rand, questions int) {
	c.t.Helper()
	all := &everyNode{c: c}
	api := c.api(key).Over(&http.Client{Transport: all, Timeout: time.Minute})
	for i := range questions {
		k := &kinds[i%len(kinds)]
		q := p.askOne(rnd, k, last(40))
		if q.brand == everyBrand && !k.everywhere {
			continue
		}
		_, _ = k.ask(ctx(c.t), api, p, q) // a refusal is an answer, too
		if err := errors.Join(all.faults...); err != nil {
			c.t.Fatalf("seed %d, question %d, %s: %v", seed, i, k.name, err)
		}
	}
	c.t.Logf("%d answers of %d nodes are alike, %d were 304 by the tag of another", all.asked, len(c.nodes), all.unchanged)
	if all.asked < questions || all.unchanged < questions {
		c.t.Errorf("seed %d: only %d answers, %d of them 304", seed, all.asked, all.unchanged)
	}
}

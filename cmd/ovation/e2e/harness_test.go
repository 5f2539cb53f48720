package e2e

import (
	"context"
	"encoding/json"
	"os"
	"regexp"
	"sync"
	"testing"
	"time"

	"github.com/ovation-analytics/ovation/api/client"
	"github.com/ovation-analytics/ovation/deploy/harness"
)

// binary builds the program once, without the race detector: what users run.
var binary = sync.OnceValues(func() (string, error) {
	dir, err := os.MkdirTemp("", "ovation-e2e-")
	if err != nil {
		return "", err
	}
	atEnd = append(atEnd, func() { os.RemoveAll(dir) })
	return harness.Build(context.Background(), dir)
})

// program is the path of binary.
func program(t testing.TB) string {
	t.Helper()
	path, err := binary()
	if err != nil {
		t.Fatal(err)
	}
	return path
}

func TestMain(m *testing.M) {
	if err := conformance.begin(); err != nil {
		panic(err)
	}
	code := conformance.end(m.Run())
	for _, f := range atEnd {
		f()
	}
	os.Exit(code)
}

// node is a node of a test, which fails with it.
type node struct {
	*harness.Node
	t testing.TB
}

// newNode is a node that is not yet started, and killed at the end of the test. Without a
// binary it is the program under test.
func newNode(t testing.TB, h harness.Node) *node {
	t.Helper()
	if h.Binary == "" {
		h.Binary = program(t)
	}
	n := &node{Node: &h, t: t}
	t.Cleanup(n.Kill)
	return n
}

// start runs the node on new addresses and waits until it is ready.
func (n *node) start() {
	n.t.Helper()
	c, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	if _, err := n.Start(c); err != nil {
		_, status := n.Get("/status")
		n.t.Fatalf("%v\n%s", err, status)
	}
	if n.Binary != program(n.t) {
		conformance.foreign.Store(n.HTTP, true)
	}
}

// begin runs the node and waits for a line of its log.
func (n *node) begin(line *regexp.Regexp) []string {
	n.t.Helper()
	c, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	m, err := n.Begin(c, line)
	if err != nil {
		n.t.Fatal(err)
	}
	return m
}

// eventually polls until the condition holds.
func (n *node) eventually(what string, holds func() bool) {
	n.t.Helper()
	for deadline := time.Now().Add(patience); !holds(); {
		if time.Now().After(deadline) {
			n.t.Fatalf("no %s within %s:\n%s", what, patience, n.Log())
		}
		time.Sleep(pollEvery)
	}
}

const (
	pollEvery = 20 * time.Millisecond // of another process
	patience  = 10 * time.Minute      // for what is there in moments, on a machine where other tests take all cores
)

// account makes an account with an application of its name; it returns its id and key.
func (n *node) account(name string) (id uint32, key string) {
	n.t.Helper()
	return n.application(name, name)
}

// application makes an application of an account, and the account if there is none of that name.
func (n *node) application(account, name string) (id uint32, key string) {
	n.t.Helper()
	id, key, err := n.Application(n.t.Context(), account, name)
	if err != nil {
		n.t.Fatal(err)
	}
	return id, key
}

// ask decodes what the admin port answers; a nil body is a GET.
func (n *node) ask(path string, body, out any) {
	n.t.Helper()
	b, err := n.Ask(n.t.Context(), path, body)
	if err == nil {
		err = json.Unmarshal(b, out)
	}
	if err != nil {
		n.t.Fatalf("%s: %v: %s", path, err, b)
	}
}

// api is a client of the node on its present address.
func (n *node) api(key string) *client.Client { return client.New("http://"+n.HTTP, key) }

func (n *node) status() harness.Status {
	n.t.Helper()
	st, err := n.Status(n.t.Context())
	if err != nil {
		n.t.Fatal(err)
	}
	return st
}

// rows is the number of rows of all shards.
func (n *node) rows() int64 {
	n.t.Helper()
	st := n.status()
	return st.Rows()
}

// applied reports that questions see all that the shards know of.
func (n *node) applied() bool {
	n.t.Helper()
	for _, s := range n.status().Shards {
		if s.Applied < s.End {
			return false
		}
	}
	return true
}

// settled waits until all that was published to the public topic is committed, so many records
// in all.
func (n *node) settled(published int64) {
	n.t.Helper()
	c, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	if _, err := n.Settled(c, published, pollEvery); err != nil {
		n.t.Fatal(err)
	}
}

// ctx ends with the test.
func ctx(t testing.TB) context.Context {
	c, cancel := context.WithTimeout(context.Background(), patience)
	t.Cleanup(cancel)
	return c
}

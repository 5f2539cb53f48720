package e2e

import (
	"fmt"
	"net"
	"net/http"
	"net/url"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/api/client"
)

// demoNodes is a running demo of three nodes.
type demoNodes struct {
	*demo
	http, admin, pids []string
	key, path         string // of the first question
	answer            string
}

// A line that tells of a node, and one that tells of its next life.
var (
	demoNode  = regexp.MustCompile(`(?m)^(?:Nodes)? +(\d)  http://(\S+)  admin (\S+)  pid (\d+)`)
	nextLives = regexp.MustCompile(`msg="started again" process="node (\d)" pid=(\d+)`)
)

func startDemoNodes(t *testing.T, on site) *demoNodes {
	t.Helper()
	args := append(on.flags(newPrefix()), "--nodes", "3", "--members", "250", "--actions", "12000")
	d, out := startDemo(t, filepath.Join(t.TempDir(), "data"), args...)
	n := &demoNodes{demo: d}
	text := d.until(out.String, func(s string) bool { return strings.Contains(s, "# node 1\n") })
	for _, m := range demoNode.FindAllStringSubmatch(text, -1) {
		n.http, n.admin, n.pids = append(n.http, m[2]), append(n.admin, m[3]), append(n.pids, m[4])
	}
	if len(n.http) != 3 {
		t.Fatalf("printed is\n%s", text)
	}
	q := printed.FindStringSubmatch(text)
	n.key, n.path, n.answer = q[2], strings.TrimPrefix(q[3], "http://"+n.http[0]), q[4]
	for i := range n.http {
		if body, err := n.ask(n.apiOf(i)); err != nil || body != n.answer {
			t.Fatalf("node %d answers %s, %v, printed was %s", i+1, body, err, n.answer)
		}
	}
	return n
}

func (n *demoNodes) api() *client.Client {
	return client.New("http://"+n.http[0], n.key, "http://"+n.http[1], "http://"+n.http[2])
}

func (n *demoNodes) apiOf(i int) *client.Client { return client.New("http://"+n.http[i], n.key) }

// ask asks the first question that was printed.
func (n *demoNodes) ask(api *client.Client) (string, error) {
	path, query, _ := strings.Cut(n.path, "?")
	values, err := url.ParseQuery(query)
	if err != nil {
		return "", err
	}
	params := client.Params{}
	for name := range values {
		params[name] = values.Get(name)
	}
	var body []byte
	_, err = api.Get(ctx(n.t), path, params, &body)
	return strings.TrimSuffix(string(body), "\n"), err
}

// kill kills a node and waits until its next life is ready.
func (n *demoNodes) kill(i int) {
	n.t.Helper()
	pid, err := strconv.Atoi(n.pids[i])
	if err == nil {
		err = syscall.Kill(pid, syscall.SIGKILL)
	}
	if err != nil {
		n.t.Fatal(err)
	}
	n.until(n.Log, func(log string) bool {
		last := n.pids[i]
		for _, m := range nextLives.FindAllStringSubmatch(log, -1) {
			if m[1] == strconv.Itoa(i+1) {
				last = m[2]
			}
		}
		lives := last != n.pids[i]
		n.pids[i] = last
		return lives
	})
	n.until(func() string { return "" }, func(string) bool { return n.ready(i) })
}

func (n *demoNodes) ready(i int) bool {
	res, err := http.Get("http://" + n.admin[i] + "/readyz")
	if err != nil {
		return false
	}
	res.Body.Close()
	return res.StatusCode == http.StatusOK
}

// free holds that nothing listens at any address of the demo.
func (n *demoNodes) free() bool {
	for _, at := range slices.Concat(n.http, n.admin) {
		if c, err := net.Dial("tcp", at); err == nil {
			c.Close()
			return false
		}
	}
	return true
}

// TestDemo_ThreeNodes kills each node of a demo in turn while clients that hold all addresses ask and create: no
// question fails, and each brand whose creation was acknowledged is there once, at every node. Without the node that
// has the log a write is refused as unavailable and repeated under its key; without another one it does not fail. In the
// short size it may be refused: other tests take all cores, and the log may answer too late. Writes go on after each kill.
func TestDemo_ThreeNodes(t *testing.T) {
	t.Parallel()
	onBothLogs(t, func(t *testing.T, on site) {
		n := startDemoNodes(t, on)
		rounds := 1
		if full {
			rounds = 20
		}
		var over, away atomic.Bool // away: the log
		var asked, made, refused atomic.Int64
		var all sync.WaitGroup
		for range 3 {
			api := n.api()
			all.Go(func() {
				for !over.Load() && !t.Failed() {
					if body, err := n.ask(api); err != nil || body != n.answer {
						t.Errorf("%v: %s", err, body)
					}
					asked.Add(1)
				}
			})
		}
		var created []string
		var last string // the position of the last one
		all.Go(func() {
			api := n.api()
			for k := 0; !over.Load() && !t.Failed(); k++ {
				name := fmt.Sprintf("Made %d", k)
				keyed := api.With("Idempotency-Key", name)
				for try := 0; ; try++ {
					may := away.Load() || !full
					_, meta, err := client.Do(ctx(t), keyed, client.CreateBrand{Name: name, Type: "Music"})
					if err == nil {
						created, last = append(created, name), meta.Position
						made.Add(1)
						break
					}
					if codeOf(err) != domain.Unavailable || !may && !away.Load() || t.Failed() {
						t.Errorf("create %s: %v", name, err)
						break
					}
					refused.Add(1)
				}
			}
		})
		for range rounds {
			for i := range slices.Backward(n.http) {
				questions := asked.Load()
				away.Store(i == 0 && on.apache == nil)
				n.kill(i)
				brands := made.Load()
				n.until(func() string { return "" }, func(string) bool { return asked.Load() > questions+30 && made.Load() > brands+5 })
				away.Store(false)
			}
		}
		over.Store(true)
		all.Wait()
		for i := range n.http {
			n.holds(i, created, last)
		}
		t.Logf("%d questions, %d brands created, %d creations refused for the time being", asked.Load(), len(created), refused.Load())
		if code := n.End(syscall.SIGINT); code != 0 || !n.free() {
			t.Errorf("exit code %d, ports are free: %t:\n%s", code, n.free(), n.Log())
		}
	})
}

// holds requires that a node, as of a position, lists what was created, each once.
func (n *demoNodes) holds(i int, created []string, at string) {
	n.t.Helper()
	count := map[string]int{}
	for next := (client.Params{"limit": "1000", "cursor": "", "keyword": "Made ", "wait_for": at}); next != nil; {
		page, meta, err := client.Do(ctx(n.t), n.apiOf(i), client.ListBrands{More: next})
		if err != nil {
			n.t.Fatal(err)
		}
		for _, b := range page.Items {
			count[b.Fields["Name"]]++
		}
		next = meta.Next
	}
	for _, name := range created {
		if count[name] != 1 {
			n.t.Errorf("node %d has %s %d times", i+1, name, count[name])
		}
	}
}

// TestDemo_SupervisorIsKilled kills the process that keeps the nodes: none of them is left, and no port held.
func TestDemo_SupervisorIsKilled(t *testing.T) {
	t.Parallel()
	n := startDemoNodes(t, embedded)
	n.End(syscall.SIGKILL)
	for deadline := time.Now().Add(time.Minute); !n.free(); {
		if time.Now().After(deadline) {
			t.Fatal("a node is left after a minute")
		}
		time.Sleep(pollEvery)
	}
}

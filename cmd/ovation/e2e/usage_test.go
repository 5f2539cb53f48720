package e2e

import (
	"bytes"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/api/client"
	"github.com/ovation-analytics/ovation/deploy/harness"
)

// Hits that were shown survive a stop and a kill -9, limits of an account too; a stop loses no
// hit, and a kill counts none twice.
func TestUsage_SurvivesStopAndKill(t *testing.T) {
	t.Parallel()
	onBothLogs(t, usageSurvives)
}

// watched is an account of which one application asks how often the others asked.
type watched struct {
	*node
	watcher string
	keys    map[string]string // by application
	from    string
}

func usageSurvives(t *testing.T, on site) {
	w := watched{node: on.start(t), keys: map[string]string{}, from: time.Now().UTC().Format(time.DateTime)}
	account, watcher := w.application("watched", "watcher")
	w.watcher = watcher
	want := map[string]uint64{"site": 0, "app": 0}
	for name := range want {
		_, w.keys[name] = w.application("watched", name)
	}
	var limits struct{ Burst uint32 }
	w.ask(fmt.Sprintf("/accounts/%d/limits", account), map[string]any{"rate": 77_777, "mode": "hard", "month": 1_000_000}, &limits)
	for range 2 {
		for _, end := range []func() int{w.Stop, func() int { w.shows(want, want); w.Kill(); return 0 }} {
			w.hit("site", 20, want)
			w.hit("app", 7, want)
			if code := end(); code != 0 {
				t.Fatalf("stopped with %d:\n%s", code, w.Log())
			}
			w.start()
			w.shows(want, want)
		}
	}
	lower := maps.Clone(want)
	w.hit("site", 50, want)
	w.Kill()
	w.start()
	w.shows(lower, want)
}

// hit asks so many times with the application's key, three questions in four without an answer.
func (w *watched) hit(name string, times int, want map[string]uint64) {
	w.t.Helper()
	for i := range times {
		target := "/v1.1/brands?limit=0"
		if i%4 != 0 {
			target = "/v1.1/brand/99?x=1"
		}
		r, err := http.Get("http://" + w.HTTP + target + "&apiKey=" + w.keys[name])
		if err != nil {
			w.t.Fatal(err)
		}
		r.Body.Close()
		if got := r.Header.Get("RateLimit-Limit"); got != "155554" {
			w.t.Fatalf("the account may ask %s times at once", got)
		}
		want[name]++
	}
}

// shows waits until the usage has at least the hits of least, and fails where it has more than
// those of most.
func (w *watched) shows(lower, upper map[string]uint64) {
	w.t.Helper()
	w.eventually("hits", func() bool {
		answer, _, err := client.Do(ctx(w.t), w.api(w.watcher), client.GetUsage{Interval: "day", StartDate: w.from, Period: "2 day", AppScope: "businessunit"})
		if err != nil {
			w.t.Fatal(err)
		}
		enough := 0
		for _, a := range answer.HitsPerApplication {
			n, bound := a.TotalHitsForPeriod, upper[a.ApplicationName]
			if a.ApplicationName != "watcher" && n > bound {
				w.t.Fatalf("%s has %d hits, %d were answered", a.ApplicationName, n, bound)
			}
			if a.ApplicationName != "watcher" && n >= lower[a.ApplicationName] {
				enough++
			}
		}
		return enough == len(lower)
	})
}

// Hits of two nodes on one Kafka add up, on each of them; the requests of the month, and those of
// the account's rate, are those of both.
func TestUsage_OfTwoNodes(t *testing.T) {
	t.Parallel()
	on := onKafka(t)
	one := on.start(t)
	two := newNode(t, harness.Node{Data: filepath.Join(t.TempDir(), "data"), Prefix: one.Prefix, LogData: one.LogData})
	two.Args = one.Args
	secrets, err := os.ReadFile(filepath.Join(one.Data, "secrets.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	if err := os.MkdirAll(two.Data, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(two.Data, "secrets.yaml"), secrets, 0o600); err != nil {
		t.Fatal(err)
	}
	two.start()
	account, watcher := one.application("watched", "watcher")
	_, site := one.application("watched", "site")
	var limits struct{ Month uint64 }
	terms := map[string]any{"rate": 1, "burst": 155_554, "mode": "hard", "month": 1_000_000}
	one.ask(fmt.Sprintf("/accounts/%d/limits", account), terms, &limits)
	want := map[string]uint64{"site": 0}
	from := time.Now().UTC().Format(time.DateTime)
	nodes := []*watched{
		{node: one, watcher: watcher, keys: map[string]string{"site": site}, from: from},
		{node: two, watcher: watcher, keys: map[string]string{"site": site}, from: from},
	}
	two.eventually("limits on the other node", func() bool { return two.limits(watcher).Get("RateLimit-Limit") == "155554" })
	for i := range 6 {
		nodes[i%2].hit("site", 11+i, want)
	}
	for _, n := range nodes {
		n.shows(want, want)
	}
	before, asked := two.remaining(site), 0
	nodes[0].hit("site", 600, want)
	two.eventually("the tokens that the other node took", func() bool {
		asked++
		return two.remaining(site) < before-asked-500
	})
	terms["month"] = want["site"]
	one.ask(fmt.Sprintf("/accounts/%d/limits", account), terms, &limits)
	for _, n := range nodes {
		n.eventually("error 12", func() bool {
			_, _, err := client.Do(ctx(t), n.api(site), client.ListBrands{Limit: "0"})
			e, ok := errors.AsType[*client.Error](err)
			return ok && e.Code == domain.PlanLimit
		})
	}
}

// limits are the headers of an answer to the key.
func (n *node) limits(key string) http.Header {
	n.t.Helper()
	r, err := http.Get("http://" + n.HTTP + "/v1.1/brands?limit=0&apiKey=" + key)
	if err != nil {
		n.t.Fatal(err)
	}
	r.Body.Close()
	return r.Header
}

// remaining is how many requests the node has for the key's account.
func (n *node) remaining(key string) int {
	n.t.Helper()
	left, err := strconv.Atoi(n.limits(key).Get("RateLimit-Remaining"))
	if err != nil {
		n.t.Fatal(err)
	}
	return left
}

// snoop sends requests full of secrets and keeps what is answered.
type snoop struct {
	*node
	secrets []string
	said    strings.Builder
}

// secret is a value that occurs nowhere else.
func (s *snoop) secret() string {
	v := strings.ToLower(rand.Text())
	s.secrets = append(s.secrets, v)
	return v
}

// personal are parameters of a member.
func (s *snoop) personal() (pairs string) {
	for _, name := range []string{
		"uid", "authtoken", "authsecret", "password", "email", "firstname", "ip", "postcode", "accessToken", "useragent", "username",
	} {
		pairs += "&" + name + "=" + s.secret()
	}
	return pairs
}

// send sends a request and requires one of the statuses.
func (s *snoop) send(method, target, body string, want ...int) int {
	s.t.Helper()
	r, err := http.NewRequestWithContext(ctx(s.t), method, "http://"+s.HTTP+target, strings.NewReader(body))
	if err != nil {
		s.t.Fatal(err)
	}
	if body != "" {
		r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	}
	for _, name := range []string{"Idempotency-Key", "User-Agent", "Referer", "Cookie", "X-Forwarded-For", "If-None-Match"} {
		r.Header.Set(name, s.secret())
	}
	answer, err := http.DefaultClient.Do(r)
	if err != nil {
		s.t.Fatal(err)
	}
	defer answer.Body.Close()
	text, err := io.ReadAll(answer.Body)
	if err != nil || !slices.Contains(want, answer.StatusCode) {
		s.t.Fatalf("%s: %s, %v: %s", method, answer.Status, err, text)
	}
	fmt.Fprintln(&s.said, answer.Header, string(text))
	return answer.StatusCode
}

// every sends one request of each kind that the limits refuse; refused is how many met the first
// of the statuses.
func (s *snoop) every(key string, want ...int) (refused int) {
	s.t.Helper()
	usage := "/v1.1/account/usage?interval=day&period=1+day&start_date=" + time.Now().UTC().Format(time.DateOnly) + "+00:00:00"
	for _, status := range []int{
		s.send(http.MethodGet, usage+"&apiKey="+key+s.personal(), "", want...),
		s.send(http.MethodGet, usage+"&apiKey="+key+"&app_scope="+s.secret(), "", want...),
		s.send(http.MethodGet, usage+"&apiKey="+key+"&end_date="+s.secret(), "", want...),
		s.send(http.MethodPost, "/v1.1/member/register?apiKey="+key, "service=spotify&country=ZZ"+s.personal(), want...),
		s.send(http.MethodPost, "/v1.1/brand/create", "custom_rank=1"+s.personal()+"&apiKey="+key, want...),
	} {
		if status == want[0] {
			refused++
		}
	}
	return refused
}

// What is counted, limited or refused holds no secret and no personal value of its request: not
// the answers, the logs at level debug, the metrics, the status, and no file of the node, rows
// of hits and the journal among them.
func TestUsage_NoSecretOrPersonalValue(t *testing.T) {
	t.Parallel()
	access := filepath.Join(t.TempDir(), "access.log")
	s := &snoop{node: embedded.start(t, "--log-level", "debug", "--access-log", access)}
	account, key := s.application("watched", "site")
	var out any
	limit := func(l map[string]any) { s.ask(fmt.Sprintf("/accounts/%d/limits", account), l, &out) }
	s.every(key, http.StatusOK, http.StatusBadRequest)
	s.every(s.secret(), http.StatusUnauthorized)
	limit(map[string]any{"rate": 100_000, "mode": "hard", "month": 1})
	s.eventually("error 12", func() bool { return s.every(key, http.StatusForbidden, http.StatusOK, http.StatusBadRequest) == 5 })
	limit(map[string]any{"rate": 1, "burst": 1, "mode": "hard"})
	s.eventually("error 8", func() bool {
		return s.every(key, http.StatusTooManyRequests, http.StatusOK, http.StatusBadRequest) > 0
	})
	limit(map[string]any{"rate": 1, "burst": 1, "mode": "soft"})
	s.every(key, http.StatusOK, http.StatusBadRequest)
	s.ask("/applications/1/plan", map[string]string{"plan": "standard"}, &out)
	s.send(http.MethodPost, "/v1.1/brand/create?apiKey="+key, "custom_rank=1"+s.personal(), http.StatusForbidden) // 9
	for _, path := range []string{"/status", "/metrics", "/readyz", "/accounts", "/applications"} {
		_, text := s.Get(path)
		s.said.WriteString(text)
	}
	for _, shown := range []string{"hits_total", `limit="rate"} `, `limit="month"} `, "the account is over its rate", "used up"} {
		if !strings.Contains(s.said.String(), shown) {
			t.Errorf("no %s: the search would find nothing", shown)
		}
	}
	if code := s.Stop(); code != 0 {
		t.Fatalf("stopped with %d:\n%s", code, s.Log())
	}
	lines, err := os.ReadFile(access)
	if err != nil || strings.Count(string(lines), "\n") < 20 || holding(t, []string{s.Data}, "watched") == 0 {
		t.Fatalf("%v: the access log is\n%s", err, lines)
	}
	all := strings.ToLower(s.said.String() + s.Log() + string(lines))
	files := contents(t, s.Data)
	for _, v := range append(s.secrets, key) {
		if strings.Contains(all, v) || bytes.Contains(files, []byte(v)) {
			t.Errorf("%q is in an answer, a log, a metric or a file", v)
		}
	}
}

// contents are the bytes of all files of a folder, in lower case.
func contents(t *testing.T, dir string) (all []byte) {
	t.Helper()
	err := filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		b, err := os.ReadFile(path)
		all = append(all, bytes.ToLower(b)...)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

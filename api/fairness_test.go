package api

import (
	"bufio"
	"context"
	"encoding/base64"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/api/serve"
	"github.com/ovation-analytics/ovation/api/transport"
	"github.com/ovation-analytics/ovation/api/wire"
	"github.com/ovation-analytics/ovation/deploy/attack"
)

// conversation is a plain connection to the API.
type conversation struct {
	t testing.TB
	net.Conn
	from *bufio.Reader
}

// dial connects to the address of overTCP.
func dial(t testing.TB, address string) *conversation {
	t.Helper()
	c, err := net.Dial("tcp", strings.TrimPrefix(address, "http://"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close() })
	return &conversation{t, c, bufio.NewReader(c)}
}

// status is the status of the next answer, which has to come.
func (c *conversation) status() (status int) {
	c.t.Helper()
	_ = c.SetReadDeadline(time.Now().Add(10 * time.Second)) // far less than a request may wait for memory
	line, err := c.from.ReadString('\n')
	if err != nil {
		c.t.Fatalf("no answer: %q %v", line, err)
	}
	if _, err := fmt.Sscanf(line, "HTTP/1.1 %d", &status); err != nil {
		c.t.Fatalf("%q: %v", line, err)
	}
	return status
}

// stalled has slow clients on connections without a buffer, and then an honest one, whose answers have
// to come in time, by the clock of synctest.
type stalled struct {
	h      *fixture
	slow   func(net.Conn)
	many   int
	within time.Duration
}

// run has the honest client send requests, one after the other, each with the status that it must get.
func (s *stalled) run(t *testing.T, status int, requests ...func(ctx context.Context) (*http.Request, error)) {
	t.Helper()
	server := transport.New(transport.Options{Handler: s.h.api})
	l := &pipes{make(chan net.Conn), make(chan struct{})}
	go func() { _ = server.Serve(l) }()
	var slow []net.Conn
	for range s.many {
		c, err := l.dial(t.Context(), "", "")
		if err != nil {
			t.Fatal(err)
		}
		slow = append(slow, c)
		go s.slow(c)
	}
	synctest.Wait() // nothing goes on but by the clock
	began := time.Now()
	to := &http.Transport{DialContext: l.dial}
	for i, request := range requests {
		r, err := request(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		res, err := to.RoundTrip(r)
		if err != nil {
			t.Errorf("request %d: %v", i, err)
			continue
		}
		if _, err := io.Copy(io.Discard, res.Body); err != nil || res.StatusCode != status {
			t.Errorf("request %d: %s, %v", i, res.Status, err)
		}
		res.Body.Close()
	}
	if took := time.Since(began); took > s.within {
		t.Errorf("the answers took %v", took)
	}
	to.CloseIdleConnections()
	for _, c := range slow {
		_ = c.Close()
	}
	_ = server.Close()
	time.Sleep(time.Minute) // what waits for memory ends
}

// getting is a GET.
func getting(target string) func(context.Context) (*http.Request, error) {
	return func(ctx context.Context) (*http.Request, error) {
		return http.NewRequestWithContext(ctx, http.MethodGet, "http://api.test"+target, nil)
	}
}

// Clients that ask for lists and read no answer hold up no other account, and their own for no longer
// than until they are slow. So do streams of HTTP/2 without a window.
func TestFairness_SlowReaders(t *testing.T) {
	const list = "/v1.1/brands?limit=1000&apiKey=" + keyEnterprise
	for name, slow := range map[string]func(net.Conn){
		"HTTP/1.1": func(c net.Conn) { fmt.Fprintf(c, "GET %s HTTP/1.1\r\nHost: x\r\n\r\n", list) },
		"HTTP/2":   func(c net.Conn) { _ = attack.Windowless(c, list, 100) },
	} {
		for key, within := range map[string]time.Duration{keyStranger: time.Second, keyAdvanced: 10 * time.Second} {
			if key == keyAdvanced && name == "HTTP/2" {
				continue // 1200 requests of the account come before
			}
			t.Run(name+" "+key, func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					h := newFixture(t)
					h.manyBrands(1000)
					h.renew(func(c *Config) { c.InFlightBytes = 16 << 20; c.Logger = discarded })
					s := &stalled{h, slow, 12, within}
					s.run(t, http.StatusOK, getting("/v1.1/brands?limit=10&apiKey="+key), getting("/v1.1/brands?limit=1000&apiKey="+key))
				})
			})
		}
	}
}

// Exports that are not read hold up no export of another account.
func TestFairness_SlowReadersOfExports(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newFixture(t, timeline(4*serve.StreamRows, nil))
		h.engine.content = &domain.Content{Recorded: 1e12}
		h.renew(func(c *Config) { c.InFlightBytes = 16 << 20; c.Logger = discarded })
		s := &stalled{h, func(c net.Conn) {
			fmt.Fprintf(c, "GET /v1.1/member/4097/export?apiKey=%s HTTP/1.1\r\nHost: x\r\n\r\n", keyAdvanced)
		}, 12, time.Second}
		s.run(t, http.StatusNotFound, getting("/v1.1/member/4097/export?apiKey="+keyStranger)) // of no member of its account
	})
}

// Senders of bodies that stop amid them hold up no POST of another account, whether the key is in the
// query, the body, or missing.
func TestFairness_SlowSenders(t *testing.T) {
	for name, query := range map[string]string{"with a key": "?apiKey=" + keyEnterprise, "without": ""} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				h := newFixture(t)
				h.renew(func(c *Config) { c.InFlightBytes = 16 << 20; c.Logger = discarded })
				s := &stalled{h, func(c net.Conn) {
					fmt.Fprintf(c, "POST /v1.1/optin%s HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 1048576\r\n\r\n{", query)
				}, 40, time.Second}
				post := func(query, body string) func(context.Context) (*http.Request, error) {
					return func(ctx context.Context) (*http.Request, error) {
						r, err := http.NewRequestWithContext(ctx, http.MethodPost, "http://api.test/v1.1/brand/create"+query, strings.NewReader(body))
						if err == nil {
							r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
						}
						return r, err
					}
				}
				const key = "apiKey=" + keyStranger
				s.run(t, http.StatusOK, post("?"+key, "name=a&type=b"), post("", "name=b&type=b&"+key), post("?"+key, "name=c&type=b&utm="+strings.Repeat("x", 900_000)))
			})
		})
	}
}

// Clients without a key that send no body, or a part of one, hold up no POST: one with its key in
// the query, one with its key in the body.
func TestFairness_SlowSendersWithoutAKey(t *testing.T) {
	h := newFixture(t)
	h.renew(func(c *Config) { c.InFlightBytes = 16 << 20; c.Logger = discarded })
	address, _ := h.overTCP()
	for i := range 300 {
		slow := dial(t, address)
		length := []string{"Content-Length: 1048576", "Content-Length: 65536", "Transfer-Encoding: chunked"}[i%3]
		fmt.Fprintf(slow, "POST /v1.1/optin HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n%s\r\n\r\n", length)
		if i%3 == 1 {
			fmt.Fprint(slow, "{"+strings.Repeat(" ", 60_000))
		}
	}
	c := dial(t, address)
	fmt.Fprintf(c, "POST /v1.1/optin?apiKey=%s&id=4097 HTTP/1.1\r\nHost: x\r\nContent-Length: 0\r\n\r\n", keyEnterprise)
	if status := c.status(); status >= 500 {
		t.Errorf("with the key in the query: %d", status)
	}
	c = dial(t, address)
	body := "id=4097&apiKey=" + keyEnterprise
	fmt.Fprintf(c, "POST /v1.1/optin HTTP/1.1\r\nHost: x\r\nContent-Type: application/x-www-form-urlencoded\r\nContent-Length: %d\r\n\r\n%s", len(body), body)
	if status := c.status(); status >= 500 || status == http.StatusUnauthorized {
		t.Errorf("with the key in the body: %d", status)
	}
}

// A key is looked for in bodies of at most 64 KiB: one in a larger body is error 1, one in the query
// is good for any.
func TestKeyless_SmallBodiesAlone(t *testing.T) {
	h := newFixture(t)
	form := func(size int) string {
		body := "id=4097&apiKey=" + keyAdvanced + "&x="
		return body + strings.Repeat("x", size-len(body))
	}
	known := func(w *httptest.ResponseRecorder) bool { return w.Code != http.StatusUnauthorized && w.Code < 500 }
	if w := h.do("POST", "/v1.1/optin", form(64<<10)); !known(w) {
		t.Errorf("64 KiB: %d %s", w.Code, w.Body)
	}
	h.refused(h.do("POST", "/v1.1/optin", form(64<<10+1)), domain.MissingKey, "apiKey")
	if w := h.post("/v1.1/optin", strings.Replace(form(1<<20), "apiKey", "y", 1)); !known(w) {
		t.Errorf("1 MiB with the key in the query: %d %s", w.Code, w.Body)
	}
	r := httptest.NewRequest("POST", "https://api.example/v1.1/optin", strings.NewReader(form(64<<10+1)))
	r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	r.ContentLength = -1
	w := httptest.NewRecorder()
	h.api.ServeHTTP(w, r)
	h.refused(w, domain.MissingKey, "apiKey")
}

// Requests that wait for a position that never comes hold nothing that an answer is made with, and
// one account has a bounded number of them: what is over it is 429.
func TestFairness_Waiters(t *testing.T) {
	future := wire.EncodePosition(domain.Position{Catalog: 1 << 40})
	for _, target := range []string{
		"/v1.1/members/active?limit=1000&timeout_ms=10000&wait_for=" + future, "/v1.1/member/4097?timeout_ms=10000&refresh=1",
	} {
		t.Run(target, func(t *testing.T) {
			h := newFixture(t)
			h.renew(func(c *Config) { c.InFlightBytes = 16 << 20; c.Logger = discarded })
			var waiting atomic.Int64
			h.engine.await = func(ctx context.Context, _ domain.Position) error {
				waiting.Add(1)
				<-ctx.Done()
				return domain.ErrUnavailable
			}
			ctx, leave := context.WithCancel(t.Context())
			const maxWait = 200
			ask := func(key string) chan int {
				status := make(chan int, maxWait)
				for range maxWait {
					go func() {
						w := httptest.NewRecorder()
						h.api.ServeHTTP(w, httptest.NewRequest(http.MethodGet, "https://api.example"+keyed(target, key), nil).WithContext(ctx))
						status <- w.Code
					}()
				}
				return status
			}
			first := ask(keyEnterprise)
			equal(t, http.StatusTooManyRequests, <-first, "over the account's waiters")
			for _, key := range []string{keyStranger, keyEnterprise} {
				h.status(h.do("GET", keyed("/v1.1/brands?limit=1000", key), ""), http.StatusOK, key)
			}
			before := waiting.Load()
			other := ask(keyStranger)
			for waiting.Load() <= before { // another account waits, too
				select {
				case status := <-other:
					if status != http.StatusTooManyRequests && status != http.StatusNotFound {
						t.Fatal(status)
					}
				default:
					runtime.Gosched()
				}
			}
			leave()
		})
	}
}

// A question that is made costs a token of the rate, whatever If-None-Match says and whatever unknown
// parameter makes it look fresh.
func TestRate_IsNotBypassedByIfNoneMatch(t *testing.T) {
	for _, tag := range []string{"*", `"x", *`} {
		h, _ := limited(t, domain.Limits{Rate: 1, Burst: 3, Mode: domain.HardLimit})
		for i := range 50 {
			h.get(fmt.Sprintf("/v1.1/brand/1/stats/activity?zz=%d", i), "If-None-Match", tag)
		}
		if n := len(h.engine.asked); n > 3 {
			t.Errorf("%s: %d questions were computed with 3 tokens of the rate", tag, n)
		}
	}
	h, _ := limited(t, domain.Limits{Rate: 1, Burst: 3, Mode: domain.HardLimit})
	tag := h.get("/v1.1/members/active?limit=1000").Header().Get("Etag")
	for i := range 50 {
		h.get(fmt.Sprintf("/v1.1/members/active?limit=1000&zz=%d", i), "If-None-Match", tag)
	}
	if n := len(h.engine.asked); n > 3 {
		t.Errorf("%d lists were computed with 3 tokens of the rate", n)
	}
}

// An unknown parameter is no part of a question: not of its tag, of its cursor, of what is cached. Links
// repeat it, so that an answer with links is another one.
func TestUnknownParameter_IsNoPartOfTheQuestion(t *testing.T) {
	h := newFixture(t)
	h.manyBrands(50)
	h.engine.unchanged = func(domain.AccountID, domain.Versions, *domain.ReadSet, []domain.Range) (domain.Position, bool) {
		return domain.Position{}, true
	}
	for _, target := range []string{"/v1.1/brand/1/stats/activity?period=1+Day", "/v1.1/members/active?limit=5"} {
		tag := h.get(target).Header().Get("Etag")
		equal(t, tag, h.get(target+"&zz=1").Header().Get("Etag"), target)
		asked := len(h.engine.asked)
		h.status(h.get(target+"&zz=2", "If-None-Match", tag), http.StatusNotModified, target)
		equal(t, asked, len(h.engine.asked), target)
	}
	const list = "/v1.1/brands?cursor=&limit=5"
	page := answered[wire.Brands](h, h.get(list+"&zz=1"))
	next := strings.TrimPrefix(*page.Paging.Next, "https://api.example")
	h.status(h.get(strings.Replace(next, "zz=1", "zz=2", 1)), http.StatusOK, "the cursor beside another unknown parameter")
	tag := h.get(list + "&zz=1").Header().Get("Etag")
	h.status(h.get(list+"&zz=2", "If-None-Match", tag), http.StatusOK, "the links have zz=2")
}

// An answer has at most 20 warnings, of whatever kind.
func TestWarnings_AtMostTwenty(t *testing.T) {
	h, _ := limited(t, domain.Limits{Rate: 1, Burst: 1, Mode: domain.SoftLimit})
	h.get("/v1.1/brands")
	var unknown strings.Builder
	for i := range 200 {
		fmt.Fprintf(&unknown, "&unknown%d=1", i)
	}
	for _, target := range []string{"/v1.1/brands?limit=5000", "/v1.1/brands?limit=x"} {
		w := h.get(target + unknown.String())
		if n := len(w.Header()["Warning"]); n != 20 {
			t.Errorf("%d %d warnings", w.Code, n)
		}
	}
}

// A hash that costs more than a login may is refused for its record; the one of the largest cost that
// a login may have is taken.
func TestRegisterMany_HashHasABoundedCost(t *testing.T) {
	h := newFixture(t)
	b64 := base64.RawStdEncoding.EncodeToString
	for cost, rejected := range map[string]string{
		"m=262144,t=16,p=1": `"rejected":1`, "m=65536,t=4,p=1": `"rejected":1`, "m=64,t=1,p=8": `"rejected":1`, "m=65536,t=3,p=4": `"rejected":0`,
	} {
		hash := "$argon2id$v=19$" + cost + "$" + b64([]byte("0123456789abcdef")) + "$" + b64(make([]byte, 32))
		w := h.register([]string{`{"service":"email","email":"z@example.com","password_hash":"` + hash + `"}`})
		if !strings.Contains(w.Body.String(), rejected) || strings.Contains(w.Body.String(), hash) {
			t.Errorf("%s: %s", cost, w.Body)
		}
	}
}

package api

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/api/problem"
	"github.com/ovation-analytics/ovation/api/transport"
)

// overTCP serves the API on a port of this machine and gives its address, and clients of HTTP/1.1 and
// of HTTP/2.
func (h *fixture) overTCP() (address string, clients [2]*http.Client) {
	h.t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		h.t.Fatal(err)
	}
	server := transport.New(transport.Options{Handler: h.api})
	served := make(chan error, 1)
	go func() { served <- server.Serve(l) }()
	h.t.Cleanup(func() {
		if err := server.Close(); err != nil {
			h.t.Error(err)
		}
		if err := <-served; err != nil {
			h.t.Error(err)
		}
	})
	for i := range clients {
		p := new(http.Protocols)
		p.SetHTTP1(i == 0)
		p.SetUnencryptedHTTP2(i == 1)
		over := &http.Transport{Protocols: p, DisableCompression: true}
		h.t.Cleanup(over.CloseIdleConnections)
		clients[i] = &http.Client{
			Transport: over, Timeout: time.Minute,
			CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
		}
	}
	return "http://" + l.Addr().String(), clients
}

// A client that sends all of a large body before it reads has the answer of a refusal: too large, with a length
// or without, and of a request that is over its rate.
func TestTCP_RefusalOfALargeBodyArrives(t *testing.T) {
	h := newFixture(t)
	h.api.Config.Logger = discarded
	address, _ := h.overTCP()
	body := strings.Repeat("x", 12<<20) // more than a connection keeps
	for name, c := range map[string]struct {
		key, target, framing, body string
		want                       int
	}{
		"with its length":                 {keyAdvanced, "/v1.1/brand/create", fmt.Sprintf("Content-Length: %d", len(body)), body, http.StatusRequestEntityTooLarge},
		"in chunks":                       {keyAdvanced, "/v1.1/brand/create", "Transfer-Encoding: chunked", fmt.Sprintf("%x\r\n%s\r\n0\r\n\r\n", len(body), body), http.StatusRequestEntityTooLarge},
		"many":                            {keyAdvanced, "/v1.1/members/register", fmt.Sprintf("Content-Length: %d", len(body)), body, http.StatusRequestEntityTooLarge},
		"of a plan without the operation": {keyStandard, "/v1.1/members/register", fmt.Sprintf("Content-Length: %d", len(body)), body, http.StatusForbidden},
	} {
		c0, err := net.Dial("tcp", strings.TrimPrefix(address, "http://"))
		if err != nil {
			t.Fatal(err)
		}
		_, err = fmt.Fprintf(c0, "POST %s HTTP/1.1\r\nHost: x\r\nX-API-Key: %s\r\nContent-Type: application/json\r\n%s\r\n\r\n%s", c.target, c.key, c.framing, c.body)
		if err != nil {
			t.Errorf("%s: %v", name, err)
		} else if w, err := http.ReadResponse(bufio.NewReader(c0), nil); err != nil || w.StatusCode != c.want {
			t.Errorf("%s: %v %v", name, w, err)
		}
		_ = c0.Close()
	}
}

// Over TCP, by both protocols: HEAD has the headers of GET, a poll its 304, errors their problem and
// what belongs to them, and a header or a body over its bound is 413.
func TestTCP_BothProtocols(t *testing.T) {
	h := newFixture(t)
	h.api.Config.Logger = discarded
	h.manyBrands(100)
	address, clients := h.overTCP()
	const list = "/v1.1/brands?limit=1000&apiKey=" + keyAdvanced
	for _, client := range clients {
		ask := func(method, target string, body io.Reader, headers ...string) (*http.Response, []byte) {
			t.Helper()
			r, err := http.NewRequest(method, address+target, body)
			if err != nil {
				t.Fatal(err)
			}
			for i := 0; i+1 < len(headers); i += 2 {
				r.Header.Set(headers[i], headers[i+1])
			}
			w, err := client.Do(r)
			if err != nil {
				t.Fatalf("%s %s: %v", method, target, err)
			}
			defer w.Body.Close()
			got, err := io.ReadAll(w.Body)
			if err != nil {
				t.Fatalf("%s %s: %v", method, target, err)
			}
			return w, got
		}
		for _, coding := range []string{"", "gzip", "zstd"} {
			get, body := ask("GET", list, nil, "Accept-Encoding", coding)
			head, none := ask("HEAD", list, nil, "Accept-Encoding", coding)
			if get.ContentLength != int64(len(body)) || head.ContentLength != get.ContentLength || len(none) != 0 ||
				get.Header.Get("Content-Encoding") != coding || head.Header.Get("Content-Encoding") != coding || len(expanded(t, coding, bytes.NewReader(body))) < 10_000 {
				t.Errorf("%s %q: %v %d, %v %d", get.Proto, coding, get.Header, get.ContentLength, head.Header, head.ContentLength)
			}
			poll, none := ask("GET", list, nil, "Accept-Encoding", coding, "If-None-Match", get.Header.Get("Etag"))
			if poll.StatusCode != http.StatusNotModified || len(none) != 0 || poll.Header.Get("Vary") != "Accept-Encoding" {
				t.Errorf("%s %q: %d %v", poll.Proto, coding, poll.StatusCode, poll.Header)
			}
		}
		refused := func(code domain.Code, method, target string, body io.Reader, headers ...string) *http.Response {
			t.Helper()
			w, got := ask(method, target, body, headers...)
			var p problem.Problem
			if err := json.Unmarshal(got, &p); err != nil || p.Error.Code != int(code) || w.StatusCode != problem.Status(code) ||
				w.Header.Get("Content-Type") != problem.ContentType {
				t.Errorf("%s %s: %v, %d %s", method, strings.SplitN(target, "?", 2)[0], err, w.StatusCode, got)
			}
			return w
		}
		form := []string{"Content-Type", "application/x-www-form-urlencoded"}
		const create = "/v1.1/brand/create?apiKey=" + keyAdvanced
		refused(domain.TooLarge, "GET", list, nil, "X-Large", strings.Repeat("x", 70<<10))
		refused(domain.TooLarge, "GET", list+"&x="+strings.Repeat("x", 70<<10), nil)
		refused(domain.TooLarge, "POST", create, strings.NewReader(strings.Repeat("x", 1<<20+1)), form...)
		refused(domain.TooLarge, "POST", create, io.MultiReader(strings.NewReader(strings.Repeat("x", 1<<20+1))), form...) // of unknown length
		if w := refused(domain.MethodNotAllowed, "DELETE", list, nil); w.Header.Get("Allow") != "GET, HEAD, OPTIONS" {
			t.Errorf("Allow: %q", w.Header.Get("Allow"))
		}
		for path, to := range map[string]string{"/v1.1/activity/Feed": "/v1.1/activity/feed", "/v1.1/brand/Create": "/v1.1/brand/create", "/v1.1/member/REGISTER": "/v1.1/member/register"} {
			for method, status := range map[string]int{"GET": 301, "POST": 307} {
				w, _ := ask(method, path+"?a=%26&b", nil)
				if w.StatusCode != status || w.Header.Get("Location") != to+"?a=%26&b" {
					t.Errorf("%s %s: %d to %s", method, path, w.StatusCode, w.Header.Get("Location"))
				}
			}
		}
	}
}

// However many ask at once, in whatever coding, and though some go away within their answer, every
// answer is whole and its own.
func TestTCP_AnswersAreTheirOwn(t *testing.T) {
	h := newFixture(t)
	h.api.Config.Logger = discarded
	h.manyBrands(400)
	address, clients := h.overTCP()
	target := func(n int) string { return fmt.Sprintf("%s/v1.1/brands?limit=%d&apiKey=%s", address, n, keyAdvanced) }
	want := map[int][]byte{}
	for n := 50; n <= 400; n += 50 {
		w, err := clients[0].Get(target(n))
		if err != nil {
			t.Fatal(err)
		}
		want[n], err = io.ReadAll(w.Body)
		w.Body.Close()
		if err != nil {
			t.Fatal(err)
		}
	}
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	var running sync.WaitGroup
	for i := range 8 {
		running.Go(func() {
			rnd := rand.New(rand.NewPCG(seed, uint64(i)))
			for range 25 {
				n := 50 * (1 + rnd.IntN(8))
				coding := []string{"", "gzip", "zstd"}[rnd.IntN(3)]
				ctx, leave := context.WithCancel(context.Background())
				r, err := http.NewRequestWithContext(ctx, http.MethodGet, target(n), nil)
				if err != nil {
					t.Error(err)
				}
				r.Header.Set("Accept-Encoding", coding)
				w, err := clients[rnd.IntN(2)].Do(r)
				if err != nil {
					t.Error(err)
					leave()
					return
				}
				if rnd.IntN(3) == 0 {
					leave() // the answer is under way
				} else if body := expanded(t, coding, w.Body); !bytes.Equal(body, want[n]) {
					t.Errorf("%s %q, %d brands: another answer of %d bytes", w.Proto, coding, n, len(body))
				}
				w.Body.Close()
				leave()
			}
		})
	}
	running.Wait()
}

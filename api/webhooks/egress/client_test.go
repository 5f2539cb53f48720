package egress

import (
	"bytes"
	"context"
	"crypto/x509"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"golang.org/x/net/dns/dnsmessage"
)

// receiver is a server on loopback, which stands for a public address where 127.0.0.1 is allowed.
func receiver(t *testing.T, h http.HandlerFunc) (*httptest.Server, *x509.CertPool) {
	t.Helper()
	s := httptest.NewUnstartedServer(h)
	s.Config.ErrorLog = log.New(io.Discard, "", 0)
	s.StartTLS()
	t.Cleanup(s.Close)
	roots := x509.NewCertPool()
	roots.AddCert(s.Certificate())
	return s, roots
}

func allowed(t *testing.T, networks ...string) *Guard {
	t.Helper()
	p, err := ParseNetworks(networks)
	if err != nil {
		t.Fatal(err)
	}
	return NewGuard(p)
}

func post(c *Client, url string) Answer {
	return c.Post(context.Background(), Request{URL: url, Header: http.Header{"Webhook-Id": {"m"}}, Body: []byte("{}")})
}

// TestPost_Answers: a status is the answer's, 2xx alone is success, and a redirect is not followed.
func TestPost_Answers(t *testing.T) {
	for _, c := range []struct {
		status  int
		failure Failure
	}{{200, None}, {204, None}, {301, Refusal}, {307, Refusal}, {308, Refusal}, {400, Refusal}, {410, Refusal}, {500, Refusal}} {
		t.Run(fmt.Sprint(c.status), func(t *testing.T) {
			var hits atomic.Int32
			s, roots := receiver(t, func(w http.ResponseWriter, r *http.Request) {
				hits.Add(1)
				body, _ := io.ReadAll(r.Body)
				if r.Method != http.MethodPost || string(body) != "{}" || r.Header.Get("webhook-id") != "m" {
					t.Errorf("%s with %q and %q", r.Method, body, r.Header)
				}
				w.Header().Set("Location", "/elsewhere")
				w.Header().Set("Retry-After", "7")
				w.WriteHeader(c.status)
			})
			client := NewClient(allowed(t, "127.0.0.1/32"), roots)
			defer client.Close()
			want := Answer{Status: c.status, Failure: c.failure, RetryAfter: 7 * time.Second}
			if got := post(client, s.URL); got != want || hits.Load() != 1 {
				t.Errorf("%+v after %d requests, want %+v after one", got, hits.Load(), want)
			}
			if want.Gone() != (c.status == 410) {
				t.Errorf("%d: gone is %v", c.status, want.Gone())
			}
		})
	}
}

// TestPost_Redirect: a receiver that redirects to loopback, by any status and form, makes no request there.
func TestPost_Redirect(t *testing.T) {
	var reached atomic.Int32
	inside := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { reached.Add(1) }))
	defer inside.Close()
	for _, status := range []int{301, 302, 303, 307, 308} {
		s, roots := receiver(t, func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, inside.URL, status) })
		client := NewClient(allowed(t, "127.0.0.1/32"), roots)
		if got := post(client, s.URL); got.Failure != Refusal || got.Status != status {
			t.Errorf("%d: %+v", status, got)
		}
		client.Close()
	}
	if reached.Load() > 0 {
		t.Errorf("%d redirects were followed", reached.Load())
	}
}

// TestPost_Guarded: without a network that is allowed, loopback is not connected to in any form of its address, and
// the answer is that of a port that nothing listens on.
func TestPost_Guarded(t *testing.T) {
	var connections atomic.Int32
	s := httptest.NewUnstartedServer(http.NotFoundHandler())
	s.Config.ConnState = func(_ net.Conn, state http.ConnState) {
		if state == http.StateNew {
			connections.Add(1)
		}
	}
	s.StartTLS()
	defer s.Close()
	port := s.Listener.Addr().(*net.TCPAddr).Port
	client := NewClient(NewGuard(nil), nil)
	defer client.Close()
	for _, host := range []string{"127.0.0.1", "localhost", "[::1]", "[::ffff:127.0.0.1]", "0.0.0.0", "[::]", "127.1", "0x7f000001", "2130706433"} {
		if got := post(client, fmt.Sprintf("https://%s:%d/", host, port)); got != (Answer{Failure: Unreachable}) {
			t.Errorf("%s: %+v", host, got)
		}
	}
	if connections.Load() > 0 {
		t.Errorf("%d connections", connections.Load())
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	listener.Close()
	closed := NewClient(allowed(t, "127.0.0.1/32"), nil)
	if got := post(closed, "https://"+listener.Addr().String()); got != (Answer{Failure: Unreachable}) {
		t.Errorf("a port that nothing listens on: %+v", got)
	}
}

// TestPost_Rebinding: a name that resolves to another address the second time is judged the second time.
func TestPost_Rebinding(t *testing.T) {
	var hits atomic.Int32
	s, roots := receiver(t, func(w http.ResponseWriter, _ *http.Request) { hits.Add(1) })
	port := s.Listener.Addr().(*net.TCPAddr).Port
	second, err := net.Listen("tcp", fmt.Sprintf("127.0.0.2:%d", port))
	if err != nil {
		t.Skip("127.0.0.2 cannot be listened on: ", err)
	}
	defer second.Close()
	var private atomic.Bool
	dns := nameServer(t, func() [4]byte {
		if private.Load() {
			return [4]byte{127, 0, 0, 2}
		}
		return [4]byte{127, 0, 0, 1}
	})
	client := newClient(allowed(t, "127.0.0.1/32"), roots, dns)
	defer client.Close()
	url := fmt.Sprintf("https://example.com:%d/", port) // the name that the certificate of httptest is for
	if got := post(client, url); got.Failure != None || got.Status != 200 {
		t.Fatalf("the address that may be dialled: %+v", got)
	}
	private.Store(true)
	client.Close()
	if got := post(client, url); got != (Answer{Failure: Unreachable}) {
		t.Errorf("the address that may not: %+v", got)
	}
	_ = second.(*net.TCPListener).SetDeadline(time.Now())
	if c, err := second.Accept(); err == nil {
		c.Close()
		t.Error("the private address was connected to")
	}
	if hits.Load() != 1 {
		t.Errorf("%d requests came, want 1", hits.Load())
	}
}

// nameServer resolves every name to one address.
func nameServer(t *testing.T, address func() [4]byte) *net.Resolver {
	t.Helper()
	c, err := net.ListenPacket("udp4", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close() })
	go func() {
		buf := make([]byte, 1500)
		for {
			n, from, err := c.ReadFrom(buf)
			if err != nil {
				return
			}
			var m dnsmessage.Message
			if m.Unpack(buf[:n]) != nil || len(m.Questions) != 1 {
				continue
			}
			m.Response, m.RecursionAvailable, m.Additionals = true, true, nil
			if q := m.Questions[0]; q.Type == dnsmessage.TypeA {
				m.Answers = []dnsmessage.Resource{{
					Header: dnsmessage.ResourceHeader{Name: q.Name, Type: q.Type, Class: q.Class},
					Body:   &dnsmessage.AResource{A: address()},
				}}
			}
			if out, err := m.Pack(); err == nil {
				_, _ = c.WriteTo(out, from)
			}
		}
	}()
	return &net.Resolver{PreferGo: true, Dial: func(ctx context.Context, _, _ string) (net.Conn, error) {
		var d net.Dialer
		return d.DialContext(ctx, "udp4", c.LocalAddr().String())
	}}
}

// TestPost_NoProxy: a proxy of the environment is not asked. The environment is read once a process, so what is
// looked at is that no proxy function is set.
func TestPost_NoProxy(t *testing.T) {
	if NewClient(NewGuard(nil), nil).http.Transport.(*http.Transport).Proxy != nil {
		t.Error("the client asks a proxy")
	}
}

// TestPost_Flood: of an answer without an end no more than a part is read, and it is success by its status.
func TestPost_Flood(t *testing.T) {
	ended := make(chan int, 1)
	s, roots := receiver(t, func(w http.ResponseWriter, r *http.Request) {
		chunk, sent := bytes.Repeat([]byte("x"), 64<<10), 0
		for {
			n, err := w.Write(chunk)
			if sent += n; err != nil {
				ended <- sent
				return
			}
		}
	})
	client := NewClient(allowed(t, "127.0.0.1/32"), roots)
	defer client.Close()
	if got := post(client, s.URL); got != (Answer{Status: 200}) {
		t.Errorf("%+v", got)
	}
	if sent := <-ended; sent > 64<<20 {
		t.Errorf("%d bytes were taken", sent)
	}
	header, roots := receiver(t, func(w http.ResponseWriter, _ *http.Request) {
		for i := range 1000 {
			w.Header().Set(fmt.Sprint("X-", i), strings.Repeat("x", 1000))
		}
	})
	client = NewClient(allowed(t, "127.0.0.1/32"), roots)
	defer client.Close()
	if got := post(client, header.URL); got != (Answer{Failure: Broken}) {
		t.Errorf("a flood of headers: %+v", got)
	}
}

// TestPost_Hangs: a receiver that does not answer, or not to the end, costs ten seconds.
func TestPost_Hangs(t *testing.T) {
	for what, send := range map[string]string{
		"nothing": "", "half a header": "HTTP/1.1 200 OK\r\nContent-Le", "half a body": "HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nxx",
	} {
		t.Run(what, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				near, far := net.Pipe()
				defer far.Close()
				go func() {
					r := make([]byte, 4096)
					_, _ = far.Read(r)
					_, _ = far.Write([]byte(send))
					_, _ = io.Copy(io.Discard, far)
				}()
				c := NewClient(NewGuard(nil), nil)
				tr := c.http.Transport.(*http.Transport)
				tr.DialTLSContext = func(context.Context, string, string) (net.Conn, error) { return near, nil }
				begun := time.Now()
				got := post(c, "https://a.example/")
				if got.Failure != TimedOut || time.Since(begun) != Timeout {
					t.Errorf("%+v after %v", got, time.Since(begun))
				}
				near.Close()
				synctest.Wait()
			})
		})
	}
}

// TestPost_Broken: what ends before an answer, and what is no answer, are told apart from what cannot be reached.
func TestPost_Broken(t *testing.T) {
	s, roots := receiver(t, func(w http.ResponseWriter, r *http.Request) { panic(http.ErrAbortHandler) })
	client := NewClient(allowed(t, "127.0.0.1/32"), roots)
	defer client.Close()
	if got := post(client, s.URL); got != (Answer{Failure: Broken}) {
		t.Errorf("%+v", got)
	}
	stranger := NewClient(allowed(t, "127.0.0.1/32"), x509.NewCertPool())
	if got := post(stranger, s.URL); got != (Answer{Failure: Unreachable}) {
		t.Errorf("a certificate of nobody: %+v", got)
	}
}

// TestRetryAfter: seconds and dates, an hour at most; what is neither is nothing. A date is seen from that of the answer,
// whatever this machine's clock shows; of an answer without one, from now.
func TestRetryAfter(t *testing.T) {
	const now = "Mon, 02 Nov 2026 12:00:00 GMT"
	for text, want := range map[string]time.Duration{
		"": 0, "0": 0, "7": 7 * time.Second, " 7 ": 7 * time.Second, "3600": time.Hour, "3601": time.Hour, "999999999": time.Hour,
		"-1": 0, "soon": 0, "1.5": 0, "99999999999999999999": 0,
		"Mon, 02 Nov 2026 12:01:00 GMT": time.Minute, "Mon, 02 Nov 2026 11:00:00 GMT": 0, "Tue, 03 Nov 2026 12:00:00 GMT": time.Hour,
	} {
		if got := retryAfter(http.Header{"Retry-After": {text}, "Date": {now}}); got != want {
			t.Errorf("%q: %v, want %v", text, got, want)
		}
	}
	in := time.Now().Add(30 * time.Minute).UTC().Format(http.TimeFormat)
	if got := retryAfter(http.Header{"Retry-After": {in}}); got < 20*time.Minute || got > 30*time.Minute {
		t.Errorf("half an hour from now, without a date of the answer: %v", got)
	}
}

// TestPost_TellsNothing: no failure quotes an address or an answer, whatever the receiver says.
func TestPost_TellsNothing(t *testing.T) {
	for f := None; f <= Broken; f++ {
		if strings.ContainsAny(f.String(), ".:/") {
			t.Errorf("%q", f)
		}
	}
	if err := NewGuard(nil).Control(t.Context(), "tcp4", "10.1.2.3:443", nil); err == nil || strings.Contains(err.Error(), "10.") {
		t.Errorf("%v", err)
	}
	_, err := ParseURL("https://user:secret@a.example")
	if strings.Contains(err.Error(), "secret") {
		t.Errorf("%v", err)
	}
}

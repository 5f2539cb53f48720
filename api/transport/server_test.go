package transport

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/ovation-analytics/ovation/api/problem"
)

// echo answers with the protocol and the size of what was sent.
var echo = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
	n, err := io.Copy(io.Discard, r.Body)
	if err != nil {
		w.WriteHeader(http.StatusBadRequest)
		return
	}
	fmt.Fprintf(w, "%s %d %v", r.Proto, n, r.TLS != nil)
})

// Both protocols are served, plain and over TLS, and requests carry whether they came over TLS.
func TestServer_BothProtocols(t *testing.T) {
	over(t, func(t *testing.T, files *files) {
		x := serve(t, echo, files, Limits{})
		for two, proto := range map[bool]string{false: "HTTP/1.1", true: "HTTP/2.0"} {
			for range 2 { // the second uses the connection again
				res, err := x.client(two).Post(x.url("/a"), "text/plain", strings.NewReader(strings.Repeat("x", 100_000)))
				if err != nil {
					t.Fatal(err)
				}
				body, err := io.ReadAll(res.Body)
				res.Body.Close()
				if want := fmt.Sprint(proto, " 100000 ", files != nil); err != nil || string(body) != want {
					t.Errorf("%s, want %s: %v", body, want, err)
				}
			}
		}
	})
}

// A header over the bound is answered with the contract's problem, however large it is, also to a
// client that sends it whole before it reads.
func TestServer_HeaderOverTheBound(t *testing.T) {
	over(t, func(t *testing.T, files *files) {
		x := serve(t, echo, files, Limits{})
		for _, size := range []int{MaxHeaderBytes + 8<<10, 2 << 20, 12 << 20} {
			c := x.dial()
			if _, err := fmt.Fprintf(c, "GET / HTTP/1.1\r\nHost: x\r\nX-Large: %s\r\n\r\n", strings.Repeat("x", size)); err != nil {
				t.Fatalf("%d: %v", size, err)
			}
			res, err := http.ReadResponse(bufio.NewReader(c), nil)
			if err != nil {
				t.Fatalf("%d: %v", size, err)
			}
			var p problem.Problem
			if err := json.NewDecoder(res.Body).Decode(&p); err != nil || res.StatusCode != http.StatusRequestEntityTooLarge ||
				p.Error.Code != 14 || res.Header.Get("Content-Type") != problem.ContentType || !res.Close {
				t.Errorf("%d: %v, %d %v %+v", size, err, res.StatusCode, res.Header, p)
			}
		}
		// Half of it is the handler's to judge.
		c := x.dial()
		fmt.Fprintf(c, "GET / HTTP/1.1\r\nHost: x\r\nX-Large: %s\r\n\r\n", strings.Repeat("x", MaxHeaderBytes/2+100))
		if res, err := http.ReadResponse(bufio.NewReader(c), nil); err != nil || res.StatusCode != http.StatusOK {
			t.Errorf("%v, %+v", err, res)
		}
	})
}

// An answer whose body is the text of that refusal reaches the client.
func TestConn_PassesAnswersOn(t *testing.T) {
	x := serve(t, http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, headerTooLarge) }), nil, Limits{})
	res, err := x.client(false).Get(x.url("/"))
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	if body, err := io.ReadAll(res.Body); err != nil || string(body) != headerTooLarge {
		t.Errorf("%v, %q", err, body)
	}
}

// A header and a body that do not come in time end the request; a connection without a request is
// closed after the idle time.
func TestServer_TimeLimits(t *testing.T) {
	limits := Limits{Header: time.Second, Request: time.Second, Idle: time.Second} // what is sent in time has to be in time on a busy machine
	over(t, func(t *testing.T, files *files) {
		x := serve(t, echo, files, limits)
		for name, sent := range map[string]string{
			"header": "GET / HTTP/1.1\r\nHost: x\r\nX-Slow: ", "nothing": "", "idle": "GET / HTTP/1.1\r\nHost: x\r\n\r\n",
		} {
			c := x.dial()
			if _, err := io.WriteString(c, sent); err != nil {
				t.Fatal(err)
			}
			got, err := io.ReadAll(c) // ends when the server closes
			if err != nil || (name == "idle") != bytes.Contains(got, []byte("200 OK")) {
				t.Errorf("%s: %v, %q", name, err, got)
			}
		}
		c := x.dial()
		if _, err := io.WriteString(c, "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 10\r\n\r\n01234"); err != nil {
			t.Fatal(err)
		}
		res, err := http.ReadResponse(bufio.NewReader(c), nil)
		if err != nil || res.StatusCode != http.StatusBadRequest || !res.Close {
			t.Errorf("a slow body: %v, %+v", err, res)
		}
		in, out := io.Pipe()
		defer out.Close()
		if res, err = x.client(true).Post(x.url("/"), "text/plain", in); err != nil || res.StatusCode != http.StatusBadRequest {
			t.Errorf("a slow body over HTTP/2: %v, %+v", err, res)
		}
		if err == nil {
			res.Body.Close()
		}
	})
}

// A client that does not take its answer holds it only as long as an answer may take.
func TestServer_AnswerNotTaken(t *testing.T) {
	ended := make(chan error, 1)
	x := serve(t, http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		var err error
		for chunk := make([]byte, 1<<20); err == nil; {
			_, err = w.Write(chunk)
		}
		ended <- err
	}), nil, Limits{Answer: 50 * time.Millisecond})
	c := x.dial()
	if _, err := io.WriteString(c, "GET / HTTP/1.1\r\nHost: x\r\n\r\n"); err != nil {
		t.Fatal(err)
	}
	select {
	case <-ended:
	case <-within(t).Done():
		t.Error("the answer is still written")
	}
}

// What net/http reports of a connection is logged without its address, and of a panic only that
// there was one.
func TestErrorLog_HasNoAddress(t *testing.T) {
	l := new(logged)
	for _, report := range []string{
		"http: TLS handshake error from 203.0.113.9:4711: EOF", "http2: server connection error from [2001:db8::7%eth0]:99: bad",
		"http: panic serving 203.0.113.9:1: secret-value\ngoroutine 1", "http: Accept error: too many open files; retrying in 5ms",
	} {
		errorLog(l.logger()).Print(report)
	}
	text := l.String()
	for _, secret := range []string{"203.0.113.9", "2001:db8", "secret-value", "goroutine"} {
		if strings.Contains(text, secret) {
			t.Errorf("%q in %s", secret, text)
		}
	}
	for _, kept := range []string{"from client: EOF", "panicked", "too many open files"} {
		if !strings.Contains(text, kept) {
			t.Errorf("no %q in %s", kept, text)
		}
	}
}

// While a server drains, responses to new requests carry Connection: close; then
// the listener closes, and what is under way is answered.
func TestDrain_AnswersWhatIsUnderWay(t *testing.T) {
	over(t, func(t *testing.T, files *files) {
		for _, two := range []bool{false, true} {
			t.Run(map[bool]string{false: "HTTP1", true: "HTTP2"}[two], func(t *testing.T) { drains(t, files, two) })
		}
	})
}

func drains(t *testing.T, files *files, two bool) {
	entered, leave := make(chan struct{}), make(chan struct{})
	x := serve(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/slow" {
			entered <- struct{}{}
			<-leave
		}
		fmt.Fprint(w, "whole")
	}), files, Limits{})
	slow := make(chan string, 1)
	go func() {
		res, err := x.client(two).Get(x.url("/slow"))
		if err != nil {
			slow <- err.Error()
			return
		}
		defer res.Body.Close()
		body, err := io.ReadAll(res.Body)
		slow <- fmt.Sprint(string(body), err)
	}()
	<-entered
	x.closing.Store(true) // the state of Drain while it still takes requests
	client := x.client(two)
	for range 3 { // each on a connection of its own
		res, err := client.Get(x.url("/"))
		if err != nil {
			t.Fatal(err)
		}
		body, err := io.ReadAll(res.Body)
		res.Body.Close()
		if string(body) != "whole" || err != nil || !two && !res.Close {
			t.Errorf("%v %q, closes %v", err, body, res.Close)
		}
	}
	drained := make(chan error, 1)
	go func() { drained <- x.Drain(within(t), time.Millisecond) }()
	if err := <-x.serving; err != nil { // the listener is closed
		t.Error(err)
	}
	x.serving <- nil
	select {
	case err := <-drained:
		t.Errorf("drained before the answer: %v", err)
	default:
	}
	if _, err := x.client(two).Get(x.url("/")); err == nil {
		t.Error("a new connection is answered")
	}
	close(leave)
	if got := <-slow; got != "whole<nil>" {
		t.Error(got)
	}
	if err := <-drained; err != nil {
		t.Error(err)
	}
}

// What is not answered in time is cut off, and that is reported.
func TestDrain_EndsInTime(t *testing.T) {
	entered, leave := make(chan struct{}), make(chan struct{})
	x := serve(t, http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		close(entered)
		<-r.Context().Done()
		close(leave)
	}), nil, Limits{})
	gone := make(chan error, 1)
	go func() {
		_, err := x.client(false).Get(x.url("/"))
		gone <- err
	}()
	<-entered
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Millisecond)
	defer cancel()
	if err := x.Drain(ctx, 0); err == nil || !strings.Contains(err.Error(), "cut off") {
		t.Error(err)
	}
	if err := <-gone; err == nil {
		t.Error("a request that was cut off has an answer")
	}
	<-leave
}

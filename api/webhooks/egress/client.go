package egress

import (
	"bytes"
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptrace"
	"strconv"
	"strings"
	"time"
)

// Bounds of one request.
const (
	Timeout       = 10 * time.Second // from the look-up of the name to the end of the answer
	maxAnswer     = 4 << 10          // bytes of the body that are read
	maxHeader     = 16 << 10         // bytes of the header of an answer
	maxRetryAfter = time.Hour        // that is heeded
)

// Failure is what went wrong with a request, without what answered.
type Failure uint8

// The failures.
const (
	None        Failure = iota // the answer is 2xx
	Refusal                    // an answer that is not 2xx; a redirect is one
	TimedOut                   // no whole answer within Timeout
	Unreachable                // no connection: no such name, no address that may be dialled, none that accepts, no TLS
	Broken                     // the connection ended before an answer, or what came is no answer

	Failures = iota // how many there are, with None
)

// String is the word for a failure, as lists and metrics have it.
func (f Failure) String() string {
	switch f {
	case None:
		return "success"
	case Refusal:
		return "status"
	case TimedOut:
		return "timeout"
	case Unreachable:
		return "unreachable"
	}
	return "broken"
}

// Answer is what became of a request.
type Answer struct {
	Status     int           // of the answer; 0: there was none
	Failure    Failure       // None: the receiver took it
	RetryAfter time.Duration // that the receiver asks for, at most an hour; 0: it asks for none
}

// Word is what became of the request, as lists have it: the status of the answer, or the word of the failure.
func (a Answer) Word() string {
	if a.Status > 0 && a.Failure != TimedOut && a.Failure != Broken {
		return strconv.Itoa(a.Status)
	}
	return a.Failure.String()
}

// Gone reports that the receiver wants nothing more.
func (a Answer) Gone() bool { return a.Status == http.StatusGone }

// Request is a message for a receiver.
type Request struct {
	URL    string
	Header http.Header
	Body   []byte
}

// Client sends requests.
type Client struct {
	http *http.Client
}

// NewClient dials what the guard lets pass. Roots are the authorities of receivers; nil: those of the system.
func NewClient(guard *Guard, roots *x509.CertPool) *Client {
	return newClient(guard, roots, nil)
}

// newClient looks names up with a resolver; nil: that of the system.
func newClient(guard *Guard, roots *x509.CertPool, resolver *net.Resolver) *Client {
	dialer := &net.Dialer{Timeout: Timeout, ControlContext: guard.Control, Resolver: resolver}
	transport := &http.Transport{
		DialContext:            dialer.DialContext, // and no Proxy: a proxy would dial in the guard's stead
		TLSClientConfig:        &tls.Config{RootCAs: roots, MinVersion: tls.VersionTLS12},
		TLSHandshakeTimeout:    Timeout,
		ForceAttemptHTTP2:      true,
		DisableCompression:     true, // an answer is not unpacked
		MaxIdleConns:           256,
		MaxIdleConnsPerHost:    8,
		IdleConnTimeout:        30 * time.Second,
		MaxResponseHeaderBytes: maxHeader,
	}
	return &Client{&http.Client{
		Transport:     transport,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}}
}

// Close ends the connections that no request uses.
func (c *Client) Close() { c.http.CloseIdleConnections() }

// Post sends one request. What fails is told by the answer.
func (c *Client) Post(ctx context.Context, r Request) Answer {
	ctx, cancel := context.WithTimeout(ctx, Timeout)
	defer cancel()
	connected := false
	ctx = httptrace.WithClientTrace(ctx, &httptrace.ClientTrace{GotConn: func(httptrace.GotConnInfo) { connected = true }})
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, r.URL, bytes.NewReader(r.Body))
	if err != nil {
		return Answer{Failure: Unreachable}
	}
	req.Header = r.Header
	res, err := c.http.Do(req)
	if err != nil {
		return Answer{Failure: failureOf(ctx, connected)}
	}
	defer res.Body.Close()
	a := Answer{Status: res.StatusCode, RetryAfter: retryAfter(res.Header)}
	_, err = io.Copy(io.Discard, io.LimitReader(res.Body, maxAnswer))
	switch {
	case res.StatusCode < 200 || res.StatusCode > 299:
		a.Failure = Refusal
	case err != nil:
		a.Failure = failureOf(ctx, true)
	}
	return a
}

// failureOf is the failure of a request that has no whole answer.
func failureOf(ctx context.Context, connected bool) Failure {
	switch {
	case errors.Is(ctx.Err(), context.DeadlineExceeded):
		return TimedOut
	case !connected:
		return Unreachable
	}
	return Broken
}

// retryAfter reads seconds, or a date as seen from that of the answer, since the two clocks may differ; without such a
// date from now. What is neither asks for nothing.
func retryAfter(h http.Header) time.Duration {
	text := strings.TrimSpace(h.Get("Retry-After"))
	if seconds, err := strconv.ParseUint(text, 10, 31); err == nil {
		return min(time.Duration(seconds)*time.Second, maxRetryAfter)
	}
	at, err := http.ParseTime(text)
	if err != nil {
		return 0
	}
	now, err := http.ParseTime(h.Get("Date"))
	if err != nil {
		now = time.Now()
	}
	return min(max(at.Sub(now), 0), maxRetryAfter)
}

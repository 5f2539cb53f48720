package transport

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

// serial is the number of the certificate that a new connection sees.
func (x *fixture) serial() int64 {
	x.t.Helper()
	c, err := tls.Dial("tcp", x.addr, &tls.Config{InsecureSkipVerify: true, NextProtos: []string{"h2"}})
	if err != nil {
		x.t.Fatal(err)
	}
	defer c.Close()
	return c.ConnectionState().PeerCertificates[0].SerialNumber.Int64()
}

// New connections get the certificate that the files hold now; if these are
// invalid, the old certificate stays, and one error is logged.
func TestCertificate_Reload(t *testing.T) {
	chain, key := issue(t, 1)
	x := serve(t, echo, &files{chain: chain, key: key}, Limits{})
	open := x.client(false)
	ask := func() {
		res, err := open.Get(x.url("/"))
		if err != nil {
			t.Fatal(err)
		}
		defer res.Body.Close()
		if _, err := io.Copy(io.Discard, res.Body); err != nil { // or the connection is not used again
			t.Fatal(err)
		}
	}
	ask()

	chain2, key2 := issue(t, 2)
	x.files.write(chain2, key2, nil)
	x.certificate.Reload()
	if got := x.serial(); got != 2 {
		t.Errorf("after a new pair of files: certificate %d", got)
	}
	ask() // a connection that is open goes on: the client does not trust the new certificate
	broken := 0
	for _, f := range []*files{
		{chain: chain, key: key2},
		{chain: chain2[:40], key: key2},
		{chain: nil, key: key2},
		{chain: chain2, key: []byte("x")},
		{err: errors.New("no such file")},
	} {
		x.files.write(f.chain, f.key, f.err)
		broken++
		for range 3 {
			x.certificate.Reload()
			if got := x.serial(); got != 2 {
				t.Errorf("after broken files: certificate %d", got)
			}
		}
		if n := strings.Count(x.log.String(), "cannot be used"); n != broken {
			t.Errorf("%d lines after %d broken files:\n%s", n, broken, x.log)
		}
	}
	x.files.write(chain2, key2, nil) // what is in use
	x.certificate.Reload()
	chain3, key3 := issue(t, 3)
	x.files.write(chain3, key3, nil)
	x.certificate.Reload()
	if got := x.serial(); got != 3 {
		t.Errorf("after mended files: certificate %d", got)
	}
	if text := x.log.String(); strings.Contains(text, "PRIVATE") || strings.Contains(text, string(key3[40:60])) {
		t.Errorf("the log quotes the key: %s", text)
	}
}

// Files that cannot be used are an error at the start.
func TestOpenCertificate_Broken(t *testing.T) {
	chain, key := issue(t, 1)
	_, other := issue(t, 2)
	for _, f := range []*files{{chain: chain, key: other}, {key: key}, {chain: chain}, {err: errors.New("no such file")}} {
		if _, err := OpenCertificate(f.read, new(logged).logger()); err == nil {
			t.Errorf("%+v is a certificate", f)
		}
	}
}

// A certificate is reloaded at the interval while it is watched, and no longer.
func TestCertificate_Watch(t *testing.T) {
	chain, key := issue(t, 1)
	chain2, key2 := issue(t, 2)
	synctest.Test(t, func(t *testing.T) {
		f := &files{chain: chain, key: key}
		c, err := OpenCertificate(f.read, new(logged).logger())
		if err != nil {
			t.Fatal(err)
		}
		serial := func() int64 { return c.current.Load().Leaf.SerialNumber.Int64() }
		ctx, cancel := context.WithCancel(t.Context())
		ended := make(chan struct{})
		go func() {
			defer close(ended)
			c.Watch(ctx, time.Second)
		}()
		f.write(chain2, key2, nil)
		synctest.Wait()
		if serial() != 1 {
			t.Error("reloaded before the interval")
		}
		time.Sleep(time.Second) // of the bubble's clock
		synctest.Wait()
		if serial() != 2 {
			t.Error("not reloaded at the interval")
		}
		cancel()
		<-ended
	})
}

// A client without TLS on a port with TLS is told so; one that does not finish its handshake delays
// no other, and is cut.
func TestTLS_HandshakesThatFail(t *testing.T) {
	chain, key := issue(t, 1)
	x := serve(t, echo, &files{chain: chain, key: key}, Limits{Header: 100 * time.Millisecond})
	plain := func(sent string) string {
		c, err := net.Dial("tcp", x.addr)
		if err != nil {
			t.Fatal(err)
		}
		defer c.Close()
		if err := c.SetDeadline(time.Now().Add(time.Minute)); err != nil {
			t.Fatal(err)
		}
		fmt.Fprint(c, sent)
		got := make([]byte, 1024)
		n, _ := c.Read(got)
		return string(got[:n])
	}
	if got := plain("GET / HTTP/1.1\r\nHost: x\r\n\r\n"); !strings.HasPrefix(got, "HTTP/1.0 400 ") || !strings.Contains(got, "HTTPS") {
		t.Errorf("%q", got)
	}
	silent, err := net.Dial("tcp", x.addr)
	if err != nil {
		t.Fatal(err)
	}
	defer silent.Close()
	for range 3 {
		if got := x.serial(); got != 1 {
			t.Errorf("certificate %d", got)
		}
	}
	if err := silent.SetReadDeadline(time.Now().Add(time.Minute)); err != nil {
		t.Fatal(err)
	}
	if n, err := silent.Read(make([]byte, 1)); n != 0 || err == nil || errors.Is(err, os.ErrDeadlineExceeded) {
		t.Errorf("%d bytes, %v", n, err)
	}
}

// A server that closes ends handshakes under way.
func TestTLS_CloseEndsHandshakes(t *testing.T) {
	chain, key := issue(t, 1)
	x := serve(t, http.NotFoundHandler(), &files{chain: chain, key: key}, Limits{Header: time.Hour})
	c, err := net.Dial("tcp", x.addr)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	if err := c.SetReadDeadline(time.Now().Add(time.Minute)); err != nil {
		t.Fatal(err)
	}
	if _, err := c.Write([]byte{22, 3, 1}); err != nil { // the beginning of a record
		t.Fatal(err)
	}
	if err := x.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := c.Read(make([]byte, 1)); err == nil {
		t.Error("the connection is open")
	}
}

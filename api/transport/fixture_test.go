package transport

import (
	"bytes"
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"log/slog"
	"math/big"
	"net"
	"net/http"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"
)

// TestMain checks that no goroutine outlives the tests, but for what net/http does half a second after
// a connection is closed.
func TestMain(m *testing.M) {
	goleak.VerifyTestMain(m, goleak.IgnoreAnyFunction("net/http.(*conn).closeWriteAndWait"))
}

// files are the files of a certificate as its reader finds them.
type files struct {
	mu         sync.Mutex
	chain, key []byte
	err        error
}

func (f *files) read() ([]byte, []byte, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.chain, f.key, f.err
}

func (f *files) write(chain, key []byte, err error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.chain = chain
	f.key = key
	f.err = err
}

// issue makes a certificate of 127.0.0.1 that signs itself.
func issue(t testing.TB, serial int64) (chain, key []byte) {
	t.Helper()
	private, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{
		SerialNumber: big.NewInt(serial), NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour),
		IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)}, IsCA: true, BasicConstraintsValid: true,
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, private.Public(), private)
	if err != nil {
		t.Fatal(err)
	}
	raw, err := x509.MarshalPKCS8PrivateKey(private)
	if err != nil {
		t.Fatal(err)
	}
	return pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der}), pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: raw})
}

// logged is a log in memory.
type logged struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (l *logged) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.Write(p)
}

func (l *logged) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.String()
}

func (l *logged) logger() *slog.Logger { return slog.New(slog.NewTextHandler(l, nil)) }

// fixture is a server on a port of this machine.
type fixture struct {
	*Server
	t       testing.TB
	addr    string
	log     *logged
	files   *files // nil: no TLS
	serving chan error
}

// serve starts a server with the handler, over TLS where files are given.
func serve(t testing.TB, h http.Handler, f *files, limits Limits) *fixture {
	t.Helper()
	x := &fixture{t: t, log: new(logged), files: f, serving: make(chan error, 1)}
	o := Options{Handler: h, Limits: limits, Log: x.log.logger()}
	if f != nil {
		var err error
		if o.Certificate, err = OpenCertificate(f.read, o.Log); err != nil {
			t.Fatal(err)
		}
	}
	x.Server = New(o)
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	x.addr = l.Addr().String()
	go func() { x.serving <- x.Serve(l) }()
	t.Cleanup(func() {
		if err := x.Close(); err != nil {
			t.Error(err)
		}
		if err := <-x.serving; err != nil {
			t.Error(err)
		}
	})
	return x
}

// url is an address on the server.
func (x *fixture) url(path string) string {
	if x.files != nil {
		return "https://" + x.addr + path
	}
	return "http://" + x.addr + path
}

// trust is the configuration of a client that trusts the files.
func (x *fixture) trust() *tls.Config {
	if x.files == nil {
		return nil
	}
	roots := x509.NewCertPool()
	chain, _, _ := x.files.read()
	roots.AppendCertsFromPEM(chain)
	return &tls.Config{RootCAs: roots}
}

// client is a client that speaks one protocol: HTTP/1.1 or HTTP/2.
func (x *fixture) client(two bool) *http.Client {
	p := new(http.Protocols)
	p.SetHTTP1(!two)
	p.SetHTTP2(two && x.files != nil)
	p.SetUnencryptedHTTP2(two && x.files == nil)
	transport := &http.Transport{Protocols: p, TLSClientConfig: x.trust(), DisableCompression: true}
	x.t.Cleanup(transport.CloseIdleConnections)
	return &http.Client{Transport: transport, Timeout: time.Minute}
}

// dial opens a connection of HTTP/1.1.
func (x *fixture) dial() net.Conn {
	x.t.Helper()
	var c net.Conn
	var err error
	if x.files != nil {
		c, err = tls.Dial("tcp", x.addr, x.trust())
	} else {
		c, err = net.Dial("tcp", x.addr)
	}
	if err != nil {
		x.t.Fatal(err)
	}
	x.t.Cleanup(func() { _ = c.Close() })
	if err := c.SetDeadline(time.Now().Add(time.Minute)); err != nil {
		x.t.Fatal(err)
	}
	return c
}

// over runs a test over plain connections and over TLS.
func over(t *testing.T, f func(t *testing.T, files *files)) {
	t.Run("plain", func(t *testing.T) { f(t, nil) })
	t.Run("TLS", func(t *testing.T) {
		chain, key := issue(t, 1)
		f(t, &files{chain: chain, key: key})
	})
}

// within is a context of a test that waits for something.
func within(t testing.TB) context.Context {
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	t.Cleanup(cancel)
	return ctx
}

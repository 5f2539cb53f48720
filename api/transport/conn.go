package transport

import (
	"crypto/tls"
	"fmt"
	"io"
	"net"
	"net/http"
	"sync"
	"time"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/api/problem"
	"github.com/ovation-analytics/ovation/api/wire"
)

// listener accepts plain connections.
type listener struct{ net.Listener }

// Accept gives the next connection.
func (l listener) Accept() (net.Conn, error) {
	c, err := l.Listener.Accept()
	if err != nil {
		return nil, err
	}
	return &conn{c}, nil
}

// conn is a connection of HTTP/1.1, or a plain one of HTTP/2, on which the contract's problem
// takes the place of what net/http answers to a header over MaxHeaderBytes.
type conn struct{ net.Conn }

// tlsConn is a conn over TLS. net/http takes the state for the request.
type tlsConn struct {
	conn
	tls *tls.Conn
}

// ConnectionState is that of TLS.
func (c *tlsConn) ConnectionState() tls.ConnectionState { return c.tls.ConnectionState() }

// headerTooLarge is what net/http writes, in one call, to a header over its bound. No answer of
// the API has it: their bodies are JSON, in which no line ends with a carriage return.
const headerTooLarge = "HTTP/1.1 431 Request Header Fields Too Large\r\n" +
	"Content-Type: text/plain; charset=utf-8\r\nConnection: close\r\n\r\n431 Request Header Fields Too Large"

// Write writes bytes of an answer.
func (c *conn) Write(p []byte) (int, error) {
	if len(p) != len(headerTooLarge) || string(p) != headerTooLarge {
		return c.Conn.Write(p)
	}
	if err := c.refuseHeader(); err != nil {
		return 0, err
	}
	return len(p), nil
}

// CloseWrite tells the client that nothing more comes.
func (c *conn) CloseWrite() error {
	if w, ok := c.Conn.(interface{ CloseWrite() error }); ok {
		return w.CloseWrite()
	}
	return nil
}

// What is read of a header that was refused, and how long that and the answer may take: a client
// that still sends reads the answer only when it has sent, and a connection that closes with
// bytes unread takes the answer away from it.
const (
	lingerBytes = 16 << 20
	lingerTime  = 5 * time.Second
)

// refuseHeader answers a header over MaxHeaderBytes.
func (c *conn) refuseHeader() error {
	if err := c.SetDeadline(time.Now().Add(lingerTime)); err != nil {
		return err
	}
	body := tooLarge()
	_, err := fmt.Fprintf(c.Conn, "HTTP/1.1 %d %s\r\nContent-Type: %s\r\nContent-Length: %d\r\n"+
		"X-Content-Type-Options: nosniff\r\nDate: %s\r\nConnection: close\r\n\r\n%s",
		http.StatusRequestEntityTooLarge, http.StatusText(http.StatusRequestEntityTooLarge), problem.ContentType,
		len(body), time.Now().UTC().Format(http.TimeFormat), body)
	if err != nil {
		return err
	}
	if err := c.CloseWrite(); err != nil {
		return err
	}
	_, _ = io.CopyN(io.Discard, c.Conn, lingerBytes) // ends with the client, in time
	return nil
}

// tooLarge is the problem of a header over the bound.
var tooLarge = sync.OnceValue(func() []byte {
	body, err := wire.Encode(problem.Of(domain.Fail(domain.TooLarge, "the header is over 64 KiB")))
	if err != nil { // a struct of texts always has a JSON form
		panic(err)
	}
	return body
})

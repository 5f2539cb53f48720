package networks

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"crypto/tls"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/url"
	"sync/atomic"
	"time"

	"github.com/ovation-analytics/ovation/actors/domain"
)

// The bounds of what a network is asked.
const (
	timeLimit = 5 * time.Second
	maxAnswer = 64 << 10
	maxConns  = 64 // of one host
	idleFor   = 30 * time.Second
)

// maxToken is how long a token may be that is sent or kept, in bytes.
const maxToken = 8192

// Networks are those of the operator's file. The zero value and nil have none. It prints as a
// fixed word.
type Networks struct {
	by     config
	digest [sha256.Size]byte // of the file's values; zero: there is no file
	client *http.Client
	log    *slog.Logger
}

// network is what one network is asked; nil: it is not.
type network struct {
	check   *check
	refresh *refresh
}

// ErrRefused is the answer of a network that does not take a token.
var ErrRefused = errors.New("the network refuses the token")

// Open reads the text of a file of networks (config.go).
func Open(text []byte, log *slog.Logger) (*Networks, error) {
	by, err := parse(text)
	if err != nil {
		return nil, err
	}
	var values any
	if err := json.Unmarshal(text, &values); err != nil {
		return nil, err
	}
	canonical, err := json.Marshal(values)
	if err != nil {
		return nil, err
	}
	transport := http.DefaultTransport.(*http.Transport).Clone()
	transport.MaxConnsPerHost = maxConns
	transport.MaxIdleConnsPerHost = maxConns
	transport.IdleConnTimeout = idleFor
	transport.MaxResponseHeaderBytes = maxAnswer
	n := &Networks{by: by, digest: sha256.Sum256(canonical), log: log}
	return n.Over(transport), nil
}

// Over is the networks with another way to send requests.
func (n *Networks) Over(next http.RoundTripper) *Networks {
	return &Networks{by: n.by, digest: n.digest, log: n.log, client: &http.Client{
		Transport:     limited{next},
		Timeout:       timeLimit,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}}
}

// Mark is the same for files of the same values, whatever their order and spaces, and tells nothing of them without the
// key. Of nil it is that of no file.
func (n *Networks) Mark(key []byte) string {
	var digest [sha256.Size]byte
	if n != nil {
		digest = n.digest
	}
	mac := hmac.New(sha256.New, key)
	mac.Write([]byte("the networks of a node"))
	mac.Write(digest[:])
	return hex.EncodeToString(mac.Sum(nil)[:8])
}

// Close closes connections that are not in use.
func (n *Networks) Close() error {
	if n != nil && n.client != nil {
		n.client.CloseIdleConnections()
	}
	return nil
}

// of is what a network is asked.
func (n *Networks) of(service domain.Service) network {
	if n == nil || n.by[service] == nil {
		return network{}
	}
	return *n.by[service]
}

// Format prints a fixed word for every verb.
func (*Networks) Format(s fmt.State, _ rune) { io.WriteString(s, "[networks]") }

// LogValue is a fixed word.
func (*Networks) LogValue() slog.Value { return slog.StringValue("[networks]") }

// MarshalText is a fixed word.
func (*Networks) MarshalText() ([]byte, error) { return []byte("[networks]"), nil }

// limited bounds what is read of an answer.
type limited struct{ next http.RoundTripper }

// RoundTrip sends a request.
func (l limited) RoundTrip(r *http.Request) (*http.Response, error) {
	res, err := l.next.RoundTrip(r)
	if err == nil {
		res.Body = &limitedBody{res.Body, maxAnswer}
	}
	return res, err
}

// CloseIdleConnections closes connections that are not in use.
func (l limited) CloseIdleConnections() {
	if t, ok := l.next.(interface{ CloseIdleConnections() }); ok {
		t.CloseIdleConnections()
	}
}

// limitedBody is a body that fails where it is longer than what is left.
type limitedBody struct {
	io.ReadCloser
	left int
}

var errTooLong = fmt.Errorf("the answer is over %d KiB", maxAnswer>>10)

// Read reads up to the bound.
func (b *limitedBody) Read(p []byte) (int, error) {
	if len(p) > b.left+1 {
		p = p[:b.left+1]
	}
	n, err := b.ReadCloser.Read(p)
	if b.left -= n; b.left < 0 {
		return 0, errTooLong
	}
	return n, err
}

// place is one address of a network, and why it last gave nothing that can be used.
type place struct {
	cause atomic.Pointer[string] // nil: it answers
}

// settle gives the error of a question about a service by its cause; nil and ErrRefused are
// answers. A cause that is not the one before is logged.
func (p *place) settle(ctx context.Context, n *Networks, service domain.Service, what string, cause error) error {
	if cause == nil || errors.Is(cause, ErrRefused) {
		if p.cause.Swap(nil) != nil {
			n.log.Info("the network answers again", "service", service.String(), "about", what)
		}
		return cause
	}
	if ctx.Err() != nil { // the client is gone, or has waited long enough
		return unavailable(what, ctx.Err())
	}
	text := cause.Error()
	if before := p.cause.Swap(&text); before == nil || *before != text {
		n.log.Warn("the network gives no answer that can be used",
			"service", service.String(), "about", what, "err", cause)
	}
	return unavailable(what, cause)
}

func unavailable(what string, cause error) error {
	return &domain.Error{
		Code: domain.Unavailable, Message: "the network cannot be asked at the moment, try again", Op: what, Err: cause,
	}
}

// plain is the cause of a question that got no whole answer, without what could be of the
// question or of the answer.
func plain(err error) error {
	if u, ok := errors.AsType[*url.Error](err); ok {
		if u.Timeout() {
			return errTimeout
		}
		err = u.Err
	}
	if timeout, ok := errors.AsType[net.Error](err); ok && timeout.Timeout() {
		return errTimeout
	}
	if op, ok := errors.AsType[*net.OpError](err); ok { // its own text has ports, which differ each time
		return fmt.Errorf("%s: %w", op.Op, op.Err)
	}
	if certificate, ok := errors.AsType[*tls.CertificateVerificationError](err); ok {
		return certificate
	}
	if errors.Is(err, errTooLong) {
		return errTooLong
	}
	return errNoAnswer
}

var (
	errTimeout  = fmt.Errorf("no answer within %v", timeLimit)
	errNoAnswer = errors.New("no answer that is HTTP")
)

// errStatus is the cause of a status that says nothing about the token.
func errStatus(status int) error { return fmt.Errorf("the status is %d", status) }

// sendable reports that a token can be in a header: visible ASCII.
func sendable(token string) bool {
	for i := range len(token) {
		if token[i] <= ' ' || token[i] > '~' {
			return false
		}
	}
	return token != "" && len(token) <= maxToken
}

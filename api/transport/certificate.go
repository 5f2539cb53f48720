package transport

import (
	"context"
	"crypto/sha256"
	"crypto/tls"
	"encoding/binary"
	"log/slog"
	"sync/atomic"
	"time"
)

// Certificate is a certificate that is read again while it is in use. Any goroutine may ask for
// it; one reloads it.
type Certificate struct {
	read    func() (chain, key []byte, err error)
	log     *slog.Logger
	current atomic.Pointer[tls.Certificate]
	seen    [sha256.Size]byte // of what was read last, of use or not
}

// OpenCertificate reads a certificate chain and its key, both PEM.
func OpenCertificate(read func() (chain, key []byte, err error), log *slog.Logger) (*Certificate, error) {
	c := &Certificate{read: read, log: log}
	pair, seen, err := c.load()
	if err != nil {
		return nil, err
	}
	c.use(pair, seen)
	return c, nil
}

// load reads the files, whatever they are: seen names what was read, or the error.
func (c *Certificate) load() (pair tls.Certificate, seen [sha256.Size]byte, err error) {
	chain, key, err := c.read()
	if err != nil {
		return pair, sha256.Sum256([]byte(err.Error())), err
	}
	h := binary.BigEndian.AppendUint64(nil, uint64(len(chain)))
	seen = sha256.Sum256(append(append(h, chain...), key...))
	if seen == c.seen {
		return pair, seen, nil
	}
	pair, err = tls.X509KeyPair(chain, key)
	return pair, seen, err
}

// use has new connections use a pair.
func (c *Certificate) use(pair tls.Certificate, seen [sha256.Size]byte) {
	c.current.Store(&pair)
	c.seen = seen
	log := c.log.Info
	if pair.Leaf.NotAfter.Before(time.Now()) {
		log = c.log.Warn
	}
	log("TLS certificate in use", "notAfter", pair.Leaf.NotAfter.UTC(), "serial", pair.Leaf.SerialNumber.Text(16))
}

// Reload reads the files, and uses what they hold where that is another pair and of use.
// Files that are not of use are logged once; the pair before stays.
func (c *Certificate) Reload() {
	before := c.seen
	pair, seen, err := c.load()
	switch {
	case seen == before:
	case err != nil:
		c.seen = seen
		c.log.Warn("the files of the TLS certificate cannot be used; the certificate before stays in use", "err", err)
	default:
		c.use(pair, seen)
	}
}

// Watch reloads the certificate at an interval until ctx ends.
func (c *Certificate) Watch(ctx context.Context, every time.Duration) {
	tick := time.NewTicker(every)
	defer tick.Stop()
	for {
		select {
		case <-tick.C:
			c.Reload()
		case <-ctx.Done():
			return
		}
	}
}

// NotAfter is when the certificate in use expires.
func (c *Certificate) NotAfter() time.Time { return c.current.Load().Leaf.NotAfter }

// config offers both protocols with the certificate in use.
func (c *Certificate) config() *tls.Config {
	return &tls.Config{
		MinVersion:     tls.VersionTLS12,
		NextProtos:     []string{"h2", "http/1.1"},
		GetCertificate: func(*tls.ClientHelloInfo) (*tls.Certificate, error) { return c.current.Load(), nil },
	}
}

package wire

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"strconv"
	"sync"
	"time"

	"github.com/xdg-go/scram"

	"github.com/ovation-analytics/ovation/ingest/broker/log"
)

// Config of a broker. Listen and, on a wildcard address, Advertise must be set.
type Config struct {
	Listen         string       // host:port; port 0 takes a free one
	Listener       net.Listener // where clients come from, Listen being its address; nil: a TCP port
	Advertise      string       // the host in Metadata answers; empty: that of Listen
	MaxConnections int          // of clients that are no nodes of this installation; 0: 256
	MaxProduce     int          // bytes of a Produce request; 0: 64 MiB
	MaxFetch       int          // bytes of an answer to Fetch, but for its first batch; 0: 32 MiB
	KeepBytes      int          // of all buffers that a connection keeps; 0: 8 MiB
	// AutoCreate is the number of partitions of a topic that is made because a client
	// asked for it; 0: none is made.
	AutoCreate int
	// Measured says that the log lives as long as a measurement: every client may make compacted topics.
	Measured bool
	// Own are the topics that only nodes of this installation create, change, append to and
	// delete: connections by Dial, and those authenticated as NodeUser with the password. They
	// may be compacted.
	Own []string
	// Private are topics that only nodes read.
	Private []string
	// Kept are topics that every client appends to, and only nodes trim and delete.
	Kept []string
	// Told is what the settings of the topics Own and Kept say beside those that a topic can be made with.
	Told map[string]string
	// OwnGroups begin the names of the groups whose offsets only nodes commit. Those of BriefGroups
	// are kept in memory alone: they are committed again each second.
	OwnGroups   []string
	BriefGroups string
	Password    string       // empty: none can
	Logger      *slog.Logger // nil: slog.Default
}

// Broker serves a log on one address.
type Broker struct {
	cfg  Config
	log  *log.Log
	ln   net.Listener
	host string
	port int32

	ctx  context.Context // ends with Close
	stop context.CancelFunc
	wg   sync.WaitGroup // connections

	sasl *scram.Server // nil: no client can authenticate

	mu      sync.Mutex // guards what follows
	conns   map[*conn]struct{}
	clients int // of them, those that are counted: not of nodes
	closed  bool

	counts     counts
	complaints complaints
}

// New listens, so that Addr is known, and serves no client before Run. The log outlives
// the broker.
func New(cfg Config, l *log.Log) (*Broker, error) {
	cfg.MaxConnections = cmp.Or(cfg.MaxConnections, 256)
	cfg.MaxProduce = cmp.Or(cfg.MaxProduce, 64<<20)
	cfg.MaxFetch = cmp.Or(cfg.MaxFetch, 32<<20)
	cfg.KeepBytes = cmp.Or(cfg.KeepBytes, 8<<20)
	if cfg.Logger == nil {
		cfg.Logger = slog.Default()
	}
	host, _, err := net.SplitHostPort(cfg.Listen)
	if err != nil {
		return nil, fmt.Errorf("embedded kafka: %w", err)
	}
	if ip := net.ParseIP(host); cfg.Advertise == "" && (host == "" || ip != nil && ip.IsUnspecified()) {
		return nil, fmt.Errorf("embedded kafka: listening on all addresses (%s) needs a host to advertise", cfg.Listen)
	}
	ln := cfg.Listener
	if ln == nil {
		if ln, err = net.Listen("tcp", cfg.Listen); err != nil {
			return nil, fmt.Errorf("embedded kafka: %w", err)
		}
	}
	b := &Broker{cfg: cfg, log: l, ln: ln, host: cfg.Advertise, conns: map[*conn]struct{}{}}
	if b.sasl, err = newSASL(cfg.Password); err != nil {
		return nil, errors.Join(err, ln.Close())
	}
	if b.host == "" {
		b.host = host
	}
	_, port, _ := net.SplitHostPort(ln.Addr().String()) // a TCP address has both
	n, _ := strconv.ParseUint(port, 10, 16)
	b.port = int32(n)
	b.ctx, b.stop = context.WithCancel(context.Background())
	return b, nil
}

// Addr is the address in Metadata answers: host:port.
func (b *Broker) Addr() string { return net.JoinHostPort(b.host, strconv.Itoa(int(b.port))) }

// Run serves until ctx ends or Close is called, and closes the broker. Either is no
// error.
func (b *Broker) Run(ctx context.Context) error {
	defer context.AfterFunc(ctx, b.halt)()
	defer b.Close()
	for delay := time.Duration(0); ; {
		c, err := b.ln.Accept()
		switch {
		case b.ctx.Err() != nil:
			if err == nil {
				c.Close()
			}
			return nil
		case errors.Is(err, net.ErrClosed):
			return fmt.Errorf("embedded kafka: %w", err)
		case err != nil: // out of descriptors, or a client that left: it may pass
			delay = min(max(2*delay, 5*time.Millisecond), time.Second)
			b.cfg.Logger.Warn("embedded kafka: accept", "err", err, "retry_in", delay)
			select {
			case <-time.After(delay):
			case <-b.ctx.Done():
			}
			continue
		}
		delay = 0
		b.admit(c, false)
	}
}

// Dial is a connection from within the process: what it carries does not go through the
// operating system, which for small requests takes longer than answering them. It is a
// node's: never counted, and free to change every topic.
func (b *Broker) Dial() (net.Conn, error) {
	if b.ctx.Err() != nil {
		return nil, net.ErrClosed
	}
	ours, theirs := pipe()
	b.admit(theirs, true)
	return ours, nil
}

// halt stops accepting and closes every connection; a request in work is finished.
func (b *Broker) halt() {
	b.stop()
	b.ln.Close()
	b.mu.Lock()
	defer b.mu.Unlock()
	b.closed = true
	for c := range b.conns {
		c.net.Close()
	}
}

// Close stops serving and returns when no request is in work any more. It may be
// called more than once.
func (b *Broker) Close() {
	b.halt()
	b.wg.Wait()
}

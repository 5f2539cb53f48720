package kafka

import (
	"context"
	"crypto/tls"
	"errors"
	"net"
	"slices"
	"sync/atomic"
	"time"

	kafkago "github.com/segmentio/kafka-go"
	"github.com/segmentio/kafka-go/sasl"
	"github.com/twmb/franz-go/pkg/kmsg"
)

// Config says which cluster to speak to, and how. Zero durations mean defaults.
type Config struct {
	Brokers  []string // HOST:PORT, at least one; the others are found through them
	ClientID string
	TLS      *tls.Config    // nil: none
	SASL     sasl.Mechanism // nil: none
	// Dial opens a connection to an address of a broker; nil: by TCP.
	Dial func(ctx context.Context, network, address string) (net.Conn, error)

	// Topics are all the topics that will be read or appended. Their leaders are kept
	// up to date; those of no others are. None given: all topics of the cluster.
	Topics []string

	DialTimeout    time.Duration // for one broker, 3 s
	RequestTimeout time.Duration // for one request, 10 s; a fetch's wait comes on top
	MetadataTTL    time.Duration // leaders are asked for at least so often, 2 s
}

// conns are the connections to one cluster, and what their requests have in common. Any
// goroutine may call.
type conns struct {
	cfg         Config
	addr        net.Addr
	fetching    *kafkago.Transport // long waits and large answers
	rest        *kafkago.Transport // never behind them
	formatter   *kmsg.RequestFormatter
	correlation atomic.Int32
	stats       counters
	reach       reach

	ctx   context.Context // ends with Close
	close context.CancelFunc
}

func newConns(cfg Config) (*conns, error) {
	if len(cfg.Brokers) == 0 || slices.Contains(cfg.Brokers, "") {
		return nil, errors.New("kafka: no broker address, or an empty one")
	}
	cfg.DialTimeout = orDefault(cfg.DialTimeout, 3*time.Second)
	cfg.RequestTimeout = orDefault(cfg.RequestTimeout, 10*time.Second)
	cfg.MetadataTTL = orDefault(cfg.MetadataTTL, 2*time.Second)
	cfg.Brokers, cfg.Topics = slices.Clone(cfg.Brokers), slices.Clone(cfg.Topics)
	c := &conns{cfg: cfg, addr: kafkago.TCP(cfg.Brokers...)}
	c.ctx, c.close = context.WithCancel(context.Background())
	c.formatter = kmsg.NewRequestFormatter(kmsg.FormatterClientID(cfg.ClientID))
	c.fetching, c.rest = c.transport(), c.transport()
	return c, nil
}

func orDefault(d, otherwise time.Duration) time.Duration {
	if d <= 0 {
		return otherwise
	}
	return d
}

func (c *conns) transport() *kafkago.Transport {
	dial := c.cfg.Dial
	if dial == nil {
		dial = (&net.Dialer{Timeout: c.cfg.DialTimeout}).DialContext
	}
	return &kafkago.Transport{
		Dial: dial,
		// One deadline for the attempts on all brokers and the handshakes after: a
		// silent first one must leave time for the next.
		DialTimeout:    c.cfg.DialTimeout * time.Duration(len(c.cfg.Brokers)+1),
		MetadataTTL:    c.cfg.MetadataTTL,
		MetadataTopics: c.cfg.Topics,
		ClientID:       c.cfg.ClientID,
		TLS:            c.cfg.TLS,
		SASL:           c.cfg.SASL,
		Context:        c.ctx,
	}
}

// ForgetLeaders makes the next request look the leaders up: those of a topic just made
// would not be known before Config.MetadataTTL has passed. Requests under way are not cut off.
func (c *conns) ForgetLeaders() {
	c.fetching.CloseIdleConnections()
	c.rest.CloseIdleConnections()
}

// Close ends what is under way with ErrClosed and closes the connections.
func (c *conns) Close() {
	c.close()
	c.ForgetLeaders()
}

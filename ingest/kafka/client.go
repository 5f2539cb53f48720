package kafka

import (
	"context"
	"crypto/tls"
	"errors"
	"net"
	"slices"
	"sync"
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

// Client is a connection pool to one Kafka cluster. Any goroutine may call it.
type Client struct {
	cfg       Config
	addr      net.Addr
	fetching  *kafkago.Transport // long waits and large answers
	rest      *kafkago.Transport // never behind them
	shared    sharedFetches
	formatter *kmsg.RequestFormatter
	stats     counters

	correlation  atomic.Int32
	coordinators sync.Map // group → node id, int32

	ctx   context.Context // ends with Close
	close context.CancelFunc
}

// ErrClosed is the answer of a client after Close.
var ErrClosed = errors.New("kafka: client is closed")

// New gives a client; it connects when it is first asked.
func New(cfg Config) (*Client, error) {
	if len(cfg.Brokers) == 0 || slices.Contains(cfg.Brokers, "") {
		return nil, errors.New("kafka: no broker address, or an empty one")
	}
	cfg.DialTimeout = orDefault(cfg.DialTimeout, 3*time.Second)
	cfg.RequestTimeout = orDefault(cfg.RequestTimeout, 10*time.Second)
	cfg.MetadataTTL = orDefault(cfg.MetadataTTL, 2*time.Second)
	cfg.Brokers, cfg.Topics = slices.Clone(cfg.Brokers), slices.Clone(cfg.Topics)
	c := &Client{cfg: cfg, addr: kafkago.TCP(cfg.Brokers...)}
	c.ctx, c.close = context.WithCancel(context.Background())
	c.formatter = kmsg.NewRequestFormatter(kmsg.FormatterClientID(cfg.ClientID))
	c.fetching, c.rest = c.transport(), c.transport()
	c.shared = sharedFetches{client: c, by: map[int32]*leaderQueue{}}
	return c, nil
}

func orDefault(d, otherwise time.Duration) time.Duration {
	if d <= 0 {
		return otherwise
	}
	return d
}

func (c *Client) transport() *kafkago.Transport {
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

// Close ends what is under way with ErrClosed and closes the connections.
func (c *Client) Close() {
	c.close()
	c.fetching.CloseIdleConnections()
	c.rest.CloseIdleConnections()
}

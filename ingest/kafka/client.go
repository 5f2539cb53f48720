package kafka

import (
	"errors"
	"time"
)

// Client is a connection pool to one Kafka cluster. Any goroutine may call it.
type Client struct {
	*conns
	admin
	groups
	shared sharedFetches
}

// ErrClosed is the answer of a client after Close.
var ErrClosed = errors.New("kafka: client is closed")

// New gives a client; it connects when it is first asked.
func New(cfg Config) (*Client, error) {
	c, err := newConns(cfg)
	if err != nil {
		return nil, err
	}
	return &Client{
		conns: c, admin: admin{c}, groups: groups{conns: c},
		shared: sharedFetches{conns: c, began: time.Now(), by: map[int32]*leaderQueue{}},
	}, nil
}

package wire

import (
	"slices"
	"sync"
	"time"
)

// forbidden is the error for a client that would change a topic of the nodes.
func (c call) forbidden(topic string) error {
	if c.conn.node || !slices.Contains(c.cfg.Own, topic) {
		return nil
	}
	c.complain("a client that is no node of this installation would change a topic of the nodes", "topic", topic)
	return refused(codeTopicAuthorization, "only nodes of this installation change it")
}

// complaints are logged at a bounded rate; metrics count them all.
type complaints struct {
	mu    sync.Mutex
	last  time.Time // when one was logged
	quiet int       // that were not, since
}

const complainEvery = 10 * time.Second

// complain logs what a client was refused.
func (c call) complain(what string, args ...any) {
	p := &c.complaints
	p.mu.Lock()
	defer p.mu.Unlock()
	now := time.Now()
	if !p.last.IsZero() && now.Sub(p.last) < complainEvery {
		p.quiet++
		return
	}
	args = append(args, "remote", c.conn.net.RemoteAddr().String(), "not_logged", p.quiet)
	c.cfg.Logger.Warn("embedded kafka: refused: "+what, args...)
	p.last, p.quiet = now, 0
}

package wire

import (
	"slices"
	"strings"
	"sync"
	"time"
)

// forbidden is the error for a client that would change a topic of the nodes.
func (c call) forbidden(topic string) error { return c.only(topic, slices.Contains(c.cfg.Own, topic)) }

// readForbidden is the error for a client that would read what only nodes read.
func (c call) readForbidden(topic string) error {
	if c.conn.node || !slices.Contains(c.cfg.Private, topic) {
		return nil
	}
	c.complain("a client that is no node of this installation would read a topic of the nodes", "topic", topic)
	return refused(codeTopicAuthorization, "only nodes of this installation read it")
}

// cutForbidden is the error for a client that would delete or trim a topic of the nodes, or one that every
// client appends to and the nodes read: what is cut before it is routed is lost.
func (c call) cutForbidden(topic string) error {
	return c.only(topic, slices.Contains(c.cfg.Own, topic) || slices.Contains(c.cfg.Kept, topic))
}

// forbiddenGroup reports that a client would say where the nodes read on, or speak for one of them: what it
// leaves out would never be routed.
func (c call) forbiddenGroup(group string) bool {
	own := slices.ContainsFunc(c.cfg.OwnGroups, func(prefix string) bool { return strings.HasPrefix(group, prefix) })
	if c.conn.node || !own {
		return false
	}
	c.complain("a client that is no node of this installation would commit offsets of the nodes", "group", group)
	return true
}

// only is the error for a client that is no node, of a topic that is guarded.
func (c call) only(topic string, guarded bool) error {
	if c.conn.node || !guarded {
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

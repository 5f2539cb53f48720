package wire

import (
	"net"
	"time"
)

// admit serves a connection. A client's takes the place of another where there are too
// many, or is closed where none is idle; those of nodes are not counted.
func (b *Broker) admit(socket net.Conn, node bool) {
	c := newConn(b, socket)
	c.node, c.counted = node, !node
	c.touch()
	b.mu.Lock()
	full := c.counted && b.clients >= b.cfg.MaxConnections && !b.evictIdle()
	if full || b.closed {
		b.mu.Unlock()
		if full {
			b.counts.closed[closeFull].Add(1) // before the other side can know
		}
		socket.Close()
		return
	}
	b.conns[c] = struct{}{}
	if c.counted {
		b.clients++
	}
	b.counts.accepted.Add(1)
	b.counts.open.Add(1)
	b.wg.Add(1) // under mu, so never beside Close's Wait
	b.mu.Unlock()
	go func() {
		defer b.wg.Done()
		c.serve()
		socket.Close()
		b.mu.Lock()
		b.uncount(c)
		delete(b.conns, c)
		b.mu.Unlock()
		b.counts.open.Add(^uint64(0))
	}()
}

// evictIdle closes the client's connection that has been idle for the longest
// time, and reports that there was one. mu is held.
func (b *Broker) evictIdle() bool {
	var idle *conn
	for c := range b.conns {
		if c.counted && !c.busy.Load() && (idle == nil || c.since.Load() < idle.since.Load()) {
			idle = c
		}
	}
	if idle == nil {
		return false
	}
	b.uncount(idle)
	b.counts.closed[closeIdle].Add(1)
	idle.net.Close()
	return true
}

// uncount takes a connection from the clients'. mu is held.
func (b *Broker) uncount(c *conn) {
	if c.counted {
		c.counted = false
		b.clients--
	}
}

// trust makes a connection one of a node.
func (b *Broker) trust(c *conn) {
	b.mu.Lock()
	defer b.mu.Unlock()
	c.node = true
	b.uncount(c)
}

// touch notes that the client has just asked for something, or was answered.
func (c *conn) touch() { c.since.Store(time.Now().UnixNano()) }

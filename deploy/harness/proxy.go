package harness

import (
	"errors"
	"io"
	"net"
	"sync"
	"time"
)

// Proxy forwards TCP connections to an address and behaves as a bad network does: it breaks connections, holds
// what is sent, in both directions or in one, and delays it. Any goroutine may use it.
type Proxy struct {
	Addr string // where it listens

	listener net.Listener
	pipes    [2]gate // by Direction
	running  sync.WaitGroup

	mu     sync.Mutex // guards what follows
	target string     // empty: Forward was not called yet
	open   map[net.Conn]bool
	broken bool
	closed bool
}

// Direction is where bytes go.
type Direction int

// Directions of a connection.
const (
	ToServer Direction = iota
	ToClient
)

// NewProxy listens on a free port of the loopback.
func NewProxy() (*Proxy, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	return &Proxy{Addr: l.Addr().String(), listener: l, open: map[net.Conn]bool{}}, nil
}

// Forward forwards new connections to an address from now on. Those that are made before its first call wait for it.
func (p *Proxy) Forward(target string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	first := p.target == ""
	p.target = target
	if !first {
		return
	}
	p.running.Go(func() {
		for {
			c, err := p.listener.Accept()
			if err != nil {
				return
			}
			p.running.Go(func() { p.serve(c) })
		}
	})
}

// Break breaks every connection and each new one, as a firewall that rejects, until Heal.
func (p *Proxy) Break() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.broken = true
	for c := range p.open {
		reset(c)
	}
}

// Cut holds what goes into these directions, without any word to the ends, as a network that loses packets, until
// Heal. Without directions it is both.
func (p *Proxy) Cut(directions ...Direction) {
	if len(directions) == 0 {
		directions = []Direction{ToServer, ToClient}
	}
	for _, d := range directions {
		p.pipes[d].set(func(g *gate) { g.cut = true })
	}
}

// Delay has everything arrive so much later, each way, until Heal.
func (p *Proxy) Delay(by time.Duration) {
	for d := range p.pipes {
		p.pipes[d].set(func(g *gate) { g.delay = by })
	}
}

// Heal ends what Break, Cut and Delay began: what was held arrives, in its order.
func (p *Proxy) Heal() {
	p.mu.Lock()
	p.broken = false
	p.mu.Unlock()
	for d := range p.pipes {
		p.pipes[d].set(func(g *gate) { g.cut, g.delay = false, 0 })
	}
}

// Close ends the proxy and its connections.
func (p *Proxy) Close() {
	p.listener.Close()
	p.mu.Lock()
	p.closed = true
	for c := range p.open {
		reset(c)
	}
	p.mu.Unlock()
	for d := range p.pipes {
		p.pipes[d].set(func(g *gate) { g.closed = true })
	}
	p.running.Wait()
}

// serve forwards a connection until both directions have ended.
func (p *Proxy) serve(client net.Conn) {
	defer p.forget(client)
	if !p.keep(client) {
		return
	}
	p.mu.Lock()
	target := p.target
	p.mu.Unlock()
	server, err := net.Dial("tcp", target)
	if err != nil {
		reset(client)
		return
	}
	defer p.forget(server)
	if !p.keep(server) {
		return
	}
	var both sync.WaitGroup
	both.Go(func() { p.pipes[ToServer].pass(server, client) })
	both.Go(func() { p.pipes[ToClient].pass(client, server) })
	both.Wait()
}

// keep notes a connection, to be broken later; one that is to be broken now it breaks.
func (p *Proxy) keep(c net.Conn) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.broken || p.closed {
		reset(c)
		return false
	}
	p.open[c] = true
	return true
}

func (p *Proxy) forget(c net.Conn) {
	p.mu.Lock()
	defer p.mu.Unlock()
	delete(p.open, c)
	c.Close()
}

// reset closes a connection so that its other end gets an error and not an end.
func reset(c net.Conn) {
	if tcp, ok := c.(*net.TCPConn); ok {
		_ = tcp.SetLinger(0)
	}
	c.Close()
}

// gate is one direction of all connections.
type gate struct {
	mu      sync.Mutex // guards what follows
	cut     bool
	delay   time.Duration
	closed  bool
	changed chan struct{} // closed at the next change; nil: nothing waits for it
}

func (g *gate) set(change func(*gate)) {
	g.mu.Lock()
	defer g.mu.Unlock()
	change(g)
	if g.changed != nil {
		close(g.changed)
		g.changed = nil
	}
}

// await waits until what arrived at a time may go on; false: the proxy closes.
func (g *gate) await(arrived time.Time) bool {
	for {
		g.mu.Lock()
		wait := time.Until(arrived.Add(g.delay))
		held, closed := g.cut, g.closed
		if g.changed == nil {
			g.changed = make(chan struct{})
		}
		changed := g.changed
		g.mu.Unlock()
		switch {
		case closed:
			return false
		case held:
			<-changed
		case wait <= 0:
			return true
		default:
			select {
			case <-time.After(wait):
			case <-changed:
			}
		}
	}
}

// parcel is what arrived at once.
type parcel struct {
	bytes []byte
	at    time.Time
	err   error // the connection's end, after bytes
}

// maxParcels bounds what one connection has on its way in one direction.
const maxParcels = 64

// pass passes what from sends on to to: bytes, the end, and errors as a reset.
func (g *gate) pass(to, from net.Conn) {
	parcels := make(chan parcel, maxParcels)
	stop := make(chan struct{})
	var reading sync.WaitGroup
	reading.Go(func() {
		defer close(parcels)
		for {
			b := make([]byte, 32<<10)
			n, err := from.Read(b)
			select {
			case parcels <- parcel{b[:n], time.Now(), err}:
			case <-stop:
				return
			}
			if err != nil {
				return
			}
		}
	})
	for p := range parcels {
		if !g.await(p.at) {
			break
		}
		_, err := to.Write(p.bytes)
		if err == nil && errors.Is(p.err, io.EOF) {
			if tcp, ok := to.(*net.TCPConn); ok {
				err = tcp.CloseWrite()
			}
		} else if err == nil {
			err = p.err
		}
		if err != nil {
			reset(from)
			reset(to)
			break
		}
	}
	close(stop)
	reading.Wait()
}

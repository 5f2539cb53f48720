package main

import (
	"context"
	"encoding/binary"
	"errors"
	"io"
	"math/rand/v2"
	"net"
	"sync"
	"syscall"
	"time"
)

// gate is where connections to the broker come in.
type gate struct {
	in     chan net.Conn
	closed chan struct{}
	once   sync.Once
}

func newGate() *gate { return &gate{in: make(chan net.Conn), closed: make(chan struct{})} }

func (d *gate) Accept() (net.Conn, error) {
	select {
	case c := <-d.in:
		return c, nil
	case <-d.closed:
		return nil, net.ErrClosed
	}
}

func (d *gate) Close() error {
	d.once.Do(func() { close(d.closed) })
	return nil
}

func (d *gate) Addr() net.Addr { return &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1), Port: 9092} }

// brokerAddress is the advertised address; there is no such port.
const brokerAddress = "127.0.0.1:9092"

// wires are all connections between the machines. A message may be lost, duplicated,
// delayed or answered by a broker that is not the leader.
type wires struct {
	broker func() *brokerLife // nil: there is none

	mu    sync.Mutex // guards what follows
	rng   *rand.Rand
	rate  int               // faults in a thousand requests
	bent  map[fetched]bool  // was damaged on its way
	count map[string]uint64 // faults so far, by kind
	still chan struct{}     // while it is there nothing arrives; closed when it does again
}

// freeze delivers no more messages, as with a broker whose process is paused: its
// connections stay. Messages in flight arrive after the thaw.
func (w *wires) freeze() (thaw func()) {
	w.mu.Lock()
	defer w.mu.Unlock()
	still := make(chan struct{})
	w.still = still
	return func() {
		w.mu.Lock()
		defer w.mu.Unlock()
		w.still = nil
		close(still)
	}
}

// frozen is closed at the thaw; nil: it is warm.
func (w *wires) frozen() chan struct{} {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.still
}

// dialer connects a program of the machine with the broker.
func (w *wires) dialer(from *power) func(ctx context.Context, network, address string) (net.Conn, error) {
	return func(ctx context.Context, _, _ string) (net.Conn, error) {
		b := w.broker()
		if b == nil || from.isOff() || b.power.isOff() {
			return nil, &net.OpError{Op: "dial", Err: syscall.ECONNREFUSED}
		}
		near, client := net.Pipe()
		far, server := net.Pipe()
		select {
		case b.gate.in <- server:
		case <-b.gate.closed:
			return nil, &net.OpError{Op: "dial", Err: syscall.ECONNREFUSED}
		case <-ctx.Done():
			return nil, ctx.Err()
		}
		r := &relay{wires: w, from: from, to: b.power, client: client, server: far, done: make(chan struct{})}
		go r.watch()
		go r.run()
		return near, nil
	}
}

// relay carries one connection, request by request.
type relay struct {
	wires    *wires
	from, to *power
	client   net.Conn
	server   net.Conn
	done     chan struct{}
}

// watch breaks the connection when a machine at its end loses power. What had left
// the client by then may still arrive.
func (r *relay) watch() {
	select {
	case <-r.from.off:
		r.client.Close()
		<-r.done
	case <-r.to.off:
	case <-r.done:
	}
	r.client.Close()
	r.server.Close()
}

func (r *relay) run() {
	defer close(r.done)
	for {
		request, err := readFrame(r.client)
		if err != nil {
			return
		}
		r.from.op()
		if r.from.isOff() { // at this very request: it never left
			return
		}
		answer, err := r.carry(request)
		if err != nil {
			return
		}
		r.from.reached()
		// An answer that arrives before a cut holds after it.
		if r.from.isOff() || r.to.isOff() {
			return
		}
		if _, err := r.client.Write(answer); err != nil {
			return
		}
	}
}

var errBroken = errors.New("the connection broke")

// carry brings a request to the broker and gives its answer, as far as the wires let
// it.
func (r *relay) carry(request []byte) ([]byte, error) {
	if still := r.wires.frozen(); still != nil {
		<-still
	}
	r.from.reached()
	f := r.wires.fault(request)
	time.Sleep(f.late)
	switch {
	case f.unheard:
		return nil, errBroken
	case f.instead != nil:
		return f.instead, nil
	}
	answer, err := r.ask(request)
	if err == nil && f.twice {
		answer, err = r.ask(request)
	}
	if err == nil && f.unsaid {
		err = errBroken
	}
	if err != nil {
		return nil, err
	}
	return f.bend(answer), nil
}

func (r *relay) ask(request []byte) ([]byte, error) {
	if r.to.op(); r.to.isOff() {
		return nil, errBroken
	}
	if _, err := r.server.Write(request); err != nil {
		return nil, err
	}
	return readFrame(r.server)
}

// readFrame is one request or answer with its length.
func readFrame(c net.Conn) ([]byte, error) {
	var head [4]byte
	if _, err := io.ReadFull(c, head[:]); err != nil {
		return nil, err
	}
	b := make([]byte, 4+binary.BigEndian.Uint32(head[:]))
	copy(b, head[:])
	_, err := io.ReadFull(c, b[4:])
	return b, err
}

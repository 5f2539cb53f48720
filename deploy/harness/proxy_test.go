package harness

import (
	"bytes"
	"io"
	"net"
	"testing"
	"testing/synctest"
	"time"
)

// echo is a server that sends back what it gets, and notes it.
type echo struct {
	net.Listener
	got chan string // of each read
}

func newEcho(t *testing.T) *echo {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	e := &echo{l, make(chan string, 10_000)}
	t.Cleanup(func() { l.Close() })
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			go e.serve(c)
		}
	}()
	return e
}

func (e *echo) serve(c net.Conn) {
	defer c.Close()
	b := make([]byte, 32<<10)
	for {
		n, err := c.Read(b)
		if n > 0 {
			e.got <- string(b[:n])
			_, _ = c.Write(b[:n])
		}
		if err != nil {
			return
		}
	}
}

// proxied is a proxy before an echo, and a connection through it.
func proxied(t *testing.T) (*Proxy, *echo, net.Conn) {
	t.Helper()
	e := newEcho(t)
	p, err := NewProxy()
	if err != nil {
		t.Fatal(err)
	}
	p.Forward(e.Addr().String())
	t.Cleanup(p.Close)
	return p, e, dial(t, p)
}

func dial(t *testing.T, p *Proxy) net.Conn {
	t.Helper()
	c, err := net.Dial("tcp", p.Addr)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close() })
	return c
}

func send(t *testing.T, c net.Conn, text string) {
	t.Helper()
	if _, err := io.WriteString(c, text); err != nil {
		t.Fatal(err)
	}
}

// receives holds that the next bytes of a connection are these.
func receives(t *testing.T, c net.Conn, text string) {
	t.Helper()
	_ = c.SetReadDeadline(time.Now().Add(time.Minute))
	b := make([]byte, len(text))
	if _, err := io.ReadFull(c, b); err != nil || string(b) != text {
		t.Fatalf("%q, %v, not %q", b, err, text)
	}
}

// silent holds that nothing has come: what the other end sent is known to be held.
func silent(t *testing.T, c net.Conn) {
	t.Helper()
	_ = c.SetReadDeadline(time.Now().Add(50 * time.Millisecond))
	if n, err := c.Read(make([]byte, 1)); n != 0 || !isTimeout(err) {
		t.Fatalf("%d bytes came, %v", n, err)
	}
}

func isTimeout(err error) bool {
	e, ok := err.(net.Error)
	return ok && e.Timeout()
}

// Bytes and ends pass in both directions, each apart.
func TestProxy_Forwards(t *testing.T) {
	_, _, c := proxied(t)
	want := bytes.Repeat([]byte("0123456789abcdef"), 1<<16)
	go func() {
		_, _ = c.Write(want)
		_ = c.(*net.TCPConn).CloseWrite()
	}()
	if got, err := io.ReadAll(c); err != nil || !bytes.Equal(got, want) {
		t.Errorf("%d bytes of %d come back, %v", len(got), len(want), err)
	}
}

// A cut holds what is sent into its direction; the other one is open, and the connection lives on.
func TestProxy_CutsOneWay(t *testing.T) {
	p, e, c := proxied(t)
	send(t, c, "a")
	receives(t, c, "a")
	<-e.got

	p.Cut(ToClient)
	send(t, c, "b")
	if got := <-e.got; got != "b" {
		t.Errorf("the server gets %q", got)
	}
	silent(t, c)
	p.Heal()
	receives(t, c, "b")

	p.Cut(ToServer)
	send(t, c, "c")
	silent(t, c)
	d := dial(t, p) // a new connection is held, too
	send(t, d, "d")
	silent(t, d)
	if len(e.got) != 0 {
		t.Errorf("the server gets %q", <-e.got)
	}
	p.Heal()
	receives(t, c, "c")
	receives(t, d, "d")

	p.Cut()
	send(t, c, "e")
	silent(t, c)
	p.Heal()
	send(t, c, "f")
	receives(t, c, "ef")
}

// ends requires that a connection ends.
func ends(t *testing.T, c net.Conn) {
	t.Helper()
	_ = c.SetReadDeadline(time.Now().Add(time.Minute))
	if _, err := c.Read(make([]byte, 1)); err == nil || isTimeout(err) {
		t.Errorf("%v", err)
	}
}

// endsAtOnce requires that a new connection ends, perhaps before the client has it.
func endsAtOnce(t *testing.T, p *Proxy) {
	t.Helper()
	c, err := net.Dial("tcp", p.Addr)
	if err != nil {
		return
	}
	defer c.Close()
	ends(t, c)
}

// A break ends connections with an error, and new ones at once, until it heals.
func TestProxy_Breaks(t *testing.T) {
	p, _, c := proxied(t)
	send(t, c, "a")
	receives(t, c, "a")
	p.Break()
	ends(t, c)
	endsAtOnce(t, p)
	p.Heal()
	c = dial(t, p)
	send(t, c, "b")
	receives(t, c, "b")
}

// A server that is away breaks the client's connection.
func TestProxy_ServerIsAway(t *testing.T) {
	p, e, _ := proxied(t)
	e.Close()
	endsAtOnce(t, p)
	p.Forward(newEcho(t).Addr().String()) // another life of it
	c := dial(t, p)
	send(t, c, "a")
	receives(t, c, "a")
}

// What is delayed goes on when its time has come, and at once when the delay ends.
func TestProxy_Delays(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var g gate
		g.set(func(g *gate) { g.delay = time.Second })
		began := time.Now()
		if !g.await(began) || time.Since(began) != time.Second {
			t.Errorf("%v", time.Since(began))
		}
		if !g.await(began) || time.Since(began) != time.Second { // it waited already
			t.Errorf("%v", time.Since(began))
		}
		began = time.Now()
		go func() {
			time.Sleep(time.Second / 4)
			g.set(func(g *gate) { g.delay = 0 })
		}()
		if !g.await(began) || time.Since(began) != time.Second/4 {
			t.Errorf("%v", time.Since(began))
		}
		g.set(func(g *gate) { g.cut = true })
		go func() {
			time.Sleep(time.Hour)
			g.set(func(g *gate) { g.closed = true })
		}()
		if g.await(began) {
			t.Error("what is held goes on where the proxy closes")
		}
		synctest.Wait()
	})
}

// Delays keep the order.
func TestProxy_DelaysInOrder(t *testing.T) {
	p, _, c := proxied(t)
	p.Delay(5 * time.Millisecond)
	var want bytes.Buffer
	for i := range 100 {
		text := string(rune('a' + i%26))
		send(t, c, text)
		want.WriteString(text)
	}
	receives(t, c, want.String())
}

// A proxy that closes ends what it holds.
func TestProxy_Closes(t *testing.T) {
	p, _, c := proxied(t)
	p.Cut()
	send(t, c, "a")
	p.Close()
	_ = c.SetReadDeadline(time.Now().Add(time.Minute))
	if _, err := c.Read(make([]byte, 1)); err == nil || isTimeout(err) {
		t.Errorf("%v", err)
	}
}

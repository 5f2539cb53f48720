package wire

import "testing"

// A connection keeps no more of its buffers than the broker allows, however large a request
// or an answer was.
func TestConn_KeepsBuffersWithinTheBrokersBound(t *testing.T) {
	for _, c := range []struct{ in, out, page, want int }{{30, 30, 30, 90}, {30, 30, 50, 60}, {90, 20, 10, 10}, {500, 0, 500, 0}} {
		conn := &conn{
			b: &Broker{cfg: Config{KeepBytes: 100}}, in: make([]byte, c.in), out: make([]byte, c.out), pages: [][]byte{make([]byte, c.page)},
		}
		conn.trim()
		if kept := cap(conn.in) + cap(conn.out) + cap(conn.pages[0]); kept != c.want {
			t.Errorf("%+v: %d bytes are kept", c, kept)
		}
	}
}

package wire_test

import (
	"errors"
	"io"
	"net"
	"os"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kmsg"
)

// Whatever comes on a connection: the broker answers or hangs up, and still serves
// others.
func FuzzConnection(f *testing.F) {
	format := kmsg.NewRequestFormatter(kmsg.FormatterClientID("c"))
	for key := range int16(kmsg.MaxKey + 1) {
		req := kmsg.RequestForKey(key)
		if req == nil {
			continue
		}
		for version := range req.MaxVersion() + 1 {
			req.SetVersion(version)
			f.Add(format.AppendRequest(nil, req, 1))
		}
	}
	f.Add([]byte{0x7f, 0xff, 0xff, 0xff, 0, 0, 0, 3, 0, 0, 0, 0})
	f.Add([]byte("GET / HTTP/1.1\r\n\r\n"))
	r := newHarness(f)
	r.create("t", 2)
	tries := 0
	f.Fuzz(func(t *testing.T, b []byte) {
		r.t = t
		tries++
		c, err := net.Dial("tcp", r.addr)
		if err != nil {
			t.Fatal(err)
		}
		defer c.Close()
		_ = c.SetDeadline(time.Now().Add(100 * time.Millisecond)) // a fetch may wait for long
		_, _ = c.Write(b)
		_ = c.(*net.TCPConn).CloseWrite()
		_, err = io.Copy(io.Discard, c)
		if tries%50 != 0 && !errors.Is(err, os.ErrDeadlineExceeded) {
			return
		}
		w := r.dial()
		defer w.c.Close()
		ask := kmsg.NewPtrApiVersionsRequest()
		if rs := w.receive(ask, w.send(ask, 3)).(*kmsg.ApiVersionsResponse); rs.ErrorCode != 0 || len(rs.ApiKeys) == 0 {
			t.Fatalf("others get %d", rs.ErrorCode)
		}
	})
}

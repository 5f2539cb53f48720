package transport

import (
	"bytes"
	"io"
	"testing"

	"golang.org/x/net/http2"
	"golang.org/x/net/http2/hpack"
)

// While a server drains, a connection of HTTP/2 gets its answer and GOAWAY; one that asks nothing
// gets GOAWAY when the listener closes.
func TestDrain_GoAway(t *testing.T) {
	for _, asks := range []bool{true, false} {
		x := serve(t, echo, nil, Limits{})
		c := x.dial()
		f := http2.NewFramer(c, c)
		f.ReadMetaHeaders = hpack.NewDecoder(4096, nil)
		if _, err := io.WriteString(c, http2.ClientPreface); err != nil {
			t.Fatal(err)
		}
		if err := f.WriteSettings(); err != nil {
			t.Fatal(err)
		}
		if asks {
			x.closing.Store(true)
			var block bytes.Buffer
			h := hpack.NewEncoder(&block)
			for _, p := range [][2]string{{":method", "GET"}, {":scheme", "http"}, {":authority", "x"}, {":path", "/"}} {
				if err := h.WriteField(hpack.HeaderField{Name: p[0], Value: p[1]}); err != nil {
					t.Fatal(err)
				}
			}
			p := http2.HeadersFrameParam{StreamID: 1, BlockFragment: block.Bytes(), EndStream: true, EndHeaders: true}
			if err := f.WriteHeaders(p); err != nil {
				t.Fatal(err)
			}
		}
		answered, announced := false, uint32(0)
		for said := false; !said || answered != asks; {
			frame, err := f.ReadFrame()
			if err != nil {
				t.Fatalf("asks %v, answered %v: %v", asks, answered, err)
			}
			switch frame := frame.(type) {
			case *http2.SettingsFrame:
				if n, ok := frame.Value(http2.SettingMaxHeaderListSize); ok {
					announced = n
				}
				if !frame.IsAck() && !asks { // the connection is served
					go func() { _ = x.Drain(within(t), 0) }()
				}
			case *http2.MetaHeadersFrame:
				answered = frame.PseudoValue("status") == "200"
			case *http2.GoAwayFrame:
				said = frame.ErrCode == http2.ErrCodeNo
			}
		}
		if announced < MaxHeaderBytes {
			t.Errorf("a header of %d bytes is announced", announced)
		}
		_ = c.Close()
	}
}

package serve

import (
	"net/http/httptest"
	"net/netip"
	"testing"
)

// The header is believed of connections from the networks alone, and in it what proxies wrote: from the end to the
// first address that is no proxy's.
func TestProxies_Client(t *testing.T) {
	p := Proxies{Header: "X-Forwarded-For", Networks: []netip.Prefix{
		netip.MustParsePrefix("10.0.0.0/8"), netip.MustParsePrefix("2001:db8:1::/48"), netip.MustParsePrefix("127.0.0.1/32"),
	}}
	for _, c := range []struct {
		remote string
		header []string
		want   string
	}{
		{"10.0.0.1:9", []string{"203.0.113.7"}, "203.0.113.7"},
		{"[2001:db8:1::1]:9", []string{"203.0.113.7"}, "203.0.113.7"},
		{"[::ffff:10.0.0.1]:9", []string{"203.0.113.7"}, "203.0.113.7"},
		{"11.0.0.1:9", []string{"203.0.113.7"}, "11.0.0.1"},
		{"[2001:db8:2::1]:9", []string{"203.0.113.7"}, "2001:db8:2::1"},
		{"10.0.0.1:9", nil, "10.0.0.1"},
		{"10.0.0.1:9", []string{""}, "10.0.0.1"},
		{"10.0.0.1:9", []string{"198.51.100.1, 203.0.113.7"}, "203.0.113.7"}, // the client wrote the first one
		{"10.0.0.1:9", []string{"198.51.100.1", "203.0.113.7"}, "203.0.113.7"},
		{"10.0.0.1:9", []string{"198.51.100.1,203.0.113.7 ,10.9.9.9", "127.0.0.1"}, "203.0.113.7"},
		{"10.0.0.1:9", []string{"10.1.1.1, 10.2.2.2"}, "10.1.1.1"},
		{"10.0.0.1:9", []string{"203.0.113.7, unknown"}, "10.0.0.1"},
		{"10.0.0.1:9", []string{"203.0.113.7, unknown, 10.2.2.2"}, "10.2.2.2"},
		{"10.0.0.1:9", []string{"203.0.113.7,"}, "10.0.0.1"},
		{"10.0.0.1:9", []string{"203.0.113.7:4711"}, "203.0.113.7"},
		{"10.0.0.1:9", []string{"[2001:db8:7::7]:4711"}, "2001:db8:7::7"},
		{"10.0.0.1:9", []string{"[2001:db8:7::7]"}, "2001:db8:7::7"},
		{"10.0.0.1:9", []string{"fe80::1%eth0"}, "fe80::1"},
		{"10.0.0.1:9", []string{"::ffff:203.0.113.7"}, "203.0.113.7"},
		{"@", []string{"203.0.113.7"}, "invalid IP"},
	} {
		r := httptest.NewRequest("GET", "/", nil)
		r.RemoteAddr, r.Header["X-Forwarded-For"] = c.remote, c.header
		r.Header.Set("X-Real-Ip", "192.0.2.1")
		if got := p.client(r).String(); got != c.want {
			t.Errorf("from %s with %q: %s, want %s", c.remote, c.header, got, c.want)
		}
		for _, off := range []Proxies{{}, {Header: p.Header}, {Networks: p.Networks}} {
			if got, want := off.client(r), addressOf(c.remote); got != want {
				t.Errorf("off, from %s: %s", c.remote, got)
			}
		}
	}
}

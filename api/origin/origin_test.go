package origin_test

import (
	"crypto/tls"
	"net/http"
	"testing"

	"github.com/ovation-analytics/ovation/api/origin"
)

// request is one as the server gets it: to a host, from an address.
func request(host, remote string, headers ...string) *http.Request {
	r := &http.Request{Method: http.MethodGet, Host: host, RemoteAddr: remote, Header: http.Header{}}
	for i := 0; i+1 < len(headers); i += 2 {
		r.Header.Add(headers[i], headers[i+1])
	}
	return r
}

// A host is without its port, brackets and a final dot, in lower case.
func TestHost(t *testing.T) {
	t.Parallel()
	for host, want := range map[string]string{
		"api.example": "api.example", "API.Example:8080": "api.example", "api.example.": "api.example", "api.example.:80": "api.example",
		"127.0.0.1:1": "127.0.0.1", "[::1]:8080": "::1", "[::1]": "::1", "::1": "::1", "": "", ":80": "",
	} {
		if got := origin.Host(request(host, "")); got != want {
			t.Errorf("%q is %q, want %q", host, got, want)
		}
	}
}

// A request is of this machine by its connection and by the name that it asks, and with no header of a proxy.
func TestFromLoopback(t *testing.T) {
	t.Parallel()
	const here = "127.0.0.1:40000"
	for _, c := range []struct {
		host, remote string
		headers      []string
		want         bool
	}{
		{"127.0.0.1:8081", here, nil, true},
		{"127.8.9.10", here, nil, true},
		{"localhost", here, nil, true},
		{"LocalHost.:8081", "[::1]:4", nil, true},
		{"[::1]:8081", "[::1]:4", nil, true},
		{"127.0.0.1", "[::ffff:127.0.0.1]:4", nil, true},
		{"127.0.0.1", here, []string{"Origin", "http://127.0.0.1"}, true},
		{"127.0.0.1", "203.0.113.9:4", nil, false},
		{"127.0.0.1", "[::ffff:203.0.113.9]:4", nil, false},
		{"127.0.0.1", "", nil, false},
		{"127.0.0.1", "@", nil, false},
		{"evil.example", here, nil, false},
		{"localhost.evil.example", here, nil, false},
		{"127.0.0.1.evil.example", here, nil, false},
		{"0.0.0.0", here, nil, false},
		{"203.0.113.9", here, nil, false},
		{"", here, nil, false},
		{"127.0.0.1", here, []string{"Forwarded", "for=203.0.113.9"}, false},
		{"127.0.0.1", here, []string{"X-Forwarded-For", "203.0.113.9"}, false},
		{"127.0.0.1", here, []string{"X-Forwarded-For", ""}, false},
		{"127.0.0.1", here, []string{"X-Forwarded-Proto", "https"}, false},
		{"127.0.0.1", here, []string{"X-Forwarded-Host", "api.example"}, false},
		{"127.0.0.1", here, []string{"X-Real-Ip", "203.0.113.9"}, false},
		{"127.0.0.1", here, []string{"X-Client-Ip", "203.0.113.9"}, false},
		{"127.0.0.1", here, []string{"Cf-Connecting-Ip", "203.0.113.9"}, false},
		{"127.0.0.1", here, []string{"Via", "1.1 proxy"}, false},
	} {
		if got := origin.FromLoopback(request(c.host, c.remote, c.headers...)); got != c.want {
			t.Errorf("%q from %q with %q: %t", c.host, c.remote, c.headers, got)
		}
	}
}

// One of the two headers says that a browser asks, whatever it has.
func TestFromBrowser(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		headers []string
		want    bool
	}{
		{nil, false},
		{[]string{"User-Agent", "curl/8", "Referer", "http://x"}, false},
		{[]string{"Sec-Fetch-Site", "none"}, true},
		{[]string{"Sec-Fetch-Site", ""}, true},
		{[]string{"Origin", "null"}, true},
		{[]string{"Origin", ""}, true},
	} {
		if got := origin.FromBrowser(request("localhost", "", c.headers...)); got != c.want {
			t.Errorf("%q: %t", c.headers, got)
		}
	}
}

// A page of another scheme, host or port is of another origin, and so is what says nothing of its own. Of several headers
// each one is read.
func TestOfAnother(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		host    string
		secure  bool
		headers []string
		want    bool
	}{
		{"api.example", true, nil, false},
		{"api.example", true, []string{"Sec-Fetch-Site", "same-origin"}, false},
		{"api.example", true, []string{"Sec-Fetch-Site", "none"}, false},
		{"api.example", true, []string{"Sec-Fetch-Site", "same-site"}, true},
		{"api.example", true, []string{"Sec-Fetch-Site", "cross-site"}, true},
		{"api.example", true, []string{"Sec-Fetch-Site", ""}, true},
		{"api.example", true, []string{"Sec-Fetch-Site", "same-origin", "Sec-Fetch-Site", "cross-site"}, true},
		{"api.example", true, []string{"Origin", "https://api.example"}, false},
		{"API.example", true, []string{"Origin", "https://api.example"}, false},
		{"api.example", true, []string{"Origin", "http://api.example"}, true},
		{"api.example", false, []string{"Origin", "http://api.example"}, false},
		{"api.example", false, []string{"Origin", "https://api.example"}, false}, // through a proxy
		{"api.example", true, []string{"Origin", "https://api.example:8443"}, true},
		{"api.example:8443", true, []string{"Origin", "https://api.example"}, true},
		{"127.0.0.1:8080", false, []string{"Origin", "http://127.0.0.1:3000"}, true},
		{"127.0.0.1:8080", false, []string{"Origin", "http://localhost:8080"}, true},
		{"[::1]:8080", false, []string{"Origin", "http://[::1]:8080"}, false},
		{"api.example", true, []string{"Origin", "https://evil.example"}, true},
		{"api.example", true, []string{"Origin", "https://api.example.evil.example"}, true},
		{"api.example", true, []string{"Origin", "https://api.example", "Origin", "https://evil.example"}, true},
		{"api.example", true, []string{"Origin", "https://evil.example", "Sec-Fetch-Site", "same-origin"}, true},
		{"api.example", true, []string{"Origin", "null"}, true},
		{"", false, []string{"Origin", "null"}, true},
		{"", false, []string{"Origin", ""}, true},
		{"api.example", true, []string{"Origin", "api.example"}, true},
		{"api.example", true, []string{"Origin", "https://[api.example"}, true},
	} {
		r := request(c.host, "", c.headers...)
		if c.secure {
			r.TLS = new(tls.ConnectionState)
		}
		if got := origin.OfAnother(r); got != c.want {
			t.Errorf("to %q with %q: %t", c.host, c.headers, got)
		}
	}
}

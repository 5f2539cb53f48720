package egress

import (
	"net/netip"
	"testing"
)

// TestGuard_Addresses: what is not public unicast is never dialled, in whatever form it is written.
func TestGuard_Addresses(t *testing.T) {
	for _, c := range []struct {
		what, address string
		passes        bool
	}{
		{"public", "8.8.8.8", true},
		{"public of IPv6", "2606:4700::1111", true},
		{"loopback", "127.0.0.1", false},
		{"all of loopback", "127.255.255.254", false},
		{"loopback of IPv6", "::1", false},
		{"this network", "0.0.0.0", false},
		{"unspecified", "::", false},
		{"private 10", "10.1.2.3", false},
		{"private 172.16", "172.31.255.255", false},
		{"beside private 172.16", "172.32.0.1", true},
		{"private 192.168", "192.168.0.1", false},
		{"link-local: metadata of clouds", "169.254.169.254", false},
		{"link-local of IPv6", "fe80::1", false},
		{"CGNAT", "100.64.0.1", false},
		{"ULA", "fd00::1", false},
		{"metadata of a cloud in ULA", "fd00:ec2::254", false},
		{"4-in-6 of loopback", "::ffff:127.0.0.1", false},
		{"4-in-6 of a public address", "::ffff:8.8.8.8", false},
		{"4-compatible", "::127.0.0.1", false},
		{"NAT64 of loopback", "64:ff9b::7f00:1", false},
		{"NAT64 of a local network", "64:ff9b:1::a00:1", false},
		{"6to4 of loopback", "2002:7f00:1::1", false},
		{"Teredo", "2001:0:7f00:1::1", false},
		{"multicast", "224.0.0.1", false},
		{"multicast of IPv6", "ff02::1", false},
		{"broadcast", "255.255.255.255", false},
		{"benchmarks", "198.18.0.1", false},
	} {
		t.Run(c.what, func(t *testing.T) {
			network := "tcp4"
			if netip.MustParseAddr(c.address).Is6() {
				network = "tcp6"
			}
			to := netip.AddrPortFrom(netip.MustParseAddr(c.address), 8443).String()
			if err := NewGuard(nil).Control(t.Context(), network, to, nil); (err == nil) != c.passes {
				t.Errorf("%s: passes is %v, want %v", to, err == nil, c.passes)
			}
		})
	}
}

// TestGuard_Allow: a network of the operator's passes, and no other one.
func TestGuard_Allow(t *testing.T) {
	allowed, err := ParseNetworks([]string{"10.1.0.0/16", " fd12::/16"})
	if err != nil {
		t.Fatal(err)
	}
	g := NewGuard(allowed)
	for _, c := range []struct {
		network, address string
		passes           bool
	}{
		{"tcp4", "10.1.2.3:443", true},
		{"tcp4", "10.2.2.3:443", false},
		{"tcp6", "[fd12::1]:443", true},
		{"tcp6", "[fd13::1]:443", false},
		{"tcp6", "[::ffff:10.1.2.3]:443", false},
		{"tcp4", "127.0.0.1:443", false},
		{"udp4", "10.1.2.3:443", false},
		{"tcp4", "nobody", false},
	} {
		if err := g.Control(t.Context(), c.network, c.address, nil); (err == nil) != c.passes {
			t.Errorf("%s %s: passes is %v, want %v", c.network, c.address, err == nil, c.passes)
		}
	}
	for _, bad := range []string{"10.0.0.1", "private", "::ffff:10.0.0.0/104", "10.0.0.0/33"} {
		if _, err := ParseNetworks([]string{bad}); err == nil {
			t.Errorf("%s is taken as a network", bad)
		}
	}
}

// TestParseURL: an address is https with a host and nothing that names a user.
func TestParseURL(t *testing.T) {
	for _, good := range []string{"https://a.example", "https://a.example:8443/x?y=1", "https://[2606:4700::1]/x", "HTTPS://a.example/"} {
		if _, err := ParseURL(good); err != nil {
			t.Errorf("%s: %v", good, err)
		}
	}
	for _, bad := range []string{
		"", "http://a.example", "a.example", "//a.example", "https://", "https:///x", "https://u@a.example", "https://u:p@a.example",
		"https://@a.example", "https://a.example#x", "https://a.example#", "https://a.example:0", "https://a.example:65536", "https://a.example:",
		"https://[fe80::1%25eth0]/", "ftp://a.example", "https://a.example/%zz", "https://a b.example",
	} {
		if _, err := ParseURL(bad); err == nil {
			t.Errorf("%q is taken as an address", bad)
		}
	}
}

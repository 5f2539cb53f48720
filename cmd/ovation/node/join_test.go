package node

import (
	"net"
	"testing"
)

// An address that stands for all of a machine is shown by the machine's name, where that is known.
func TestListens(t *testing.T) {
	for _, c := range []struct{ ip, machine, want string }{
		{"127.0.0.1", "a", "127.0.0.1:80"},
		{"0.0.0.0", "a", "a:80"},
		{"::", "a", "a:80"},
		{"::", "", "[::]:80"},
		{"2001:db8::7", "a", "[2001:db8::7]:80"},
	} {
		if got := listens(&net.TCPAddr{IP: net.ParseIP(c.ip), Port: 80}, c.machine); got != c.want {
			t.Errorf("%+v: %s", c, got)
		}
	}
}

package main

import (
	"crypto/x509"
	"os"
	"os/exec"
	"testing"
)

// On a system without authorities, such as the image's, the program brings its own: certificates of brokers and
// networks are checked there too.
func TestAuthorities_WhereTheSystemHasNone(t *testing.T) {
	const child = "TEST_AUTHORITIES"
	if os.Getenv(child) != "" {
		pool, err := x509.SystemCertPool()
		if err != nil || pool.Equal(x509.NewCertPool()) {
			t.Errorf("no authorities: %v", err)
		}
		return
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	none := t.TempDir()
	c := exec.Command(self, "-test.run=^"+t.Name()+"$")
	c.Env = append(os.Environ(), child+"=1", "SSL_CERT_DIR="+none, "SSL_CERT_FILE="+none+"/none")
	if out, err := c.CombinedOutput(); err != nil {
		t.Errorf("%v: %s", err, out)
	}
}

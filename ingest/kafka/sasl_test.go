package kafka

import (
	"strings"
	"testing"

	"github.com/twmb/franz-go/pkg/kfake"
)

func TestSASL_EveryMechanism(t *testing.T) {
	w := given(t, kfake.EnableSASL(), kfake.SeedTopics(1, "t"), kfake.Superuser("PLAIN", "user", "secret"),
		kfake.Superuser("SCRAM-SHA-256", "user256", "secret"), kfake.Superuser("SCRAM-SHA-512", "user512", "secret"))
	for name, user := range map[string]string{"plain": "user", "scram-sha-256": "user256", "SCRAM-SHA-512": "user512"} {
		for password, right := range map[string]bool{"secret": true, "hidden": false} {
			m, err := SASL(name, user, password)
			w.must(err)
			c := w.another(func(c *Config) { c.SASL = m })
			_, err = c.Topic(w.ctx, "t")
			c.Close()
			if (err == nil) != right || err != nil && strings.Contains(err.Error(), password) {
				t.Errorf("%s, password %s: %v", name, password, err)
			}
		}
	}
}

func TestSASL_RefusesInvalidUsersAndPasswords(t *testing.T) {
	for _, c := range [][3]string{
		{"gssapi", "u", "p"}, {"", "u", "p"}, {"plain", "", "p"}, {"plain", "u", ""}, {"scram-sha-256", "u", "tab\tin-it"}, {"scram-sha-512", "u\x00", "p"},
	} {
		if m, err := SASL(c[0], c[1], c[2]); err == nil || m != nil || strings.Contains(err.Error(), "tab") {
			t.Errorf("%q: %v, %v", c, m, err)
		}
	}
}

package signature

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	standardwebhooks "github.com/standard-webhooks/standard-webhooks/libraries/go"
)

// TestHeaders_Verified: the public library of Standard Webhooks verifies a message by each of its secrets, and
// refuses another body, id, time or secret.
func TestHeaders_Verified(t *testing.T) {
	body := []byte(`{"id":"msg_1","event":"activity"}`)
	now := time.Now()
	old, current, other := NewSecret(), NewSecret(), NewSecret()
	verify := func(s Secret, body []byte, h http.Header) error {
		w, err := standardwebhooks.NewWebhook(s.Reveal())
		if err != nil {
			t.Fatal(err)
		}
		return w.Verify(body, h)
	}
	h := Headers("msg_1", now, body, current, old)
	for _, s := range []Secret{current, old} {
		if err := verify(s, body, h); err != nil {
			t.Error(err)
		}
	}
	if verify(other, body, h) == nil {
		t.Error("a secret that did not sign verifies")
	}
	if verify(old, body, Headers("msg_1", now, body, current)) == nil {
		t.Error("the old secret verifies after its time")
	}
	if verify(current, append(body, ' '), h) == nil {
		t.Error("another body verifies")
	}
	if verify(current, body, Headers("msg_1", now.Add(-time.Hour), body, current)) == nil {
		t.Error("a message of an hour ago verifies")
	}
	h.Set(HeaderID, "msg_2")
	if verify(current, body, h) == nil {
		t.Error("another id verifies")
	}
}

// TestHeaders_Golden: the header is what the library signs, byte by byte.
func TestHeaders_Golden(t *testing.T) {
	var s Secret
	copy(s[:], "0123456789abcdef0123456789abcdef")
	h := Headers("msg_p5jXN8AQM9LWM0D4loKWxJek", time.Unix(1614265330, 0), []byte(`{"test": 2432232314}`), s)
	w, err := standardwebhooks.NewWebhookRaw(s[:])
	if err != nil {
		t.Fatal(err)
	}
	want, err := w.Sign("msg_p5jXN8AQM9LWM0D4loKWxJek", time.Unix(1614265330, 0), []byte(`{"test": 2432232314}`))
	if err != nil || h.Get(HeaderSignature) != want {
		t.Errorf("%s, want %s (%v)", h.Get(HeaderSignature), want, err)
	}
}

// TestSecret_Hidden: no verb of fmt shows a secret by chance.
func TestSecret_Hidden(t *testing.T) {
	s := NewSecret()
	shown := s.Reveal()[6:20]
	for _, verb := range []string{"%v", "%+v", "%s", "%#v", "%q", "%x", "%X", "%d"} {
		if got := fmt.Sprintf(verb, s); got != "whsec_…" || strings.Contains(got, shown) {
			t.Errorf("%s shows %s", verb, got)
		}
	}
	if NewSecret() == s {
		t.Error("two secrets are equal")
	}
}

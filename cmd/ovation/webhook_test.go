package main

import (
	"bytes"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	standardwebhooks "github.com/standard-webhooks/standard-webhooks/libraries/go"

	"github.com/ovation-analytics/ovation/api/webhooks/signature"
)

// A message is printed with what its signature is; one that is not signed by the secret is refused.
func TestWebhookListen_PrintsAndVerifies(t *testing.T) {
	secret := signature.NewSecret()
	verifier, err := standardwebhooks.NewWebhook(secret.Reveal())
	must(t, err)
	body := []byte(`{"id":"msg_1","event":"test"}`)
	signed := signature.Headers("msg_1", time.Now(), body, secret)
	for name, c := range map[string]struct {
		verifier *standardwebhooks.Webhook
		header   http.Header
		method   string
		status   int
		says     string
	}{
		"good":      {verifier, signed, http.MethodPost, 204, "good"},
		"bad":       {verifier, signature.Headers("msg_1", time.Now(), body, signature.NewSecret()), http.MethodPost, 401, "bad"},
		"none":      {verifier, http.Header{}, http.MethodPost, 401, "bad"},
		"unchecked": {nil, signed, http.MethodPost, 204, "unchecked"},
		"no post":   {verifier, signed, http.MethodGet, 405, ""},
	} {
		t.Run(name, func(t *testing.T) {
			for _, output := range []string{"text", "json"} {
				var out bytes.Buffer
				r := &receiver{of: &WebhookListen{form: form{Output: output}, Status: 204}, verifier: c.verifier, out: &out}
				req := httptest.NewRequest(c.method, "/", bytes.NewReader(body))
				req.Header = c.header
				w := httptest.NewRecorder()
				r.ServeHTTP(w, req)
				if w.Code != c.status {
					t.Errorf("answered %d, want %d", w.Code, c.status)
				}
				if c.says == "" {
					if out.Len() > 0 {
						t.Errorf("%s", &out)
					}
					continue
				}
				if !strings.Contains(out.String(), c.says) || !strings.Contains(out.String(), `"event":"test"`) || strings.Contains(out.String(), "whsec_") {
					t.Errorf("%s", &out)
				}
				if output == "json" {
					var m received
					must(t, json.Unmarshal(out.Bytes(), &m))
					if m.Status != c.status || string(m.Body) != string(body) {
						t.Errorf("%+v", m)
					}
				}
			}
		})
	}
}

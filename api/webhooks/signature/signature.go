package signature

import (
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"time"
)

// The headers of a message.
const (
	HeaderID        = "Webhook-Id"
	HeaderTimestamp = "Webhook-Timestamp"
	HeaderSignature = "Webhook-Signature"
)

// Secret signs the messages of a webhook.
type Secret [32]byte

// NewSecret makes a secret.
func NewSecret() (s Secret) {
	_, _ = rand.Read(s[:]) // it never fails
	return s
}

// Reveal is the secret as its receiver keeps it.
func (s Secret) Reveal() string { return "whsec_" + base64.StdEncoding.EncodeToString(s[:]) }

// Format shows nothing of the secret, whatever the verb.
func (Secret) Format(f fmt.State, _ rune) { _, _ = io.WriteString(f, "whsec_…") }

// Headers are those of a message that is sent at a moment, signed by each secret.
func Headers(id string, at time.Time, body []byte, secrets ...Secret) http.Header {
	stamp := strconv.FormatInt(at.Unix(), 10)
	var all []byte
	for i := range secrets {
		if i > 0 {
			all = append(all, ' ')
		}
		mac := hmac.New(sha256.New, secrets[i][:])
		mac.Write([]byte(id + "." + stamp + "."))
		mac.Write(body)
		all = append(all, "v1,"...)
		all = base64.StdEncoding.AppendEncode(all, mac.Sum(nil))
	}
	return http.Header{HeaderID: {id}, HeaderTimestamp: {stamp}, HeaderSignature: {string(all)}}
}

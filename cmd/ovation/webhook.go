package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"strings"
	"sync"
	"time"

	standardwebhooks "github.com/standard-webhooks/standard-webhooks/libraries/go"

	"github.com/ovation-analytics/ovation/api/webhooks/signature"
	"github.com/ovation-analytics/ovation/cmd/ovation/files"
)

// Webhook is for who receives webhooks.
type Webhook struct {
	Listen WebhookListen `cmd:"" help:"Print the messages of a webhook as they arrive, to try one: behind a tunnel or proxy that speaks https, or with --tls-cert. With --secret-file each signature is checked, and what is not signed is refused with 401." example:"ovation webhook listen; ovation webhook listen --listen :8443 --secret-file whsec.txt --tls-cert hooks.crt --tls-key hooks.key; ovation webhook listen --status 503 --output json"`
}

// WebhookListen receives messages.
type WebhookListen struct {
	form
	Listen     string `default:"127.0.0.1:8090" env:"-" placeholder:"HOST:PORT" help:"Address to listen at."`
	SecretFile string `env:"-" placeholder:"FILE" help:"File of the webhook's Secret, which begins with whsec_; mode 0600."`
	TLSCert    string `name:"tls-cert" env:"-" placeholder:"FILE" help:"Certificate of the receiver, PEM. Without it http is spoken."`
	TLSKey     string `name:"tls-key" env:"-" placeholder:"FILE" help:"Key of the certificate, PEM."`
	Status     int    `default:"204" env:"-" placeholder:"CODE" help:"Status of the answers, to see what becomes of a message that is not taken."`
}

// maxMessage is the most that is read of a message: a batch of 500 events with the largest contents.
const maxMessage = 64 << 20

// Run receives until ctx ends.
func (c *WebhookListen) Run(ctx context.Context, w io.Writer) error {
	if (c.TLSCert == "") != (c.TLSKey == "") {
		return errors.New("--tls-cert and --tls-key: one needs the other")
	}
	if c.Status < 200 || c.Status > 599 {
		return fmt.Errorf("--status: %d is no status of an answer", c.Status)
	}
	r := &receiver{of: c, out: w}
	if c.SecretFile != "" {
		text, err := files.ReadPrivate(c.SecretFile, 4<<10)
		if err != nil {
			return fmt.Errorf("--secret-file: %w", err)
		}
		secret := strings.TrimSpace(string(text))
		if !strings.HasPrefix(secret, "whsec_") {
			return fmt.Errorf("--secret-file: %s has no secret, which begins with whsec_", c.SecretFile)
		}
		if r.verifier, err = standardwebhooks.NewWebhook(secret); err != nil {
			return fmt.Errorf("--secret-file: %s has no secret of a webhook", c.SecretFile) // the cause may quote it
		}
	}
	listener, err := net.Listen("tcp", c.Listen)
	if err != nil {
		return fmt.Errorf("--listen: %w", err)
	}
	fmt.Fprintln(os.Stderr, "listening at", listener.Addr())
	return r.serve(ctx, listener)
}

// receiver prints messages.
type receiver struct {
	of       *WebhookListen
	verifier *standardwebhooks.Webhook // nil: signatures are not checked
	mu       sync.Mutex                // guards out
	out      io.Writer
}

// serve serves until ctx ends.
func (r *receiver) serve(ctx context.Context, l net.Listener) error {
	server := &http.Server{Handler: r, ReadHeaderTimeout: 10 * time.Second, ReadTimeout: time.Minute}
	stop := context.AfterFunc(ctx, func() { server.Close() })
	defer stop()
	var err error
	if r.of.TLSCert != "" {
		err = server.ServeTLS(l, r.of.TLSCert, r.of.TLSKey)
	} else {
		err = server.Serve(l)
	}
	if errors.Is(err, http.ErrServerClosed) {
		return nil
	}
	return err
}

// received is what webhook listen prints of a message as JSON.
type received struct {
	ID        string          `json:"id"`
	Signature string          `json:"signature"` // good, bad or unchecked
	Status    int             `json:"status"`
	Body      json.RawMessage `json:"body,omitempty"`
	Text      string          `json:"text,omitempty"` // a body that is no JSON
}

// ServeHTTP takes a message.
func (r *receiver) ServeHTTP(w http.ResponseWriter, req *http.Request) {
	if req.Method != http.MethodPost {
		http.Error(w, "send messages by POST", http.StatusMethodNotAllowed)
		return
	}
	body, err := io.ReadAll(http.MaxBytesReader(w, req.Body, maxMessage))
	if err != nil {
		http.Error(w, "the message cannot be read", http.StatusBadRequest)
		return
	}
	m := received{ID: req.Header.Get(signature.HeaderID), Signature: "unchecked", Status: r.of.Status}
	if r.verifier != nil {
		m.Signature = "good"
		if r.verifier.Verify(body, req.Header) != nil {
			m.Signature, m.Status = "bad", http.StatusUnauthorized
		}
	}
	if m.Body = body; !json.Valid(body) {
		m.Body, m.Text = nil, string(body)
	}
	r.print(&m)
	w.WriteHeader(m.Status)
}

// print prints a message.
func (r *receiver) print(m *received) {
	r.mu.Lock()
	defer r.mu.Unlock()
	_ = r.of.print(r.out, m, func(w io.Writer) { // who reads no more stops the command
		fmt.Fprintf(w, "%s, signature %s, answered %d\n", harmless([]byte(m.ID)), m.Signature, m.Status)
		if m.Body != nil {
			fmt.Fprintln(w, harmless(m.Body))
		} else {
			fmt.Fprintln(w, harmless([]byte(m.Text)))
		}
	})
}

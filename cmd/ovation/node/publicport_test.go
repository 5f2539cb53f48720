package node

import (
	"bufio"
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"encoding/pem"
	"fmt"
	"io"
	"log/slog"
	"math/big"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/ovation-analytics/ovation/cmd/ovation/config"
)

// issueCertificate writes a certificate of 127.0.0.1 and its key, and gives the pool that trusts it.
func issueCertificate(t *testing.T, dir string, serial int64) (cert, key string, roots *x509.CertPool) {
	t.Helper()
	private, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	must(t, err)
	template := &x509.Certificate{
		SerialNumber: big.NewInt(serial), NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour),
		IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)}, IsCA: true, BasicConstraintsValid: true,
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, private.Public(), private)
	must(t, err)
	raw, err := x509.MarshalPKCS8PrivateKey(private)
	must(t, err)
	cert = filepath.Join(dir, "cert.pem")
	key = filepath.Join(dir, "key.pem")
	chain := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der})
	must(t, os.WriteFile(cert, chain, 0o644))
	must(t, os.WriteFile(key, pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: raw}), 0o600))
	roots = x509.NewCertPool()
	roots.AppendCertsFromPEM(chain)
	return cert, key, roots
}

// A node with a certificate speaks HTTPS with HTTP/2, names https addresses, writes its access log,
// and shows both in its metrics. At a stop it is not ready any more, and answers what is under way.
func TestServe_PublicPort(t *testing.T) {
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	dir := t.TempDir()
	cert, key, roots := issueCertificate(t, dir, 7)
	access := filepath.Join(dir, "access.log")
	n, err := Open(ctx, config.Config{
		Data: filepath.Join(dir, "data"), HTTP: "127.0.0.1:0", EmbeddedKafka: "127.0.0.1:0", Shards: 1, Memory: 256 << 20,
		AdminPort: config.AdminPort{Admin: "127.0.0.1:0"}, PublicPort: config.PublicPort{TLSCert: cert, TLSKey: key, AccessLog: access},
	}, slog.New(slog.DiscardHandler))
	must(t, err)
	running, stop := context.WithCancel(ctx)
	defer stop()
	ended := make(chan error, 1)
	go func() { ended <- n.Run(running) }()

	trust := &tls.Config{RootCAs: roots}
	client := &http.Client{Transport: &http.Transport{TLSClientConfig: trust.Clone(), ForceAttemptHTTP2: true}, Timeout: time.Minute}
	defer client.CloseIdleConnections()
	public := "https://" + n.HTTPAddr()
	document := struct {
		Servers []struct{ URL string }
	}{}
	res, err := client.Get(public + "/openapi.json")
	must(t, err)
	if err := json.NewDecoder(res.Body).Decode(&document); err != nil || res.ProtoMajor != 2 || document.Servers[0].URL != public {
		t.Errorf("%v, HTTP/%d, %+v", err, res.ProtoMajor, document)
	}
	res.Body.Close()
	admin := func(path string) (int, string) {
		res, err := http.Get("http://" + n.AdminAddr() + path)
		must(t, err)
		defer res.Body.Close()
		text, err := io.ReadAll(res.Body)
		must(t, err)
		return res.StatusCode, string(text)
	}
	_, metrics := admin("/metrics")
	for _, name := range []string{"\novation_tls_certificate_expiry_timestamp_seconds ", "\novation_access_log_dropped_total 0\n"} {
		if !strings.Contains(metrics, name) {
			t.Errorf("no %q in the metrics", name)
		}
	}

	under, err := tls.Dial("tcp", n.HTTPAddr(), trust) // a body that is on its way
	must(t, err)
	defer under.Close()
	must(t, under.SetDeadline(time.Now().Add(time.Minute)))
	_, err = io.WriteString(under, "POST /v1.1/brand/create HTTP/1.1\r\nHost: x\r\nContent-Type: application/x-www-form-urlencoded\r\nExpect: 100-continue\r\nContent-Length: 8\r\n\r\n")
	must(t, err)
	answers := bufio.NewReader(under)
	line, err := answers.ReadString('\n') // the handler reads the body
	if err != nil || !strings.Contains(line, "100 Continue") {
		t.Fatalf("%v %q", err, line)
	}
	_, err = answers.ReadString('\n')
	must(t, err)
	for !strings.Contains(metrics, "\novation_ready 1\n") {
		_, metrics = admin("/metrics")
	}
	stop()
	for code := 200; code != http.StatusServiceUnavailable; {
		code, _ = admin("/readyz")
	}
	for { // a server that has closed its port sends Connection: close with each answer
		one, err := net.Dial("tcp", n.HTTPAddr())
		if err != nil {
			break
		}
		must(t, one.Close())
	}
	_, err = io.WriteString(under, "name=abc")
	must(t, err)
	last, err := http.ReadResponse(answers, nil)
	if err != nil || last.StatusCode != http.StatusUnauthorized || !last.Close {
		t.Errorf("%v, %+v", err, last)
	}
	if err := <-ended; err != nil {
		t.Error(err)
	}
	must(t, n.Close())
	text, err := os.ReadFile(access)
	must(t, err)
	for _, line := range []string{`"route":"/openapi.json","status":200`, `"method":"POST","route":"/v1.1/brand/create","status":401`} {
		if !strings.Contains(string(text), line) {
			t.Errorf("no %s in %s", line, text)
		}
	}
}

// The certificate's files have to be there, fit together, and the key must be its owner's alone.
func TestConfig_Certificate(t *testing.T) {
	dir, other := t.TempDir(), t.TempDir()
	cert, key, _ := issueCertificate(t, dir, 1)
	_, otherKey, _ := issueCertificate(t, other, 2)
	open := filepath.Join(dir, "open.pem")
	text, err := os.ReadFile(key)
	must(t, err)
	must(t, os.WriteFile(open, text, 0o644))
	for _, c := range []struct{ cert, key, want string }{
		{cert, key, ""}, {cert, otherKey, "certificate of the API"}, {cert, open, "chmod 600"}, {"none.pem", key, "--tls-cert: "}, {cert, "none.pem", "--tls-key: "},
	} {
		_, err := openPublicPort(&config.PublicPort{TLSCert: c.cert, TLSKey: c.key}, slog.New(slog.DiscardHandler))
		if (err == nil) != (c.want == "") || err != nil && !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s and %s: %v", c.cert, c.key, err)
		}
	}
	for want, bad := range map[string]config.PublicPort{
		"--tls-key": {TLSCert: cert}, "--tls-cert": {TLSKey: key}, "--drain": {Drain: time.Hour}, "0s": {Drain: -1},
	} {
		if err := bad.Validate(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%+v: %v", bad, err)
		}
	}
	if _, err := openPublicPort(&config.PublicPort{AccessLog: filepath.Join(dir, "none", "access.log")}, slog.New(slog.DiscardHandler)); err == nil || !strings.Contains(fmt.Sprint(err), "--access-log") {
		t.Error(err)
	}
}

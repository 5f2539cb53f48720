package config

import (
	"bytes"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"errors"
	"log/slog"
	"math/big"
	"net/netip"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/ovation-analytics/ovation/ingest/kafka"
)

// put writes a file of a mode and gives its path.
func put(t *testing.T, name, text string, mode os.FileMode) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := errors.Join(os.WriteFile(path, []byte(text), 0o600), os.Chmod(path, mode)); err != nil {
		t.Fatal(err)
	}
	return path
}

// issue makes a certificate and its key as PEM.
func issue(t *testing.T) (cert, key string) {
	t.Helper()
	private, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	c := &x509.Certificate{SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "broker"}, NotAfter: time.Now().Add(time.Hour)}
	der, err := x509.CreateCertificate(rand.Reader, c, c, private.Public(), private)
	if err != nil {
		t.Fatal(err)
	}
	secret, err := x509.MarshalPKCS8PrivateKey(private)
	if err != nil {
		t.Fatal(err)
	}
	return string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der})), string(pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: secret}))
}

// says wants an error with a text; empty: none.
func says(t *testing.T, err error, want string, what ...any) {
	t.Helper()
	if (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), want) {
		t.Errorf("%v: error %v, want one with %q", what, err, want)
	}
}

// What does not fit together is refused by its flag, on the command line of a node too.
func TestConfig_FitsTogether(t *testing.T) {
	for line, want := range map[string]string{
		"--kafka-sasl=plain --kafka=a:1":                            "--kafka-user is required",
		"--kafka-user=x --kafka=a:1":                                "--kafka-user: --kafka-sasl does not say how",
		"--kafka-cert=x --kafka=a:1":                                "one needs the other",
		"--kafka-tls":                                               "without --kafka there is no broker",
		"--kafka=127.0.0.1:9 --embedded-kafka=localhost:9":          "own --embedded-kafka",
		"--kafka=:9 --embedded-kafka=[::1]:9":                       "own --embedded-kafka",
		"--kafka=127.0.0.1:9092":                                    "",
		"--kafka=broker:9 --embedded-kafka=127.0.0.1:9":             "",
		"--kafka=a:1 --kafka-tls --kafka-sasl=plain --kafka-user=x": "",
		"--embedded-kafka=x":                                        `--embedded-kafka: "x"`,
		"--admin-host=a:1":                                          `--admin-host: "a:1"`,
		"--max-rows=-1":                                             "--max-rows: -1",
		"--tls-cert=x":                                              "--tls-cert and --tls-key",
		"--drain=-1s":                                               "--drain: -1s is not between",
		"--drain=11m":                                               "--drain: 11m",
		"--drain=10m":                                               "",
		"--trusted-proxy=10.0.0.0/8":                                "one needs the other",
		"--trusted-proxy=10.0.0.0/99 --client-ip-header=X-Real-IP":  `--trusted-proxy: "10.0.0.0/99"`,
		"--trusted-proxy=10.0.0.1,fd00::/8 --client-ip-header=Forwarded":     "Forwarded has more than addresses",
		"--trusted-proxy=10.0.0.1 --client-ip-header=a:b":                    `"a:b" is no name of a header`,
		"--trusted-proxy=10.0.0.1,fd00::/8 --client-ip-header=x-forwarded-f": "",
	} {
		_, err := parse(t, strings.Fields(line), nil, "")
		says(t, err, want, line)
	}
	c := Config{Kafka: []string{"broker:1", "localhost:9092"}, EmbeddedKafka: "127.0.0.1:9092"}
	if own := c.OwnAddress(); own != "localhost:9092" {
		t.Errorf("its own broker is %q", own)
	}
}

// Proxies are networks; an address is one of itself, in one form.
func TestBehindProxy_Proxies(t *testing.T) {
	b := BehindProxy{TrustedProxy: []string{"10.0.0.0/8", "::ffff:192.0.2.1", "fe80::1%eth0"}, ClientIPHeader: "x-real-ip"}
	p := b.Proxies()
	want := []netip.Prefix{netip.MustParsePrefix("10.0.0.0/8"), netip.MustParsePrefix("192.0.2.1/32"), netip.MustParsePrefix("fe80::1/128")}
	if d := cmp.Diff(want, p.Networks, cmp.Comparer(func(a, b netip.Prefix) bool { return a == b })); d != "" || p.Header != "X-Real-Ip" {
		t.Errorf("%s %s", p.Header, d)
	}
}

// A client of brokers gets the password of the environment or else the stored one, and the certificates of the files.
func TestKafkaAccess_Into(t *testing.T) {
	cert, key := issue(t)
	ca, own, private := put(t, "ca.pem", cert, 0o644), put(t, "cert.pem", cert, 0o644), put(t, "key.pem", key, 0o600)
	for _, c := range []struct {
		name   string
		access KafkaAccess
		stored string
		want   string
	}{
		{"nothing", KafkaAccess{KafkaSASL: "none"}, "", ""},
		{"tls", KafkaAccess{KafkaTLS: true}, "", ""},
		{"certificates", KafkaAccess{KafkaCA: ca, KafkaCert: own, KafkaCertKey: private}, "", ""},
		{"password", KafkaAccess{KafkaSASL: "scram-sha-256", KafkaUser: "u"}, "stored", ""},
		{"no password", KafkaAccess{KafkaSASL: "scram-sha-256", KafkaUser: "u"}, "", "--kafka-sasl: no password"},
		{"no authority", KafkaAccess{KafkaCA: private}, "", "no certificate in PEM"},
		{"no file of authorities", KafkaAccess{KafkaCA: ca + "x"}, "", "--kafka-ca: "},
		{"no certificate", KafkaAccess{KafkaCert: ca + "x", KafkaCertKey: private}, "", "--kafka-cert: "},
		{"a key that others may read", KafkaAccess{KafkaCert: own, KafkaCertKey: put(t, "open.pem", key, 0o644)}, "", "--kafka-cert-key: "},
		{"no pair", KafkaAccess{KafkaCert: own, KafkaCertKey: put(t, "other.pem", cert, 0o600)}, "", "--kafka-cert "},
	} {
		var client kafka.Config
		err := c.access.Into(&client, c.stored)
		says(t, err, c.want, c.name)
		if err != nil {
			continue
		}
		if got, want := client.TLS != nil, c.access.tls(); got != want {
			t.Errorf("%s: TLS %v", c.name, got)
		}
		if got, want := client.SASL != nil, c.access.sasl(); got != want {
			t.Errorf("%s: SASL %v", c.name, got)
		}
	}
	t.Setenv(KafkaPassword, "of the environment")
	says(t, (&KafkaAccess{KafkaSASL: "plain", KafkaUser: "u"}).Into(new(kafka.Config), ""), "")
	for want, a := range map[bool]KafkaAccess{true: {KafkaSASL: "plain"}, false: {KafkaSASL: "plain", KafkaTLS: true}} {
		if got := a.InTheClear(); got != want {
			t.Errorf("%+v: in the clear %v", a, got)
		}
	}
}

// The files of the API's port are read by the flags that name them.
func TestPublicPort_Files(t *testing.T) {
	cert, key := put(t, "cert", "chain", 0o644), put(t, "key", "private", 0o600)
	chain, private, err := (&PublicPort{TLSCert: cert, TLSKey: key}).ReadCertificate()
	if err != nil || string(chain) != "chain" || string(private) != "private" {
		t.Errorf("%s %s %v", chain, private, err)
	}
	_, _, err = (&PublicPort{TLSCert: cert + "x", TLSKey: key}).ReadCertificate()
	says(t, err, "--tls-cert: ")
	_, _, err = (&PublicPort{TLSCert: cert, TLSKey: cert}).ReadCertificate()
	says(t, err, "--tls-key: ")
	for want, a := range map[string]PublicPort{"https": {TLSCert: cert}, "http": {}} {
		if got := a.Scheme(); got != want {
			t.Errorf("scheme %s, want %s", got, want)
		}
	}
	discard := slog.New(slog.DiscardHandler)
	if f, err := new(PublicPort).OpenGeo(1<<30, discard); f != nil || err != nil {
		t.Errorf("without a file: %v %v", f, err)
	}
	_, err = (&PublicPort{GeoIP: cert}).OpenGeo(1<<30, discard)
	says(t, err, "--geoip: ")
}

// The networks are those of a private file; a check that takes tokens of any application is warned of.
func TestPrivateFiles_Networks(t *testing.T) {
	var log bytes.Buffer
	read := func(path string) error {
		n, err := (&PrivateFiles{Networks: path}).ReadNetworks(slog.New(slog.NewTextHandler(&log, nil)))
		if (n == nil) != (path == "" || err != nil) {
			t.Errorf("%q: %v %v", path, n, err)
		}
		if n != nil {
			says(t, n.Close(), "")
		}
		return err
	}
	const one = `{"lastfm": {"check": {"url": "http://127.0.0.7:80", "uid": "a"}}}`
	says(t, read(""), "")
	says(t, read(put(t, "networks.json", one, 0o600)), "")
	if !strings.Contains(log.String(), "service=lastfm") {
		t.Errorf("no warning in %s", &log)
	}
	says(t, read(put(t, "networks.json", one, 0o640)), "--networks: ")
	says(t, read(put(t, "networks.json", "{", 0o600)), "--networks: ")
}

// --data has the directories of a node; the log is in it where there is no Kafka. What is in the way is named.
func TestConfig_Data(t *testing.T) {
	c := Config{Data: t.TempDir()}
	says(t, c.CheckData(), "")
	if n := len(c.DataDirs()); n != 4 {
		t.Errorf("%d directories", n)
	}
	log := filepath.Join(c.Data, "log")
	says(t, os.WriteFile(log, nil, 0o600), "")
	says(t, c.CheckData(), "--data: "+log+" is no directory")
	c.Kafka = []string{"a:1"}
	says(t, c.CheckData(), "")
	c.Data = filepath.Join(log, "below")
	says(t, c.CheckData(), "is no directory")
	gone := filepath.Join(t.TempDir(), "link")
	says(t, os.Symlink("gone", gone), "")
	c.Data = gone
	says(t, c.CheckData(), "leads nowhere")
}

// The secrets are in --data unless a flag says otherwise; a level that is none logs from info on.
func TestConfig_SecretsAndLogger(t *testing.T) {
	c := Config{Data: "d"}
	if got := c.SecretsFile(); got != filepath.Join("d", "secrets.yaml") {
		t.Error(got)
	}
	c.PrivateFiles.Secrets = "s"
	if got := c.SecretsFile(); got != "s" {
		t.Error(got)
	}
	for level, want := range map[string][2]bool{"debug": {true, true}, "info": {false, true}, "error": {false, false}, "loud": {false, true}} {
		c.LogLevel = level
		l := c.Logger()
		if got := [2]bool{l.Enabled(t.Context(), slog.LevelDebug), l.Enabled(t.Context(), slog.LevelInfo)}; got != want {
			t.Errorf("%s: debug and info %v", level, got)
		}
	}
}

// A line is text or one JSON object, and the level changes while it logs.
func TestConfig_LogFormatAndLevel(t *testing.T) {
	for format, want := range map[string]string{"": `level=WARN msg="two words" n=1` + "\n", "text": `level=WARN msg="two words" n=1` + "\n", "json": `"level":"WARN","msg":"two words","n":1}` + "\n"} {
		var out strings.Builder
		c := Config{LogFormat: format, LogLevel: "error"}
		l := c.logger(&out)
		l.Warn("two words", "n", 1)
		if out.Len() > 0 {
			t.Errorf("%q: below its level %q", format, &out)
		}
		c.Level.Set(slog.LevelWarn)
		l.Warn("two words", "n", 1)
		if !strings.HasSuffix(out.String(), want) || strings.Count(out.String(), "\n") != 1 {
			t.Errorf("%q: %q", format, &out)
		}
	}
}

// A provider needs https but on this machine, where browsers come back to, a client and grants; without one nothing of it is given.
func TestSignIn_Validate(t *testing.T) {
	whole := SignIn{OIDCIssuer: "https://login.example.com/realms/a", OIDCClient: "ovation", OIDCClaim: "groups", OIDCGrants: []string{"a=editor@1"}}
	const base = "https://ovation.example.com"
	for name, c := range map[string]struct {
		change func(*SignIn)
		base   string
		want   string
	}{
		"whole":                 {func(*SignIn) {}, base, ""},
		"on this machine":       {func(s *SignIn) { s.OIDCIssuer = "http://localhost:5556/dex" }, "http://127.0.0.1:8080", ""},
		"none":                  {func(s *SignIn) { *s = SignIn{OIDCClaim: "groups"} }, "", ""},
		"a client of none":      {func(s *SignIn) { *s = SignIn{OIDCClient: "a"} }, "", "--oidc-issuer"},
		"grants of none":        {func(s *SignIn) { *s = SignIn{OIDCGrants: whole.OIDCGrants} }, "", "--oidc-issuer"},
		"http":                  {func(s *SignIn) { s.OIDCIssuer = "http://login.example.com" }, base, "--oidc-issuer"},
		"no address":            {func(s *SignIn) { s.OIDCIssuer = "login.example.com" }, base, "--oidc-issuer"},
		"a name in the address": {func(s *SignIn) { s.OIDCIssuer = "https://a:b@login.example.com" }, base, "--oidc-issuer"},
		"no base":               {func(*SignIn) {}, "", "--base-url"},
		"a base of http":        {func(*SignIn) {}, "http://ovation.example.com", "--base-url"},
		"no client":             {func(s *SignIn) { s.OIDCClient = "" }, base, "--oidc-client"},
		"no claim":              {func(s *SignIn) { s.OIDCClaim = "" }, base, "--oidc-claim"},
		"no grant":              {func(s *SignIn) { s.OIDCGrants = nil }, base, "--oidc-grant"},
		"a grant of no role":    {func(s *SignIn) { s.OIDCGrants = []string{"a=editor@1", "b=operator@1"} }, base, "--oidc-grant"},
	} {
		s := whole
		c.change(&s)
		if err := s.Validate(c.base); (err == nil) != (c.want == "") || err != nil && !strings.HasPrefix(err.Error(), c.want+":") {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// The client's secret is in a file that others cannot read.
func TestSignIn_Provider(t *testing.T) {
	path := filepath.Join(t.TempDir(), "secret")
	s := SignIn{OIDCIssuer: "https://login.example.com", OIDCClient: "ovation", OIDCSecret: path, OIDCGrants: []string{"a=editor@1"}}
	for content, want := range map[string]string{"s3cret\n": "s3cret", " \n": ""} {
		if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
		c, err := s.Provider()
		if (err == nil) != (want != "") || err == nil && (c.Secret != want || len(c.Grants) != 1) {
			t.Errorf("%q: %+v, %v", content, c, err)
		}
	}
	if err := os.Chmod(path, 0o644); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Provider(); err == nil || !strings.HasPrefix(err.Error(), "--oidc-secret: ") {
		t.Errorf("a file that others read: %v", err)
	}
	if c, err := new(SignIn).Provider(); c != nil || err != nil {
		t.Errorf("%+v, %v", c, err)
	}
}

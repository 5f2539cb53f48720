package kafka

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"errors"
	"fmt"
	"math/big"
	"net"
	"os"
	"strings"
	"time"
)

// Listeners are the addresses that want more than a connection, and what opens them.
type Listeners struct {
	TLS      string // anybody, over TLS
	Mutual   string // who shows a certificate of the CA, over TLS
	Password string // User by SASL PLAIN, SCRAM-SHA-256 or SCRAM-SHA-512, in the clear
	Both     string // the same over TLS

	CA                string // PEM file: what the broker's certificate is signed by
	OtherCA           string // PEM file: what it is not signed by
	ClientCertificate string // PEM file
	ClientKey         string // PEM file
}

// User and Secret open the listeners with SASL. For SCRAM the user must be made first,
// over the open listener.
const (
	User   = "ovation"
	Secret = "opens-the-broker"
)

// listeners are the names of the broker's, in the order of their ports.
var listeners = []struct {
	name, protocol string
	address        func(*Listeners) *string
}{
	{"TLS", "SSL", func(l *Listeners) *string { return &l.TLS }},
	{"MUTUAL", "SSL", func(l *Listeners) *string { return &l.Mutual }},
	{"PASSWORD", "SASL_PLAINTEXT", func(l *Listeners) *string { return &l.Password }},
	{"BOTH", "SASL_SSL", func(l *Listeners) *string { return &l.Both }},
}

// openListeners makes keys and certificates and gives the broker's settings.
func (b *Broker) openListeners(proxies []string) (properties string, err error) {
	if err := b.makeCertificates(); err != nil {
		return "", err
	}
	protocols := []string{"PLAINTEXT:PLAINTEXT", "CONTROLLER:PLAINTEXT"}
	advertised := []string{"PLAINTEXT://" + b.Addr}
	for i, l := range listeners {
		at := address(b.port + 2 + i)
		*l.address(&b.Listeners) = at
		protocols = append(protocols, l.name+":"+l.protocol)
		advertised = append(advertised, l.name+"://"+at)
	}
	listen := append([]string{"CONTROLLER://" + address(b.port+1)}, advertised...)
	for i, proxy := range proxies {
		name := fmt.Sprintf("BEHIND%d", i)
		at := address(b.port + 2 + len(listeners) + i)
		b.Behind = append(b.Behind, at)
		protocols = append(protocols, name+":PLAINTEXT")
		advertised = append(advertised, name+"://"+proxy)
		listen = append(listen, name+"://"+at)
	}
	lines := []string{
		"listeners=" + strings.Join(listen, ","), "advertised.listeners=" + strings.Join(advertised, ","),
		"listener.security.protocol.map=" + strings.Join(protocols, ","),
		"ssl.keystore.type=PEM", "ssl.keystore.location=" + b.file("server.pem"),
		"ssl.truststore.type=PEM", "ssl.truststore.location=" + b.Listeners.CA,
		"listener.name.mutual.ssl.client.auth=required",
		"sasl.enabled.mechanisms=PLAIN,SCRAM-SHA-256,SCRAM-SHA-512",
	}
	const module = "sasl.jaas.config=org.apache.kafka.common.security."
	for _, l := range []string{"password", "both"} {
		lines = append(lines,
			"listener.name."+l+".plain."+module+fmt.Sprintf("plain.PlainLoginModule required user_%s=%q;", User, Secret),
			"listener.name."+l+".scram-sha-256."+module+"scram.ScramLoginModule required;",
			"listener.name."+l+".scram-sha-512."+module+"scram.ScramLoginModule required;")
	}
	return strings.Join(lines, "\n"), nil
}

// makeCertificates makes two CAs, of which one has signed the broker's certificate and a
// client's.
func (b *Broker) makeCertificates() error {
	l := &b.Listeners
	l.CA, l.OtherCA = b.file("ca.pem"), b.file("other.pem")
	l.ClientCertificate, l.ClientKey = b.file("client.pem"), b.file("client.key")
	ca, err1 := newPair("CA", nil)
	other, err2 := newPair("another CA", nil)
	if err := errors.Join(err1, err2); err != nil {
		return err
	}
	server, err1 := newPair("broker", ca)
	client, err2 := newPair("client", ca)
	if err := errors.Join(err1, err2); err != nil {
		return err
	}
	return errors.Join(
		os.WriteFile(l.CA, ca.certificate(), 0o600), os.WriteFile(l.OtherCA, other.certificate(), 0o600),
		os.WriteFile(l.ClientCertificate, client.certificate(), 0o600), os.WriteFile(l.ClientKey, client.private(), 0o600),
		os.WriteFile(b.file("server.pem"), append(server.private(), server.certificate()...), 0o600))
}

// pair is a certificate and its key.
type pair struct {
	cert *x509.Certificate
	key  *ecdsa.PrivateKey
	pkcs []byte
}

// newPair makes a certificate of this machine's loopback, signed by a CA, or of a CA.
func newPair(name string, by *pair) (*pair, error) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return nil, err
	}
	serial, err := rand.Int(rand.Reader, big.NewInt(1<<62))
	if err != nil {
		return nil, err
	}
	c := &x509.Certificate{
		SerialNumber: serial, Subject: pkix.Name{CommonName: name}, IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)},
		NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(48 * time.Hour),
		KeyUsage:    x509.KeyUsageDigitalSignature,
		ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth, x509.ExtKeyUsageClientAuth},
	}
	p := &pair{key: key}
	parent, signer := c, key
	if by == nil {
		c.IsCA, c.BasicConstraintsValid, c.KeyUsage = true, true, x509.KeyUsageCertSign
	} else {
		parent, signer = by.cert, by.key
	}
	der, err := x509.CreateCertificate(rand.Reader, c, parent, &key.PublicKey, signer)
	if err != nil {
		return nil, err
	}
	if p.cert, err = x509.ParseCertificate(der); err != nil {
		return nil, err
	}
	p.pkcs, err = x509.MarshalPKCS8PrivateKey(key)
	return p, err
}

func (p *pair) certificate() []byte {
	return pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: p.cert.Raw})
}

func (p *pair) private() []byte {
	return pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: p.pkcs})
}

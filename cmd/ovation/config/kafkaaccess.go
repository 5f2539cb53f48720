package config

import (
	"cmp"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"os"

	"github.com/ovation-analytics/ovation/cmd/ovation/files"
	"github.com/ovation-analytics/ovation/ingest/kafka"
)

// KafkaAccess is what brokers require before they answer: the same for a node and for
// collectors. The password is no flag: it would show in the list of processes.
type KafkaAccess struct {
	KafkaTLS     bool   `name:"kafka-tls" help:"Speak TLS to the brokers, whose certificates the system's authorities have signed."`
	KafkaCA      string `name:"kafka-ca" placeholder:"FILE" help:"PEM file of the authorities that have signed the brokers' certificates, in place of the system's; with TLS."`
	KafkaCert    string `placeholder:"FILE" help:"PEM file of the certificate to show to brokers that want one; with TLS."`
	KafkaCertKey string `placeholder:"FILE" help:"PEM file of that certificate's key, mode 0600."`
	KafkaSASL    string `name:"kafka-sasl" default:"none" enum:"none,plain,scram-sha-256,scram-sha-512" placeholder:"MECHANISM" help:"How to give user and password: ${enum}. The password is kafka_password in the file of secrets, or OVATION_KAFKA_PASSWORD."`
	KafkaUser    string `placeholder:"NAME" help:"User for --kafka-sasl. For another node's embedded log: ovation-node, with scram-sha-256; its password is derived from the secrets."`
}

// KafkaPassword is the variable of the environment; it outranks the file of secrets.
const KafkaPassword = "OVATION_KAFKA_PASSWORD"

// Validate is what does not fit together.
func (a *KafkaAccess) Validate() error {
	var errs []error
	if a.sasl() && a.KafkaUser == "" {
		errs = append(errs, errors.New("--kafka-sasl: --kafka-user is required"))
	}
	if !a.sasl() && a.KafkaUser != "" {
		errs = append(errs, errors.New("--kafka-user: --kafka-sasl does not say how"))
	}
	if (a.KafkaCert == "") != (a.KafkaCertKey == "") {
		errs = append(errs, errors.New("--kafka-cert and --kafka-cert-key: one needs the other"))
	}
	return errors.Join(errs...)
}

// wanted reports that anything is set.
func (a *KafkaAccess) wanted() bool {
	return a.tls() || a.sasl() || a.KafkaUser != "" || a.KafkaCertKey != ""
}

func (a *KafkaAccess) tls() bool { return a.KafkaTLS || a.KafkaCA != "" || a.KafkaCert != "" }

func (a *KafkaAccess) sasl() bool { return a.KafkaSASL != "" && a.KafkaSASL != "none" }

// InTheClear reports that the network carries the password unencrypted.
func (a *KafkaAccess) InTheClear() bool { return a.KafkaSASL == "plain" && !a.tls() }

// Into fills in a client's configuration. Stored is the password of the file of secrets.
func (a *KafkaAccess) Into(cfg *kafka.Config, stored string) (err error) {
	if a.tls() {
		if cfg.TLS, err = a.tlsConfig(); err != nil {
			return err
		}
	}
	if !a.sasl() {
		return nil
	}
	password := cmp.Or(os.Getenv(KafkaPassword), stored)
	if password == "" {
		return fmt.Errorf("--kafka-sasl: no password: neither %s nor kafka_password in the file of secrets", KafkaPassword)
	}
	cfg.SASL, err = kafka.SASL(a.KafkaSASL, a.KafkaUser, password)
	return err
}

// maxPEM bounds the files of certificates and keys.
const maxPEM = 1 << 20

func (a *KafkaAccess) tlsConfig() (*tls.Config, error) {
	c := &tls.Config{MinVersion: tls.VersionTLS12}
	if a.KafkaCA != "" {
		text, err := files.Read(a.KafkaCA, maxPEM)
		if err != nil {
			return nil, fmt.Errorf("--kafka-ca: %w", err)
		}
		if c.RootCAs = x509.NewCertPool(); !c.RootCAs.AppendCertsFromPEM(text) {
			return nil, fmt.Errorf("--kafka-ca: %s: no certificate in PEM", a.KafkaCA)
		}
	}
	if a.KafkaCert == "" {
		return c, nil
	}
	cert, err := files.Read(a.KafkaCert, maxPEM)
	if err != nil {
		return nil, fmt.Errorf("--kafka-cert: %w", err)
	}
	key, err := files.ReadPrivate(a.KafkaCertKey, maxPEM)
	if err != nil {
		return nil, fmt.Errorf("--kafka-cert-key: %w", err)
	}
	pair, err := tls.X509KeyPair(cert, key)
	if err != nil {
		return nil, fmt.Errorf("--kafka-cert %s and --kafka-cert-key %s: %w", a.KafkaCert, a.KafkaCertKey, err)
	}
	c.Certificates = []tls.Certificate{pair}
	return c, nil
}

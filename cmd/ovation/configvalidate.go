package main

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"math"

	"github.com/ovation-analytics/ovation/api/transport"
	"github.com/ovation-analytics/ovation/cmd/ovation/config"
	"github.com/ovation-analytics/ovation/cmd/ovation/secrets"
	"github.com/ovation-analytics/ovation/cmd/ovation/size"
	"github.com/ovation-analytics/ovation/ingest/kafka"
)

// ConfigValidate checks the configuration.
type ConfigValidate struct {
	form
	Config config.Config `embed:""`
}

// Run prints ok. Bad values end the command before, with what is wrong with them;
// here the files are read. Secrets that are not there yet are made at the
// first start.
func (c *ConfigValidate) Run(w io.Writer) error {
	s, err := secrets.Read(c.Config.SecretsFile())
	switch {
	case errors.Is(err, fs.ErrNotExist):
		s = &secrets.Secrets{}
	case err != nil:
		return fmt.Errorf("--secrets: %w", err)
	}
	password, err := s.KafkaPassword(c.Config.KafkaAccess.KafkaUser)
	if err != nil {
		return err
	}
	if err := c.Config.KafkaAccess.Into(&kafka.Config{}, password); err != nil {
		return err
	}
	if _, err := c.Config.AdminPort.Token(); err != nil {
		return fmt.Errorf("--admin-token: %w", err)
	}
	if _, err := c.Config.PrivateFiles.ReadNetworks(slog.New(slog.DiscardHandler)); err != nil {
		return err
	}
	if c.Config.PublicPort.TLSCert != "" {
		if _, err := transport.OpenCertificate(c.Config.PublicPort.ReadCertificate, slog.New(slog.DiscardHandler)); err != nil {
			return fmt.Errorf("the certificate of the API: %w", err)
		}
	}
	if _, err := c.Config.PublicPort.OpenGeo(size.Bytes(math.MaxInt64), slog.New(slog.DiscardHandler)); err != nil {
		return err
	}
	return c.print(w, struct {
		Valid bool `json:"valid"`
	}{true}, func(w io.Writer) { fmt.Fprintln(w, "ok") })
}

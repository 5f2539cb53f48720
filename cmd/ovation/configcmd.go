package main

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"math"
	"reflect"

	"github.com/alecthomas/kong"
	"github.com/goccy/go-yaml"

	"github.com/ovation-analytics/ovation/api/transport"
	"github.com/ovation-analytics/ovation/cmd/ovation/config"
	"github.com/ovation-analytics/ovation/cmd/ovation/secrets"
	"github.com/ovation-analytics/ovation/cmd/ovation/size"
	"github.com/ovation-analytics/ovation/ingest/kafka"
)

// ConfigCmd shows or checks what a node would run with.
type ConfigCmd struct {
	Print    ConfigPrint    `cmd:"" help:"Print the configuration as a file for --config."`
	Validate ConfigValidate `cmd:"" help:"Check the configuration, and the files it names, without running anything."`
}

// ConfigPrint prints the configuration.
type ConfigPrint struct{ config.Config }

// Run prints every value under its flag's name, in the order of Config.
func (*ConfigPrint) Run(ctx *kong.Context, w io.Writer) error {
	var values yaml.MapSlice
	for _, flag := range ctx.Selected().Flags {
		values = append(values, yaml.MapItem{Key: flag.Name, Value: plain(flag.Target)})
	}
	text, err := yaml.MarshalWithOptions(values, yaml.Flow(false))
	if err != nil {
		return err
	}
	_, err = w.Write(text)
	return err
}

// plain is a flag's value as YAML should show it.
func plain(v reflect.Value) any {
	if s, ok := v.Interface().(fmt.Stringer); ok {
		return s.String()
	}
	if v.Kind() == reflect.Slice && v.Len() == 0 {
		return []string{}
	}
	return v.Interface()
}

// ConfigValidate checks the configuration.
type ConfigValidate struct{ config.Config }

// Run prints ok. Bad values end the command before, with what is wrong with them;
// here the files are read. Secrets that are not there yet are made at the
// first start.
func (c *ConfigValidate) Run(w io.Writer) error {
	s, err := secrets.Read(c.SecretsFile())
	switch {
	case errors.Is(err, fs.ErrNotExist):
		s = &secrets.Secrets{}
	case err != nil:
		return fmt.Errorf("--secrets: %w", err)
	}
	password, err := s.KafkaPassword(c.KafkaUser)
	if err != nil {
		return err
	}
	if err := c.Into(&kafka.Config{}, password); err != nil {
		return err
	}
	if _, err := c.Token(); err != nil {
		return fmt.Errorf("--admin-token: %w", err)
	}
	if _, err := c.ReadNetworks(slog.New(slog.DiscardHandler)); err != nil {
		return err
	}
	if c.TLSCert != "" {
		if _, err := transport.OpenCertificate(c.ReadCertificate, slog.New(slog.DiscardHandler)); err != nil {
			return fmt.Errorf("the certificate of the API: %w", err)
		}
	}
	if _, err := c.OpenGeo(size.Bytes(math.MaxInt64), slog.New(slog.DiscardHandler)); err != nil {
		return err
	}
	_, err = fmt.Fprintln(w, "ok")
	return err
}

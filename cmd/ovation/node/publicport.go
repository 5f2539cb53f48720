package node

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"github.com/ovation-analytics/ovation/api"
	"github.com/ovation-analytics/ovation/api/networks"
	"github.com/ovation-analytics/ovation/api/transport"
	"github.com/ovation-analytics/ovation/cmd/ovation/accesslog"
	"github.com/ovation-analytics/ovation/cmd/ovation/config"
	"github.com/ovation-analytics/ovation/cmd/ovation/geoip"
	"github.com/ovation-analytics/ovation/cmd/ovation/status"
)

// publicPort is what the API's port has open beside its listener.
type publicPort struct {
	certificate *transport.Certificate // nil: no TLS
	access      *accesslog.Log         // nil: none
	networks    *networks.Networks     // nil: none
	geo         *geoip.File            // nil: none
}

// openPublicPort opens the certificate and the access log.
func openPublicPort(a *config.PublicPort, log *slog.Logger) (p publicPort, err error) {
	if a.TLSCert != "" {
		if p.certificate, err = transport.OpenCertificate(a.ReadCertificate, log); err != nil {
			return p, fmt.Errorf("the certificate of the API: %w", err)
		}
	}
	if a.AccessLog != "" {
		if p.access, err = accesslog.Open(a.AccessLog, log); err != nil {
			return p, fmt.Errorf("--access-log: %w", err)
		}
	}
	return p, nil
}

// located tells where addresses are; nil: none is located.
func (p *publicPort) located() api.Geo {
	if p.geo == nil {
		return nil
	}
	return p.geo
}

// close closes the access log and connections to networks.
func (p *publicPort) close() error {
	err := p.networks.Close()
	if p.access == nil {
		return err
	}
	return errors.Join(err, p.access.Close())
}

// accessLogger writes the access log; nil: none.
func (p *publicPort) accessLogger() *slog.Logger {
	if p.access == nil {
		return nil
	}
	return p.access.Logger()
}

// certificateEvery is how often the certificate's files are read.
const certificateEvery = 5 * time.Second

// watch has the certificate follow its files until ctx ends.
func (p *publicPort) watch(ctx context.Context) {
	if p.certificate != nil {
		p.certificate.Watch(ctx, certificateEvery)
	}
}

// shown is what the metrics show.
func (p *publicPort) shown() (s status.Port) {
	if p.certificate != nil {
		s.NotAfter = p.certificate.NotAfter
	}
	if p.access != nil {
		s.Dropped = p.access.Dropped
	}
	return s
}

package config

import (
	"errors"
	"fmt"
	"log/slog"
	"time"

	"github.com/ovation-analytics/ovation/cmd/ovation/files"
	"github.com/ovation-analytics/ovation/cmd/ovation/geoip"
	"github.com/ovation-analytics/ovation/cmd/ovation/size"
)

// PublicPort is how the address of the API is served.
type PublicPort struct {
	TLSCert   string        `name:"tls-cert" placeholder:"FILE" help:"PEM file of the API's certificate and its chain: the API then speaks HTTPS. A file that changes is taken within seconds."`
	TLSKey    string        `name:"tls-key" placeholder:"FILE" help:"PEM file of that certificate's key, mode 0600."`
	AccessLog string        `placeholder:"FILE" help:"Append a line of JSON for each request to this file; - is standard output. It holds no key, parameter, body or address."`
	GeoIP     string        `name:"geoip" placeholder:"FILE" help:"File in MaxMind's format (.mmdb), such as GeoLite2 City: where the ip of a registration or login is. It is read into memory at start, of which it may take a quarter. Without it no address is located."`
	Drain     time.Duration `default:"0s" placeholder:"DURATION" help:"How long a node that is stopping answers new requests while /readyz refuses: as long as a load balancer takes to see that."`

	RefuseKeysAfter time.Duration `default:"0s" placeholder:"DURATION" help:"Refuse all API keys, with status 503, once the node has not read the catalog to its end for so long: of a key that was revoked since it does not know. 0s never refuses them: reads go on however long Kafka is away."`
}

// minRefuseKeysAfter bounds --refuse-keys-after: a broker that restarts, or elects a leader, takes so long.
const minRefuseKeysAfter = 10 * time.Second

// maxDrain bounds --drain.
const maxDrain = 10 * time.Minute

// Validate is what does not fit together.
func (a *PublicPort) Validate() error {
	var errs []error
	if (a.TLSCert == "") != (a.TLSKey == "") {
		errs = append(errs, errors.New("--tls-cert and --tls-key: one needs the other"))
	}
	if a.Drain < 0 || a.Drain > maxDrain {
		errs = append(errs, fmt.Errorf("--drain: %v is not between 0s and %v", a.Drain, maxDrain))
	}
	if a.RefuseKeysAfter != 0 && a.RefuseKeysAfter < minRefuseKeysAfter {
		errs = append(errs, fmt.Errorf("--refuse-keys-after: %v is neither 0s nor at least %v", a.RefuseKeysAfter, minRefuseKeysAfter))
	}
	return errors.Join(errs...)
}

// ReadCertificate reads the certificate's files.
func (a *PublicPort) ReadCertificate() (chain, key []byte, err error) {
	if chain, err = files.Read(a.TLSCert, maxPEM); err != nil {
		return nil, nil, fmt.Errorf("--tls-cert: %w", err)
	}
	if key, err = files.ReadPrivate(a.TLSKey, maxPEM); err != nil {
		return nil, nil, fmt.Errorf("--tls-key: %w", err)
	}
	return chain, key, nil
}

// Scheme is that of the API's addresses.
func (a *PublicPort) Scheme() string {
	if a.TLSCert != "" {
		return "https"
	}
	return "http"
}

// OpenGeo opens the file that locates addresses, in a node with so much memory.
func (a *PublicPort) OpenGeo(memory size.Bytes, log *slog.Logger) (*geoip.File, error) {
	if a.GeoIP == "" {
		return nil, nil
	}
	f, err := geoip.Open(a.GeoIP, int64(memory)/4, log)
	if err != nil {
		return nil, fmt.Errorf("--geoip: %w", err)
	}
	return f, nil
}

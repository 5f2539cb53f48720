package status

import (
	"time"

	"github.com/prometheus/client_golang/prometheus"
)

// The API's port.
var (
	mAccessDropped = describe("access_log_dropped_total",
		"Lines of the access log that were dropped, since the file took them too slowly or not at all.")
	mCertificate = describe("tls_certificate_expiry_timestamp_seconds", "When the API's certificate expires.")
)

// Port is what the metrics show of the API's port.
type Port struct {
	NotAfter func() time.Time // nil: no TLS
	Dropped  func() uint64    // nil: no access log
}

// RegisterPort adds the metrics of the API's port.
func RegisterPort(r *prometheus.Registry, p Port) { r.MustRegister(collector(p.collect)) }

func (p Port) collect(out sink) {
	if p.NotAfter != nil {
		out.gauge(mCertificate, float64(p.NotAfter().Unix()))
	}
	if p.Dropped != nil {
		out.counter(mAccessDropped, float64(p.Dropped()))
	}
}

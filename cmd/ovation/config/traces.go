package config

import (
	"errors"
	"fmt"

	"github.com/ovation-analytics/ovation/cmd/ovation/tracing"
)

// Traces are where spans go, and of how much. The standard's names of the environment have the addresses, too.
type Traces struct {
	OTLPEndpoint       string  `name:"otlp-endpoint" env:"OVATION_OTLP_ENDPOINT,OTEL_EXPORTER_OTLP_ENDPOINT" placeholder:"URL" help:"Base address of an OpenTelemetry collector that takes OTLP over HTTP, such as http://127.0.0.1:4318: traces of requests and of records go to /v1/traces below it. Without an address nothing is traced. The environment may have it as OTEL_EXPORTER_OTLP_ENDPOINT, and headers, certificate, timeout and compression by their standard names."`
	OTLPTracesEndpoint string  `name:"otlp-traces-endpoint" env:"OVATION_OTLP_TRACES_ENDPOINT,OTEL_EXPORTER_OTLP_TRACES_ENDPOINT" placeholder:"URL" help:"Address that traces go to as it is, in place of --otlp-endpoint and /v1/traces. The environment may have it as OTEL_EXPORTER_OTLP_TRACES_ENDPOINT."`
	TraceRequests      float64 `default:"1" placeholder:"SHARE" help:"Share of the requests that are traced, from 0 to 1. A caller that sends the header traceparent decides by itself, by its flag."`
	TraceRecords       float64 `default:"0.001" placeholder:"SHARE" help:"Share of the records of activities that are traced, from the read from the topic to where they are visible; the same records on each node."`
}

// Validate is what is wrong with the addresses and the shares.
func (t *Traces) Validate() error {
	var errs []error
	for flag, address := range map[string]string{"otlp-endpoint": t.OTLPEndpoint, "otlp-traces-endpoint": t.OTLPTracesEndpoint} {
		if address == "" {
			continue
		}
		if err := tracing.CheckAddress(address); err != nil {
			errs = append(errs, fmt.Errorf("--%s: %w", flag, err))
		}
	}
	share := func(flag string, v float64) {
		if !(v >= 0 && v <= 1) { // NaN, too
			errs = append(errs, fmt.Errorf("--%s: %v is not between 0 and 1", flag, v))
		}
	}
	share("trace-requests", t.TraceRequests)
	share("trace-records", t.TraceRecords)
	return errors.Join(errs...)
}

// Tracing is where spans go and of how much; the zero Config: nowhere.
func (t *Traces) Tracing() tracing.Config {
	return tracing.Config{Endpoint: t.OTLPEndpoint, Traces: t.OTLPTracesEndpoint, Requests: t.TraceRequests, Records: t.TraceRecords}
}

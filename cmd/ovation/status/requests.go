package status

import (
	"strconv"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/ovation-analytics/ovation/api"
)

// What the API was asked.
var (
	mRequests = describe("requests_total",
		"Requests to the API, by operation and status code; operation none: the path or the method matched none.", "operation", "code")
	mRequestSeconds = describe("request_seconds", "Time from a request's arrival to the end of its response, by operation.", "operation")
)

// countedFromStart are the status codes that every operation has from the start, so that a first failure is an increase.
var countedFromStart = []int{200, 500, 503}

// collectRequests makes the metrics of requests. An operation is a method and a route: it has no value of a path.
func collectRequests(stats func() []api.OperationStats) func(out sink) {
	return func(out sink) {
		for _, o := range stats() {
			for _, code := range countedFromStart {
				if _, ok := o.Requests[code]; !ok {
					out.counter(mRequests, 0, o.Operation, strconv.Itoa(code))
				}
			}
			for code, n := range o.Requests {
				out.counter(mRequests, float64(n), o.Operation, strconv.Itoa(code))
			}
			buckets, sum := map[float64]uint64{}, uint64(0)
			for i, n := range o.Latency {
				sum += n
				if i < len(api.LatencyBounds) {
					buckets[api.LatencyBounds[i].Seconds()] = sum
				}
			}
			out.ch <- prometheus.MustNewConstHistogram(mRequestSeconds, sum, o.Total.Seconds(), buckets, o.Operation)
		}
	}
}

// Package tracingtest is a collector for tests: it takes OTLP over HTTP, and gives the spans that it was sent.
package tracingtest

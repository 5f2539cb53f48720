// Package watch has the alerts of a node for Prometheus, and what Prometheus and Grafana of the compose file read. Its
// tests run each alert by Prometheus' own tool: on series for which it fires, and on series for which it does not.
package watch

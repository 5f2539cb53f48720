// Package watch has the alerts of a node for Prometheus, dashboards for Grafana, and what else both read in the compose
// file. Program boards below writes the dashboards. The tests run each alert by Prometheus' own tool, on series for which
// it fires and on series for which it does not, and hold what alerts and panels ask for against what the program exports.
package watch

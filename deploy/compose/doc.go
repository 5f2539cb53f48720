// Package compose has a node as containers: alone, on Apache Kafka, or watched by Prometheus and Grafana. Its tests
// read the file as docker compose does, and hold what it gives the node against the node's own command line.
package compose

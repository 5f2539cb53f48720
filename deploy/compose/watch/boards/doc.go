// Program boards writes the dashboards of Grafana:
//
//	go run ./deploy/compose/watch/boards deploy/compose/watch/dashboards
//
// The list of panels is boards.go; grafana.go makes the JSON that Grafana reads. Each dashboard asks by a data source and
// by instances that its reader chooses. A panel has a unit and a sentence, and has the threshold of its alert as a line.
package main

// Package systemd has the unit of a node, its user, its directory and an example of its configuration. Its tests hold
// them against systemd's own tools, without a running systemd.
package systemd

//go:build !race

package ingest

const underRace = false

// Package geoip tells where addresses are, by a file in MaxMind's format (GeoLite2 City, GeoIP2 City,
// or another one of their fields): country, its largest subdivision, city and coordinates.
//
//	--geoip FILE ─► Open ─► Locate(address) ─► domain.Geo ─► api/members ─► command
//
// The file is read once, into memory: one that is overwritten in place while it is mapped would end
// the process. What it says is looked up before the command is appended (I6), so a replay, and a
// node with another file, have what was found then.
//
// A lookup takes 1.7 µs and 152 bytes (BenchmarkFile_Locate). Any goroutine may call
// Locate.
package geoip

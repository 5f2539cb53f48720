// Package geoiptest writes small files in MaxMind's format, for tests of what looks addresses up. Only
// tests import it.
package geoiptest

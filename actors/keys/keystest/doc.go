// Package keystest keeps data keys in memory, for tests of what seals and opens. Only tests
// import it.
package keystest

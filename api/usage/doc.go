// Package usage answers how often an account's keys were used: hits per hour, day or month. A
// hit is an answered request with a valid key, errors and 304 too, 429 not; the engine counts
// them by application and hour.
package usage

// Package stats answers the statistics: tallies by activity, type, country, gender, age,
// day and service, new and returning members, segments, brands by shared members. Each is
// one question of the engine, rendered; tally.go holds what they share. Counts are exact,
// and the rows and totals of one answer are of one moment. A handler runs on the goroutine
// of its request and keeps no state.
package stats

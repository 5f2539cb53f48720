// Package population enters an account into a node, brands, definitions and members over HTTP,
// and makes the records of what its members do, as a network's collector publishes them.
//
//	Population  the account; Enter gives it its ids, Message makes a record
//	Mix         a load drawn by seed: few brands get most (Zipf), a tenth of the members do a third
//
// It is not the demo's audience, whose members have lives: that takes 4 to 9 µs an action, as much as
// the node that is measured, and 29 s for 100,000 members (AMD EPYC, two cores).
//
// A Population is read by any goroutine once entered; records are made by one.
package population

// Package logins answers the statistics of registrations and logins: by service, day and domain, in
// all, and by member. Each is one question of the engine about visits, rendered; filters.go has the
// parameters that they share. A handler runs on the goroutine of its request and keeps no state.
//
//	signups.go   registrations by service; timeline.go: by service and day
//	visits.go    the visits of a member
//	domains.go   visits by domain; totals.go: in all; members.go: by member
package logins

// Package audience makes up an audience that looks like people: artists and podcasts
// with releases and tours, fans in time zones who sleep, work and have weekends, and
// what they did for a year. It is the source of the demo and of a collector without
// a network.
//
//	Options{Seed, Members, Actions, End}
//	     │ New
//	     ▼
//	Brands ─ releases, concerts ──► heat of a brand by day ─┐
//	Definitions, Segments                                   ▼
//	Members ─ tastes, accounts, rhythm ──► weight of a member by day ──► sessions ─┐
//	        └ follows, tickets, concerts: moments, each on its day ────────────────┤
//	                                                                               ▼
//	                                            Day(d): the actions of one UTC day, by time
//	                                            History: 52 weeks of them, Actions in all
//	                                            Live: so many actions of one second
//
// # What is promised
//
//   - It is pure: no clock, no file, no map order. Everything comes from Options.
//   - The same Seed, Members, Actions and Brands give the same people and the same
//     actions, to the byte. Time counts from a Monday: that on or before End, at
//     midnight UTC, is where the history ends; the 52 weeks before it are the
//     history. Another End moves all dates, birthdates and ids included, by whole
//     weeks and changes nothing else, so whatever is asked of the same weeks of the
//     history has the same numbers, whenever the demo is started.
//   - A day is made from itself: Day may be called for any day, in any order, and
//     gives what History gives there. A collector can go on where it stopped.
//   - Every trait draws from a stream of its own, named by seed, trait and number: a
//     change of how genders are drawn leaves ages as they were, and more members
//     leave the first ones as they were but for what they do.
//   - The history has exactly Actions actions, in order of time; those of one second in
//     a fixed order. Ids are unique, also between days and the live ones.
//
// Not promised: that another release makes the same audience. The time zones have no
// summer time.
//
// # Who may call
//
// An Audience is not changed after New; any number of goroutines may read it. A Live
// belongs to one.
package audience

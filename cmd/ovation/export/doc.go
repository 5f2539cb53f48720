// Package export reads the actions or the members of an account over the API, and writes what is new since the run before
// to files for a warehouse.
//
//	API ──► pages of the feed, of the list of members ──► Export ──► Part (package table)
//	                                                        │  ▲
//	                                            what is new │  │ what was exported, where the run before began
//	                                                        ▼  │
//	                                                       Store (package state)
//
// # Actions
//
// A run waits until all that was in the log when it began is applied, and reads windows of half a year of completion, each by
// pages of a cursor. The first run reads each window in order of completion. A later one reads in order of recording,
// beginning overlap before the run before it began: everything that was not visible then was recorded later, also what
// was completed years ago. What is met a second time is known by its ID, which an action keeps for good, over
// merges too. So an action that is exported is exported once, whatever a page has.
//
// A merge of two members, or one that is taken back, records actions again, hides some and shows others. Whether there was
// one since a run began is told by its probe: the cursor of a page that the API refuses after one. The run after that reads
// everything, as the first one, and writes what is not known. The probe is made before anything is read, so that of a merge
// during a run the next one learns.
//
// Of times only the difference between the clocks of the nodes and of the brokers matters: it must be less than overlap.
//
// # Members
//
// Those that changed since overlap before the run before began, in order of ID. A member is written if its columns are not
// those that were written last.
//
// # Promised
//
//   - What was in the log when the command began is exported when it ends without an error: after a run that an earlier
//     process had begun comes another one, for what was recorded since that began. What members' merges show while it runs
//     is exported by the next command.
//   - A part's file is on the disk under its name before the state knows of it and of its rows; the state changes at once.
//     A process may be killed at any moment: the next one goes on, and at most writes the last part again.
//   - Every action that stays is exported exactly once. One that was deleted before it was read is not.
//   - What is in memory does not grow with what is exported: a page, the IDs of one part, a row group.
//   - No value of a row is in an error or the log.
//
// # Who may call
//
// An Export belongs to one goroutine.
package export

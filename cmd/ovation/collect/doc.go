// Package collect publishes actions to the public topic as a network's collector does:
// from a file whose rows a mapping makes actions of (package input), or from a made-up audience.
//
//	input.File ──► Source ── cutter ──► chunks of actions
//	 (a mapping)  (goroutine)               │
//	                                        ▼
//	State: known.ndjson ◄── makers ── API: what is missing      collector
//	       position     ◄──────────── after acknowledgement ◄── Log: Kafka
//	       runs         ──► Undo ──── API: deletions
//
// A mapping file in short; those in lastfm are whole ones, and mapping.md has every key and function:
//
//	source: shop/plays               # ce_source
//	input: {format: csv}             # the first row names the columns
//	id: "{order}"                    # ce_id; without it file and line
//	time: {value: "{at}", unit: ms}
//	member: {service: spotify, uid: "{user}", register: {country: "{cc}"}}
//	brand: {create: {name: "{artist}", type: Music}}
//	activities:
//	  play: {name: "played a track by {brand}", type: Listened, service: spotify}
//	content: {TrackName: "{track}", Minutes: "{= int(ms) / 60000}"}
//	where: int(ms) >= 30000          # rows for which it is false are passed over
//
// Those of package mappings are ready for files as people download them; the one of a member's export leaves
// registering to its service lines. Of a file that does not say whose it is, --member names the member, and
// {@member} in its ids keeps them apart from those of other members.
//
// # Promised
//
//   - Every row is published or reported as bad with its line; a bad one stops no other. A cause that is
//     no row's (nothing may be made, the API is another one) stops the run before any row is passed.
//   - A position passes no bad row but those that the rejects took: mended in the file, it is published.
//   - Every name gets a brand, in the order of the source: where the slug of a name is taken by another
//     spelling, one with a hash of the name.
//   - The id of an action depends on its row alone, so that publishing twice counts once.
//   - What a command reads of a source is a run (package runs): its counts are exact also after crashes, and Undo
//     deletes the actions that it brought. Each has a marker that names the run and the row, unless the mapping gives one.
//   - Equal ids within a run are counted when it ends, those of rows with other contents apart: of these the
//     first counts, and the run ends as one with bad rows.
//   - Memory does not grow with the source: the actions under way are bounded in number and bytes, ids are on disk, and what
//     was made (package nametable) likewise; it is 64 MiB beside the program's code at most.
//   - A position is written only when all before it is acknowledged, so that a run that
//     was killed resumes with nothing missing, and repeats a little.
//   - A source that is not the one published from is noticed and refused, but for rows
//     added after its end. So is a mapping that changed, and another log.
//   - No value of a row is in an error or the log; it is in the rejects, if asked for.
//
// # Who may call
//
// Run is one run with its own goroutines, which end with it. A State may be shared by
// runs; all else belongs to one.
//
// # Tests
//
// The log and the API are in memory or a server of the test; the whole against the
// program that users run is in cmd/ovation/e2e.
package collect

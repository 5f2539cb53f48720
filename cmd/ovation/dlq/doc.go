// Package dlq reads the topic of dead letters, and publishes the originals again.
//
//	activities.dlq ──► Log.Each ──► Filter ──► Letter ──► Mend ──► Log.Replay ──► activities
//	                   (each id once)          key, value, headers, time of the original
//
// A letter that is replayed keeps the key, the headers, the bytes and the time of its
// original, and with them its dedup key (source, id): it counts once, however often it
// is replayed, and an action that was deleted stays deleted. A mended one has to keep
// the dedup key, where one can be read in the letter.
//
// A replay is marked by a record of its own in the topic (ingest.NewReplayMark), which names the letter and
// where its original is now; so a reading tells when a letter was replayed last, and which letter it became
// if it was refused again.
//
// It says when its original was first refused, and so does the letter of a replay that is refused: whom an
// identity names, and when an activity without a time happened, is judged as of then.
//
// Not promised: that a replayed record is accepted. What still cannot be taken is a dead
// letter again, with an id of its own, since it has another place in the public topic.
//
// letter.go is the letter and what filters it, log.go the topics, window.go how they are read back page by page,
// mend.go what may be changed before it is published again, replay.go how letters are gathered for it, and
// service.go the letters of a node for its admin port: pages, one letter, and a replay as a job.
//
// A Service holds of the topic what one page of its log takes, and of a run the ids that came last, by which it
// knows repeats.
//
// A Log and a Replayer belong to one goroutine, a Service to any. A letter's bytes are personal data: nothing of them
// is in an error.
package dlq

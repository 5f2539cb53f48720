package nodes

import (
	"fmt"
	"time"
)

// An id is used twice when --data was copied, a machine was cloned, or a process was thought dead,
// was replaced and woke. Two processes with one id would each keep its beats alive: the rule ends
// one of them, and always the same one.
//
//   - A process that starts beats under its id only once no other process did for freeAfter. One
//     that sees another beat for so long is the newcomer, and ends: if the older one ended, those
//     who restart processes would make a duel of it. One change alone proves nothing: the last request of a
//     process that is gone may arrive late.
//   - So a process that beats and reads the beat of another one was silent for as long: it was
//     paused, or cut off. Of the two the one that began first ends.
//   - A node alone does not beat. A process that starts says that it looks (Watching), and looks
//     longer; one that runs alone reads its group every lookAlone, and beats for a while when
//     it finds another process there.

const (
	freeAfter = 3 * time.Second
	lookAlone = 5 * time.Second
	// answerFor is how long a node alone beats after it found another process looking.
	answerFor = 15 * time.Second
)

// identity watches that the id of a node is used by one process.
type identity struct {
	self   Self
	own    Beat      // Incarnation and Began of this process
	free   bool      // no other process beats: this one does
	looked bool      // at what is kept under the id
	last   Beat      // of another process, as last seen
	moved  time.Time // when it was seen to change, or first
	beats  time.Time // when it was first seen to change; zero: not yet
	answer time.Time // until then a node alone beats, too
}

// see judges what is kept under the id. Quiet is how long a beat of another process must not
// change to be a dead one's.
func (w *identity) see(now time.Time, kept Beat, quiet time.Duration) error {
	first := !w.looked
	if first {
		w.looked = true
		w.moved = now
	}
	foreign := kept.Version != 0 && kept.Incarnation != w.own.Incarnation
	switch {
	case w.free && foreign && kept.State == Watching:
		w.answer = now.Add(answerFor)
		return nil
	case w.free && foreign && kept.State != Ending && kept.later(&w.own):
		return w.ended("ran on after this one was paused or cut off for some seconds. This one ends")
	case w.free:
		return nil
	}
	if foreign && kept != w.last && kept.State != Watching {
		if !first && w.beats.IsZero() {
			w.beats = now
		}
		w.moved = now
		w.last = kept
	}
	switch {
	case foreign && !w.beats.IsZero() && w.moved.Equal(now) && now.Sub(w.beats) >= freeAfter:
		return w.ended("runs already, and this one is the newer: a copy of its data, or of its machine. This one ends")
	case !foreign && quiet <= freeAfter, foreign && kept.State == Ending, now.Sub(w.moved) >= quiet:
		w.free = true
	}
	return nil
}

func (w *identity) ended(why string) error {
	return &EndedError{fmt.Sprintf("another process with the id of this node, %s, %s; "+
		"to have both run, delete %s at one of them: it joins as a new node then", w.self.Up.ID, why, w.self.IDFile)}
}

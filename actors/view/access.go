package view

import (
	"sync"
	"time"
)

// Access is when the brands of an account were last asked about. Any goroutine.
type Access struct{ asked sync.Map } // dense number → LastAccess

// LastAccess is the last two times; zero: never.
type LastAccess struct{ Last, Before time.Time }

// Note notes that a brand is asked about.
func (a *Access) Note(dense uint32, at time.Time) {
	a.asked.Store(dense, LastAccess{at, a.Of(dense).Last})
}

// Of is when a brand was last asked about.
func (a *Access) Of(dense uint32) LastAccess {
	if at, ok := a.asked.Load(dense); ok {
		return at.(LastAccess)
	}
	return LastAccess{}
}

package actors

import (
	"context"
	"log/slog"
	"strings"
	"sync/atomic"
	"time"
)

// trouble is what keeps somebody from going on with one thing, for now: it is tried
// again until it goes, and nobody has to do anything here. Status shows it from the
// first failure on. The log has a line when it has lasted, one a minute while it does,
// and one when it is over: a broker that starts again is no news. One goroutine writes,
// any reads; what begins is read too.
type trouble struct {
	what     string // "the journal cannot be read"
	why      atomic.Pointer[string]
	failures atomic.Int64 // over the life of the process

	began, said time.Time // owned by the writer; zero: none, nothing
	well        time.Time // likewise: when it last went, of what is tried all the time
}

const (
	troubleTries = 4           // failures that may be over before anybody reads of them
	troubleLasts = time.Second // likewise
	troubleEvery = time.Minute // between lines of one trouble
)

// met notes that it failed again, for the n-th time running.
func (t *trouble) met(log *slog.Logger, failures int, err error, where ...any) {
	now := time.Now()
	if t.began.IsZero() {
		if t.began = now; !t.well.IsZero() {
			t.began = t.well // it may have hung since
		}
	}
	t.failures.Add(1)
	why := t.what + ": " + err.Error()
	t.why.Store(&why)
	level := slog.LevelDebug
	if (failures > troubleTries || now.Sub(t.began) >= troubleLasts) && now.Sub(t.said) >= troubleEvery {
		level, t.said = slog.LevelWarn, now
	}
	log.Log(context.Background(), level, t.what, append(where, "failures", failures, "err", err)...)
}

// goes is over of what is tried all the time.
func (t *trouble) goes(log *slog.Logger, where ...any) {
	t.over(log, where...)
	t.well = time.Now()
}

// over notes that it goes.
func (t *trouble) over(log *slog.Logger, where ...any) {
	if t.began.IsZero() {
		return
	}
	if !t.said.IsZero() {
		log.Info("over: "+t.what, append(where, "lasted", time.Since(t.began).Round(time.Millisecond))...)
	}
	t.began, t.said = time.Time{}, time.Time{}
	t.why.Store(nil)
}

// troubles are those that somebody may have, in one sentence; empty: none.
func troubles(all ...*trouble) string {
	var whys []string
	for _, t := range all {
		if why := t.why.Load(); why != nil {
			whys = append(whys, *why)
		}
	}
	return strings.Join(whys, "; ")
}

// failed is how often any of them failed.
func failed(all ...*trouble) (n int64) {
	for _, t := range all {
		n += t.failures.Load()
	}
	return n
}

// joined is two sentences, of which either may be empty.
func joined(a, b string) string {
	if a == "" || b == "" {
		return a + b
	}
	return a + "; " + b
}

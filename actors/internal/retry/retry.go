package retry

import (
	"context"
	"log/slog"
	"strings"
	"sync/atomic"
	"time"
)

// State is the state of one operation that is retried until it succeeds. Status shows the
// cause from the first failure on. The log has a line when failures last, one a minute while
// they do, and one when the operation has recovered: a broker that restarts is no news. One
// goroutine writes, any reads; what begins is read too.
type State struct {
	What     string // "the journal cannot be read"
	why      atomic.Pointer[string]
	failures atomic.Int64 // over the life of the process

	began, logged time.Time // owned by the writer; zero: no failure, no line
	progressed    time.Time // likewise: the last success of an operation that never ends
}

const (
	quietTries = 4           // failures in a row before the first line
	quietFor   = time.Second // or their age
	LogEvery   = time.Minute // between lines of one operation
)

// Failed notes a failure, the n-th in a row.
func (t *State) Failed(log *slog.Logger, failures int, err error, where ...any) {
	now := time.Now()
	if t.began.IsZero() {
		t.began = now
		if !t.progressed.IsZero() {
			t.began = t.progressed // it may have hung since
		}
	}
	t.failures.Add(1)
	why := t.What + ": " + err.Error()
	t.why.Store(&why)
	level := slog.LevelDebug
	lasts := failures > quietTries || now.Sub(t.began) >= quietFor
	if lasts && now.Sub(t.logged) >= LogEvery {
		level = slog.LevelWarn
		t.logged = now
	}
	log.Log(context.Background(), level, t.What, append(where, "failures", failures, "err", err)...)
}

// Progress notes a success of an operation that never ends.
func (t *State) Progress(log *slog.Logger, where ...any) {
	t.Recovered(log, where...)
	t.progressed = time.Now()
}

// Recovered notes that the operation succeeded.
func (t *State) Recovered(log *slog.Logger, where ...any) {
	if t.began.IsZero() {
		return
	}
	if !t.logged.IsZero() {
		log.Info("recovered: "+t.What, append(where, "lasted", time.Since(t.began).Round(time.Millisecond))...)
	}
	t.began = time.Time{}
	t.logged = time.Time{}
	t.why.Store(nil)
}

// Why is the cause while the operation fails; empty otherwise. Any goroutine may call.
func (t *State) Why() string {
	if why := t.why.Load(); why != nil {
		return *why
	}
	return ""
}

// Causes are the causes of the operations that fail, in one sentence; empty: none.
func Causes(all ...*State) string {
	var whys []string
	for _, t := range all {
		if why := t.Why(); why != "" {
			whys = append(whys, why)
		}
	}
	return strings.Join(whys, "; ")
}

// Failures is the number of failures of all the operations.
func Failures(all ...*State) (n int64) {
	for _, t := range all {
		n += t.failures.Load()
	}
	return n
}

// Join is two sentences, either of which may be empty.
func Join(a, b string) string {
	if a == "" || b == "" {
		return a + b
	}
	return a + "; " + b
}

// Backoff waits longer after each failure in a row, up to 1 s; false when ctx ended.
func Backoff(ctx context.Context, failures int) bool {
	return Pause(ctx, min(time.Second, 20*time.Millisecond<<min(failures, 6)))
}

// Pause waits; false when ctx ended.
func Pause(ctx context.Context, d time.Duration) bool {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return true
	case <-ctx.Done():
		return false
	}
}

package storage

import (
	"errors"
	"fmt"
	"log/slog"
	"sync"

	"github.com/cockroachdb/pebble/v2"

	"github.com/ovation-analytics/ovation/storage/pebblefs"
)

var errClosed = errors.New("storage: closed")

// failure is the first error of a store that is the end of all of it: one of writing,
// or of Pebble's own work. The disk's errors are for good: what a log or a table holds
// behind one is unknown until the store is opened again. What cannot be read is no such
// end: see package pebblefs. The one who reads it hears of it, a shard or a question of
// its, and stops; nobody else does.
type failure struct {
	damage *pebblefs.Damage
	mu     sync.Mutex // Pebble reports from goroutines of its own
	err    error
	done   chan struct{}
}

func newFailure(log *slog.Logger) *failure {
	return &failure{damage: pebblefs.NewDamage(log, "a file of the store is corrupt", errDamaged), done: make(chan struct{})}
}

// set notes an error if it is the first, and gives the first.
func (f *failure) set(err error) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.err == nil {
		f.err = err
		close(f.done)
	}
	return f.err
}

// Damaged reports that an error says that a file of a store holds what cannot be read.
func Damaged(err error) bool {
	return pebble.IsCorruptionError(err) || errors.Is(err, errDamaged)
}

// get is the first error, nil while there is none.
func (f *failure) get() error {
	select {
	case <-f.done:
		f.mu.Lock()
		defer f.mu.Unlock()
		return f.err
	default:
		return nil
	}
}

// listener hears of what Pebble meets by itself. It flushes and compacts on goroutines
// that end with it.
func (f *failure) listener() *pebble.EventListener {
	return &pebble.EventListener{
		FlushBegin:      func(pebble.FlushInfo) { pebblefs.Yield() },
		CompactionBegin: func(pebble.CompactionInfo) { pebblefs.Yield() },
		BackgroundError: func(err error) { f.ends("background", f.damage.Background(err)) },
		DataCorruption:  f.damage.Found,
		WriteStallBegin: func(i pebble.WriteStallBeginInfo) { f.ends("stall", f.damage.Stalled(i.Reason)) },
	}
}

// ends makes an error the store's, if there is one.
func (f *failure) ends(what string, err error) {
	if err != nil {
		f.set(fmt.Errorf("storage: %s: %w", what, err))
	}
}

// pebbleLog is Pebble's logger. A fatal message is an error of the store and not the
// end of the process: Commit looks for it before it reports success.
type pebbleLog struct {
	failure *failure
	log     *slog.Logger
}

// Infof is for debugging.
func (l pebbleLog) Infof(format string, args ...any) {
	l.log.Debug("pebble", "message", fmt.Sprintf(format, args...))
}

// Errorf is what Pebble goes on from.
func (l pebbleLog) Errorf(format string, args ...any) {
	l.log.Warn("pebble", "message", fmt.Sprintf(format, args...))
}

// Fatalf is what it would end the process for.
func (l pebbleLog) Fatalf(format string, args ...any) {
	l.failure.set(fmt.Errorf("storage: fatal: %w", fmt.Errorf(format, args...)))
}

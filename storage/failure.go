package storage

import (
	"errors"
	"fmt"
	"log/slog"
	"sync"

	"github.com/cockroachdb/pebble/v2"
)

var errClosed = errors.New("storage: closed")

// failure is the first error of a store. The disk's errors are for good: what a log
// or a table holds behind one is unknown until the store is opened again.
type failure struct {
	mu   sync.Mutex // Pebble reports from goroutines of its own
	err  error
	done chan struct{}
}

func newFailure() *failure { return &failure{done: make(chan struct{})} }

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

// listener makes Pebble's background errors the store's.
func (f *failure) listener() *pebble.EventListener {
	return &pebble.EventListener{
		BackgroundError: func(err error) { f.set(fmt.Errorf("storage: background: %w", err)) },
		DataCorruption: func(c pebble.DataCorruptionInfo) {
			f.set(fmt.Errorf("storage: corrupt file %s: %w", c.Path, c.Details))
		},
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

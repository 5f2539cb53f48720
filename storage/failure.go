package storage

import (
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"sync"
	"time"

	"github.com/cockroachdb/pebble/v2"
)

var errClosed = errors.New("storage: closed")

// failure is the first error of a store that is the end of all of it: one of writing,
// or of Pebble's own work. The disk's errors are for good: what a log or a table holds
// behind one is unknown until the store is opened again.
//
// What cannot be read is no such end. The one who reads it hears of it, a shard or a
// question of its, and stops; nobody else does. Pebble leaves a table alone for five
// minutes that a compaction could not read, but one of its newest level it tries again
// at once and for ever: that ends the store, since compaction does.
type failure struct {
	log *slog.Logger

	mu      sync.Mutex // Pebble reports from goroutines of its own
	err     error
	done    chan struct{}
	corrupt []string    // files
	vain    []time.Time // of compactions that met what cannot be read, lately
}

func newFailure(log *slog.Logger) *failure { return &failure{log: log, done: make(chan struct{})} }

// set notes an error if it is the first, and gives the first.
func (f *failure) set(err error) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.setLocked(err)
}

func (f *failure) setLocked(err error) error {
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

// listener hears of what Pebble meets by itself.
func (f *failure) listener() *pebble.EventListener {
	return &pebble.EventListener{
		BackgroundError: f.background,
		DataCorruption:  func(c pebble.DataCorruptionInfo) { f.damaged(c.Path, c.Details) },
	}
}

// damaged notes a file that holds what cannot be read, and says so once.
func (f *failure) damaged(path string, why error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if !slices.Contains(f.corrupt, path) {
		f.corrupt = append(f.corrupt, path)
		f.log.Error("a file of the store is corrupt", "file", path, "err", why)
	}
}

// damages are the files that were found corrupt.
func (f *failure) damages() []string {
	f.mu.Lock()
	defer f.mu.Unlock()
	return slices.Clone(f.corrupt)
}

// vainMost is how many compactions may fail for want of something that can be read, in
// vainSpan.
const (
	vainMost = 8
	vainSpan = time.Minute
)

// background is an error of Pebble's own work.
func (f *failure) background(err error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if !pebble.IsCorruptionError(err) && !errors.Is(err, errDamaged) {
		f.setLocked(fmt.Errorf("storage: background: %w", err))
		return
	}
	now := time.Now()
	f.vain = slices.DeleteFunc(f.vain, func(t time.Time) bool { return now.Sub(t) > vainSpan })
	if f.vain = append(f.vain, now); len(f.vain) > vainMost {
		f.setLocked(fmt.Errorf("storage: compaction meets it again and again: %w", err))
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

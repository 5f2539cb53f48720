package pebblefs

import (
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"sync"
	"time"

	"github.com/cockroachdb/pebble/v2"
)

// corruption is what is known of the corrupt files of one store. Any goroutine may call any
// method.
type corruption struct {
	log  *slog.Logger
	text string
	own  error

	mu     sync.Mutex  // guards what follows: Pebble reports from goroutines of its own
	files  []string    // each once
	failed []time.Time // compactions that met corruption, within failedSpan
	closed chan struct{}
	once   sync.Once
}

func newCorruption(o Options) *corruption {
	return &corruption{log: o.Logger, text: o.Corrupt, own: o.Own, closed: make(chan struct{})}
}

// Corrupted tells what cannot be read from a disk that fails.
func (d *DB) Corrupted(err error) bool { return d.corrupt.is(err) }

// CorruptFiles are the files in which something could not be read.
func (d *DB) CorruptFiles() []string { return d.corrupt.list() }

func (c *corruption) is(err error) bool {
	return pebble.IsCorruptionError(err) || errors.Is(err, c.own)
}

// found notes a file, and logs it once.
func (c *corruption) found(i pebble.DataCorruptionInfo) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if !slices.Contains(c.files, i.Path) {
		c.files = append(c.files, i.Path)
		c.log.Error(c.text, "file", i.Path, "err", i.Details)
	}
}

func (c *corruption) list() []string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return slices.Clone(c.files)
}

// Bounds of compactions that fail for corruption: more than maxFailed in a span stop the
// store, where they cannot be paced; after a failed one, the next begins retryPause later.
const (
	maxFailed  = 60
	failedSpan = time.Minute
	retryPause = 10 * time.Second
)

// background takes an error of Pebble's own work, and gives it if the store has to stop.
func (c *corruption) background(err error) error {
	if !c.is(err) {
		return err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	now := time.Now()
	c.failed = slices.DeleteFunc(c.failed, func(t time.Time) bool { return now.Sub(t) > failedSpan })
	c.failed = append(c.failed, now)
	if len(c.failed) > maxFailed {
		return fmt.Errorf("compaction meets it again and again: %w", err)
	}
	return nil
}

// stalled is the error of a write stall: behind a compaction that fails for corruption it would
// never end. Other stalls are none.
func (c *corruption) stalled(reason string) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(c.failed) == 0 {
		return nil
	}
	return fmt.Errorf("writes wait for a compaction that meets a corrupt file: %s", reason)
}

// pace delays a compaction that retries. It is called before a compaction writes.
func (c *corruption) pace() {
	c.mu.Lock()
	retry := len(c.failed) > 0 && time.Since(c.failed[len(c.failed)-1]) < retryPause
	c.mu.Unlock()
	if !retry {
		return
	}
	t := time.NewTimer(retryPause)
	defer t.Stop()
	select {
	case <-t.C:
	case <-c.closed:
	}
}

// close ends the pauses: the store is about to be closed.
func (c *corruption) close() { c.once.Do(func() { close(c.closed) }) }

// compactionCategory is Pebble's name for the writes of compactions.
const compactionCategory = "pebble-compaction"

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

// Damage is what is known of one store. Any goroutine may call any method.
type Damage struct {
	log  *slog.Logger
	text string
	own  error

	mu     sync.Mutex // guards what follows: Pebble reports from goroutines of its own
	files  []string   // that were found corrupt
	vain   []time.Time
	closed chan struct{}
	once   sync.Once
}

// NewDamage notes for a store: own is its own error of what it cannot read; the text is that of
// the line in the log.
func NewDamage(log *slog.Logger, text string, own error) *Damage {
	return &Damage{log: log, text: text, own: own, closed: make(chan struct{})}
}

// Is tells what cannot be read from a disk that fails.
func (n *Damage) Is(err error) bool { return pebble.IsCorruptionError(err) || errors.Is(err, n.own) }

// Found notes a file, and says so once.
func (n *Damage) Found(i pebble.DataCorruptionInfo) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if !slices.Contains(n.files, i.Path) {
		n.files = append(n.files, i.Path)
		n.log.Error(n.text, "file", i.Path, "err", i.Details)
	}
}

// Files are those that were found.
func (n *Damage) Files() []string {
	n.mu.Lock()
	defer n.mu.Unlock()
	return slices.Clone(n.files)
}

// Compactions that fail for damage: so many in a span are an end, if they cannot be paced;
// one is begun so long after.
const (
	vainMost = 60
	vainSpan = time.Minute
	vainPace = 10 * time.Second
)

// Background takes an error of Pebble's own work. What it gives is the end of the store;
// nil: it goes on.
func (n *Damage) Background(err error) error {
	if !n.Is(err) {
		return err
	}
	n.mu.Lock()
	defer n.mu.Unlock()
	now := time.Now()
	n.vain = slices.DeleteFunc(n.vain, func(t time.Time) bool { return now.Sub(t) > vainSpan })
	if n.vain = append(n.vain, now); len(n.vain) > vainMost {
		return fmt.Errorf("compaction meets it again and again: %w", err)
	}
	return nil
}

// Stalled is what to do when writes have to wait: where compaction has failed for
// damage lately it would be for ever.
func (n *Damage) Stalled(reason string) error {
	n.mu.Lock()
	defer n.mu.Unlock()
	if len(n.vain) == 0 {
		return nil
	}
	return fmt.Errorf("writes wait for a compaction that meets a corrupt file: %s", reason)
}

// Pace is called before a compaction writes.
func (n *Damage) Pace() {
	n.mu.Lock()
	lately := len(n.vain) > 0 && time.Since(n.vain[len(n.vain)-1]) < vainPace
	n.mu.Unlock()
	if !lately {
		return
	}
	t := time.NewTimer(vainPace)
	defer t.Stop()
	select {
	case <-t.C:
	case <-n.closed:
	}
}

// Close ends the pauses: the store is about to be closed.
func (n *Damage) Close() { n.once.Do(func() { close(n.closed) }) }

// CompactionCategory is what Pebble calls its compactions' writes.
const CompactionCategory = "pebble-compaction"

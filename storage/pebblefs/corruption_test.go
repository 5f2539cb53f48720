package pebblefs

import (
	"bytes"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/cockroachdb/pebble/v2"
)

var errOwn, errDisk = errors.New("a value that makes no sense"), errors.New("disk on fire")

// A store goes on beside compactions that meet damage, unless they come at once again and
// again, or writes wait for them; a disk that fails is its end.
func TestCorruption_CompactionsThatMeetItArePaced(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		said := &bytes.Buffer{}
		n := newCorruption(Options{Logger: slog.New(slog.NewTextHandler(said, nil)), Corrupt: "a file is corrupt", Own: errOwn})
		if err := n.background(errDisk); !errors.Is(err, errDisk) {
			t.Errorf("a disk that fails: %v", err)
		}
		if err := n.stalled("memtables"); err != nil {
			t.Errorf("writes that wait for something else: %v", err)
		}
		paced := func() time.Duration {
			began := time.Now()
			n.pace()
			return time.Since(began)
		}
		if d := paced(); d != 0 {
			t.Errorf("a compaction waits %v for nothing", d)
		}
		for range 3 * maxFailed { // paced, they are no end
			if err := n.background(fmt.Errorf("compaction: %w", errOwn)); err != nil {
				t.Fatal(err)
			}
			if d := paced(); d != retryPause {
				t.Fatalf("the next one waits %v", d)
			}
		}
		if err := n.stalled("L0"); err == nil || !strings.Contains(err.Error(), "L0") {
			t.Errorf("writes that wait for it: %v", err)
		}
		time.Sleep(failedSpan)
		for range maxFailed {
			if err := n.background(pebble.ErrCorruption); err != nil {
				t.Fatal(err)
			}
		}
		if err := n.background(pebble.ErrCorruption); !errors.Is(err, pebble.ErrCorruption) {
			t.Errorf("one more at once: %v", err)
		}
		n.close()
		if d := paced(); d != 0 {
			t.Errorf("a store that is closed waits %v", d)
		}
		for range 3 {
			n.found(pebble.DataCorruptionInfo{Path: "1.sst", Details: errOwn})
			n.found(pebble.DataCorruptionInfo{Path: "2.sst", Details: errOwn})
		}
		if f := n.list(); len(f) != 2 || strings.Count(said.String(), "a file is corrupt") != 2 {
			t.Errorf("%v\n%s", f, said)
		}
	})
}

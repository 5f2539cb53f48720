package log

import (
	"bytes"
	"errors"
	"math"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/cockroachdb/pebble/v2/vfs"
	"github.com/cockroachdb/pebble/v2/vfs/errorfs"

	"github.com/ovation-analytics/ovation/storage/pebblefs/pebblefstest"
)

// Appends that Pebble holds back until a flush has ended return when the log stops: it never
// ends then.
func TestDisk_HeldBackAppendsReturn(t *testing.T) { pebblefstest.Apart(t, heldBackAppendsReturn) }

func heldBackAppendsReturn(t *testing.T) {
	var slow, onFire atomic.Bool
	fs := errorfs.Wrap(vfs.NewMem(), errorfs.InjectorFunc(func(op errorfs.Op) error {
		switch {
		case slow.Load() && op.Kind == errorfs.OpCreate && strings.Contains(op.Path, ".sst"):
			select {} // a flush that takes very long
		case onFire.Load() && op.Kind == errorfs.OpFileSyncData:
			return errors.New("disk on fire")
		}
		return nil
	}))
	l, err := Open("log", Options{FS: fs, Logger: quiet, FreeSpace: func() (uint64, error) { return math.MaxUint64, nil }})
	if err != nil {
		t.Fatal(err)
	}
	id := created(t, l, "t", 2)
	first := part(t, l, id, 0)
	slow.Store(true)
	big := built{producer: -1, times: []int64{1}, values: []string{strings.Repeat("x", 1000<<10)}}.batch()
	var wg sync.WaitGroup
	for p := range int32(2) {
		wg.Go(func() {
			for {
				if _, _, err := appendWait(l, id, p, bytes.Clone(big)); err != nil {
					wantCode(t, err, StorageError)
					return
				}
			}
		})
	}
	for !stalled() {
		time.Sleep(10 * time.Millisecond)
	}
	onFire.Store(true)
	_ = l.fail(errors.New("disk on fire"))
	wg.Wait()
	wantStopped(t, l, first)
}

// stalled reports that a goroutine waits in Pebble for room.
func stalled() bool {
	stacks := make([]byte, 1<<20)
	for stack := range bytes.SplitSeq(stacks[:runtime.Stack(stacks, true)], []byte("\n\n")) {
		if bytes.Contains(stack, []byte("(*Cond).Wait")) && bytes.Contains(stack, []byte("maybeInduceWriteStall")) {
			return true
		}
	}
	return false
}

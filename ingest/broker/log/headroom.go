package log

import (
	"context"
	"fmt"
	"log/slog"
	"sync/atomic"

	"github.com/ovation-analytics/ovation/storage/pebblefs"
)

// refusal logs that appends are refused when it begins, and when it has ended.
type refusal struct {
	dir    string
	logger *slog.Logger
	level  slog.Level
	active atomic.Bool // the last append was refused
}

// check is the error of an append that is refused, for why; empty: it is not.
func (r *refusal) check(why string) error {
	if why == "" {
		if r.active.Load() && r.active.Swap(false) {
			r.logger.Info("recovered: log: appends are refused", "dir", r.dir)
		}
		return nil
	}
	if !r.active.Swap(true) {
		r.logger.Log(context.Background(), r.level, "log: appends are refused", "dir", r.dir, "why", why)
	}
	return fmt.Errorf("%w: %s", StorageError, why)
}

// headroom refuses what writes while the disk is nearly full: what is left is for the store's
// own work and for deleting.
type headroom struct {
	free    func() (uint64, error)
	minFree uint64
	refused atomic.Uint64 // calls
	refusal refusal
}

func (h *headroom) check() error {
	why := h.nearlyFull()
	if why != "" {
		h.refused.Add(1)
	}
	return h.refusal.check(why)
}

// nearlyFull is why appends are refused for want of space; empty: they are not.
func (h *headroom) nearlyFull() string {
	free, err := h.free()
	switch {
	case err != nil:
		return "the disk does not say how much is free: " + err.Error()
	case free < h.minFree:
		return (&pebblefs.FullError{Free: free, Least: h.minFree}).Error()
	}
	return ""
}

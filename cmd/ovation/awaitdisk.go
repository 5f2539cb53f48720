package main

import (
	"context"
	"fmt"
	"path/filepath"
	"time"

	"github.com/ovation-analytics/ovation/storage"
)

// awaitDisk waits until the disk has room for what opening writes. A store that is opened
// without fails, and only another process can open it then.
func (p *program) awaitDisk(ctx context.Context) error {
	for waited := 0; ; waited++ {
		err := p.diskRoom()
		if err == nil {
			if waited > 0 {
				p.log.Info("the disk has room again: starting")
			}
			return nil
		}
		err = fmt.Errorf("the node waits for room on the disk and starts by itself when there is more; free some, or grow it: %w", err)
		p.gate.Wait(err)
		if waited%60 == 0 {
			p.log.Warn("waiting for room on the disk", "err", err)
		}
		select {
		case <-time.After(time.Second):
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// diskRoom is nil, or which directory cannot be opened for want of room.
func (p *program) diskRoom() error {
	dirs := []string{"store", "catalog"}
	if len(p.cfg.Kafka) == 0 {
		dirs = append(dirs, "log")
	}
	for _, name := range dirs {
		dir := filepath.Join(p.cfg.Data, name)
		if err := storage.CanOpen(nil, dir); err != nil {
			return fmt.Errorf("%s: %w", dir, err)
		}
	}
	return nil
}

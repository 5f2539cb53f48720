package pebblefs

import (
	"fmt"

	"github.com/cockroachdb/pebble/v2"
)

// Commit commits a batch, or gives the error that stopped the store: then Pebble may have the
// batch still.
func (d *DB) Commit(b *pebble.Batch, o *pebble.WriteOptions) error {
	return d.OrFailed(func() error { return d.result(b.Commit(o)) })
}

// result is the error of a commit. A fatal message of Pebble's is in Err alone.
func (d *DB) result(err error) error {
	if err != nil {
		return d.Fail(fmt.Errorf("commit: %w", err))
	}
	return d.Err()
}

// Applied is a batch that has entered the WAL and is not durable yet.
type Applied struct {
	db     *DB
	batch  *pebble.Batch
	synced chan error
}

// Apply enters a batch into the WAL; it is durable when Wait has returned. So several batches
// share one fsync.
func (d *DB) Apply(b *pebble.Batch) (*Applied, error) {
	if err := d.Err(); err != nil {
		return nil, err
	}
	a := &Applied{db: d, batch: b, synced: make(chan error, 1)}
	entered := make(chan error, 1)
	go func() {
		err := d.ApplyNoSyncWait(b, pebble.Sync)
		entered <- err
		if err == nil {
			a.synced <- b.SyncWait()
		}
	}()
	select {
	case err := <-entered:
		return a, d.result(err)
	case <-d.done:
		return nil, d.Err()
	}
}

// Wait returns when the batch is durable, and closes it. It is called once.
func (a *Applied) Wait() error {
	select {
	case err := <-a.synced:
		if err := a.db.result(err); err != nil {
			return err
		}
		return a.batch.Close()
	case <-a.db.done:
		return a.db.Err()
	}
}

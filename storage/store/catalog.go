package store

import (
	"errors"
	"fmt"

	"github.com/cockroachdb/pebble/v2"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/storage/format"
	"github.com/ovation-analytics/ovation/storage/internal/scan"
	"github.com/ovation-analytics/ovation/storage/pebblefs"
)

// Catalog is the store of the catalog's entities. One goroutine owns it.
type Catalog struct {
	db     *pebblefs.DB
	state  format.CatalogState
	err    error // of Commit
	closed bool
	key    []byte
	value  []byte
}

// OpenCatalog opens the catalog's store in dir, or makes one. A store of another
// format is a *FormatError.
func OpenCatalog(dir string, o Options) (*Catalog, error) {
	if o.MemTableBytes <= 0 {
		o.MemTableBytes = 4 << 20
	}
	if o.CacheBytes <= 0 {
		o.CacheBytes = 8 << 20
	}
	if o.MaxOpenFiles <= 0 {
		o.MaxOpenFiles = 100
	}
	o = o.withDefaults()
	db, err := openPebble(dir, catalogFormat, o)
	if err != nil {
		return nil, err
	}
	c := &Catalog{db: db}
	_, err = scan.Get(db, []byte{format.FamilyState}, func(v []byte) (err error) {
		c.state, err = format.DecodeCatalogState(v)
		return err
	})
	if err != nil {
		return nil, errors.Join(err, db.Close())
	}
	return c, nil
}

// State is what was stored with the last commit; zero in a new store.
func (c *Catalog) State() format.CatalogState { return c.state }

// Load calls f with every entity stored, by kind and id: a pointer to an Account,
// Application, Key, Brand, Definition, Layout, SetAside, AcceptedGap, Segment, SigningKey,
// SlotKeys, Node, Webhook, Link, Session, Deed
// or Request.
func (c *Catalog) Load(f func(entity any) error) error {
	if err := c.usable(); err != nil {
		return err
	}
	for _, family := range [...]byte{format.FamilyEntity, format.FamilyRequest} {
		err := scan.Prefix(c.db, []byte{family}, func(k, v []byte) error {
			entity, err := format.DecodeEntity(k, v)
			if err != nil {
				return err
			}
			return f(entity)
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// Commit stores entities, overwriting those of the same id, deletes those that are domain.Forgotten, and stores the
// state, in one synced batch. After an error the catalog must be closed and opened again.
func (c *Catalog) Commit(state format.CatalogState, entities []any) error {
	if err := c.usable(); err != nil {
		return err
	}
	if err := c.commit(state, entities); err != nil {
		c.err = fmt.Errorf("storage: the catalog must be opened again: %w", err)
		return err
	}
	c.state = state
	return nil
}

func (c *Catalog) commit(state format.CatalogState, entities []any) (err error) {
	b := c.db.NewBatch()
	defer func() {
		if c.db.Err() == nil { // else Pebble may have it still
			err = errors.Join(err, b.Close())
		}
	}()
	for _, e := range entities {
		if gone, ok := e.(domain.Forgotten); ok {
			if c.key, err = format.AppendEntityKey(c.key[:0], gone.Entity); err != nil {
				return err
			}
			if err = b.Delete(c.key, nil); err != nil {
				return err
			}
			continue
		}
		if c.key, err = format.AppendEntityKey(c.key[:0], e); err != nil {
			return err
		}
		if c.value, err = format.AppendMessage(c.value[:0], e); err != nil {
			return err
		}
		if err = b.Set(c.key, c.value, nil); err != nil {
			return err
		}
	}
	if day := state.Clock / 86400_000; day > c.state.Clock/86400_000 && day <= 1<<32-1 {
		to := format.CatalogRequestDay(uint32(max(day-1, 0)))
		if err = b.DeleteRange([]byte{format.FamilyRequest}, to, nil); err != nil {
			return err
		}
	}
	if err = b.Set([]byte{format.FamilyState}, format.AppendCatalogState(nil, &state), nil); err != nil {
		return err
	}
	return c.db.Commit(b, pebble.Sync)
}

func (c *Catalog) usable() error {
	switch {
	case c.closed:
		return errClosed
	case c.err != nil:
		return c.err
	}
	return c.db.Err()
}

// Err is the error that stopped the store, nil while it runs.
func (c *Catalog) Err() error { return c.db.Err() }

// Close closes the store. One that failed is left as it is, until the process ends.
func (c *Catalog) Close() error {
	if c.closed {
		return nil
	}
	c.closed = true
	return c.db.Close()
}

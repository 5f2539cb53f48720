package storage

import (
	"encoding/binary"
	"errors"
	"fmt"

	"github.com/cockroachdb/pebble/v2"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/storage/pebblefs"
)

// CatalogState is the catalog as stored.
type CatalogState struct {
	Cluster  string
	Topic    domain.TopicID
	Next     int64
	Epoch    int32
	Clock    int64
	Counters [6]uint32 // last id given: account, application, key, brand, definition, segment
}

// Catalog is the store of the catalog's entities. One goroutine owns it.
type Catalog struct {
	db     *pebblefs.DB
	state  CatalogState
	err    error // of Commit
	closed bool
	key    []byte
	value  []byte
}

// Kinds of entities, as their keys have them; fixed for ever.
const (
	entityAccount = iota + 1
	entityApplication
	entityKey
	entityBrand
	entityDefinition
	entityLayout
	entitySetAside
	entityAcceptGap
	entitySegment
)

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
	_, err = get(db, []byte{familyState}, func(v []byte) (err error) {
		c.state, err = decodeCatalogState(v)
		return err
	})
	if err != nil {
		return nil, errors.Join(err, db.Close())
	}
	return c, nil
}

// State is what was stored with the last commit; zero in a new store.
func (c *Catalog) State() CatalogState { return c.state }

// Load calls f with every entity stored, by kind and id: a pointer to an Account,
// Application, Key, Brand, Definition, Layout, SetAside, AcceptedGap, Segment or
// Request.
func (c *Catalog) Load(f func(entity any) error) error {
	if err := c.usable(); err != nil {
		return err
	}
	for _, family := range [...]byte{familyEntity, familyRequest} {
		err := scanPrefix(c.db, []byte{family}, func(k, v []byte) error {
			entity, err := decodeCatalog(k, v)
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

// decodeCatalog is the entity of a key and its value.
func decodeCatalog(k, v []byte) (entity any, err error) {
	switch {
	case k[0] == familyRequest:
		entity = new(domain.Request)
	case len(k) < 2:
		return nil, damaged("e")
	default:
		switch k[1] {
		case entityAccount:
			entity = new(domain.Account)
		case entityApplication:
			entity = new(domain.Application)
		case entityKey:
			entity = new(domain.Key)
		case entityBrand:
			entity = new(domain.Brand)
		case entityDefinition:
			entity = new(domain.Definition)
		case entityLayout:
			entity = new(domain.Layout)
		case entitySetAside:
			entity = new(domain.SetAside)
		case entityAcceptGap:
			entity = new(domain.AcceptedGap)
		case entitySegment:
			entity = new(domain.Segment)
		default:
			return nil, damaged("e")
		}
	}
	return entity, decodeMessage(v, entity)
}

// appendEntityKey is the key of a catalog's entity.
func appendEntityKey(dst []byte, entity any) ([]byte, error) {
	numbered := func(kind byte, id uint32) ([]byte, error) {
		return be.AppendUint32(append(dst, familyEntity, kind), id), nil
	}
	switch e := entity.(type) {
	case *domain.Account:
		return numbered(entityAccount, uint32(e.ID))
	case *domain.Application:
		return numbered(entityApplication, uint32(e.ID))
	case *domain.Key:
		return numbered(entityKey, e.ID)
	case *domain.Brand:
		return numbered(entityBrand, uint32(e.ID))
	case *domain.Definition:
		return numbered(entityDefinition, uint32(e.ID))
	case *domain.Segment:
		return numbered(entitySegment, uint32(e.ID))
	case *domain.Layout:
		return append(dst, familyEntity, entityLayout), nil
	case *domain.SetAside:
		dst = append(append(dst, familyEntity, entitySetAside), e.Topic[:]...)
		dst = be.AppendUint64(be.AppendUint32(dst, uint32(e.Partition)), uint64(e.Offset))
		return be.AppendUint32(dst, uint32(e.Epoch)), nil
	case *domain.AcceptedGap: // in the order of the catalog
		return be.AppendUint64(append(dst, familyEntity, entityAcceptGap), uint64(e.Offset)), nil
	case *domain.Request:
		return append(be.AppendUint32(append(dst, familyRequest), e.Day), e.ID[:]...), nil
	}
	return dst, fmt.Errorf("storage: the catalog keeps no %T", entity)
}

// Commit stores entities, overwriting those of the same id, and the state in one
// synced batch. After an error the catalog must be closed and opened again.
func (c *Catalog) Commit(state CatalogState, entities []any) error {
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

func (c *Catalog) commit(state CatalogState, entities []any) (err error) {
	b := c.db.NewBatch()
	defer func() {
		if c.db.Err() == nil { // else Pebble may have it still
			err = errors.Join(err, b.Close())
		}
	}()
	for _, e := range entities {
		if c.key, err = appendEntityKey(c.key[:0], e); err != nil {
			return err
		}
		if c.value, err = appendMessage(c.value[:0], e); err != nil {
			return err
		}
		if err = b.Set(c.key, c.value, nil); err != nil {
			return err
		}
	}
	if day := state.Clock / 86400_000; day > c.state.Clock/86400_000 && day <= 1<<32-1 {
		to := be.AppendUint32([]byte{familyRequest}, uint32(max(day-1, 0)))
		if err = b.DeleteRange([]byte{familyRequest}, to, nil); err != nil {
			return err
		}
	}
	if err = b.Set([]byte{familyState}, appendCatalogState(nil, &state), nil); err != nil {
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

// appendCatalogState appends the catalog's state:
//
//	ver str cluster, topic [16], z next, z epoch, z clock, v counter × 6
func appendCatalogState(dst []byte, s *CatalogState) []byte {
	dst = appendString(append(dst, version1), s.Cluster)
	dst = binary.AppendVarint(append(dst, s.Topic[:]...), s.Next)
	dst = binary.AppendVarint(binary.AppendVarint(dst, int64(s.Epoch)), s.Clock)
	for _, n := range s.Counters {
		dst = binary.AppendUvarint(dst, uint64(n))
	}
	return dst
}

func decodeCatalogState(v []byte) (s CatalogState, err error) {
	cur, err := openValue(v, "catalog state")
	if err != nil {
		return s, err
	}
	s.Cluster = cur.str()
	cur.fill(s.Topic[:])
	s.Next, s.Epoch, s.Clock = cur.varint(), cur.int32(), cur.varint()
	for i := range s.Counters {
		s.Counters[i] = cur.uint32()
	}
	return s, cur.close("catalog state")
}

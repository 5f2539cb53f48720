package log

import (
	"errors"
	"fmt"
	"sync"

	"github.com/cockroachdb/pebble/v2"

	"github.com/ovation-analytics/ovation/actors/domain"
)

// part is one partition. Its fields below mu are guarded by it; mu is held while a
// batch is given its offset and enters the WAL, so that the WAL has the batches of a
// partition in order, and never while an fsync is waited for.
type part struct {
	log   *Log
	id    domain.TopicID
	index int32

	appendTime bool // the topic has message.timestamp.type=LogAppendTime
	maxBatch   int

	mu sync.Mutex
	offsets
	epochs    epochs
	unwritten bool // the last of epochs is not stored: no batch has it yet
	producers map[int64]*producer
	recent    recent
	lost      []loss // that readers have met
	waiting   map[chan<- struct{}]struct{}
	gone      bool // the topic was deleted
}

// offsets are the bounds of a partition.
type offsets struct {
	start  int64 // first offset
	end    int64 // after the last durable offset: what readers see
	next   int64 // after the last offset handed out
	newest int64 // greatest max timestamp of any batch
}

func newPart(l *Log, t *topic, index int32) *part {
	return &part{
		log: l, id: t.ID, index: index, appendTime: t.appendTime, maxBatch: t.maxBatch,
		offsets: offsets{newest: -1}, producers: map[int64]*producer{}, waiting: map[chan<- struct{}]struct{}{},
		epochs: epochs{{epoch: l.epoch}}, unwritten: true,
	}
}

// load reads the partition's state from the store.
func (p *part) load() error {
	if v, found, err := p.log.get(partKey(keyFloor, p.id, p.index)); err != nil {
		return err
	} else if found {
		if p.start, p.newest, err = decodeFloor(v); err != nil {
			return err
		}
	}
	p.end = p.start
	last, found, err := p.lastBlock()
	if err != nil {
		return err
	}
	if found {
		p.end, p.newest = last.next, max(p.newest, last.newest)
	}
	p.next = p.end
	if err := p.loadProducers(); err != nil {
		return err
	}
	return p.loadEpochs()
}

func (p *part) loadProducers() error {
	prefix := partKey(keyProducer, p.id, p.index)
	return p.log.each(prefix, func(key, value []byte) error {
		s, err := decodeProducer(value)
		if err != nil || s.n == 0 || len(key) != len(prefix)+8 {
			return errors.Join(errDamaged, err)
		}
		p.producers[int64(u64(key[len(prefix):]))] = s
		return nil
	})
}

func (p *part) loadEpochs() error {
	prefix := partKey(keyEpochAt, p.id, p.index)
	p.epochs = nil
	err := p.log.each(prefix, func(key, value []byte) error {
		start, err := decodeNumber(value)
		if err != nil || len(key) != len(prefix)+4 {
			return errors.Join(errDamaged, err)
		}
		p.epochs = append(p.epochs, epochStart{int32(u32(key[len(prefix):])), start})
		return nil
	})
	p.epochs = append(p.epochs, epochStart{p.log.epoch, p.next})
	return err
}

// iter is an iterator over the partition's blocks with bases below upper.
func (p *part) iter(upper int64) (*pebble.Iterator, error) {
	it, err := p.log.db.NewIter(&pebble.IterOptions{
		LowerBound: blockKey(p.id, p.index, 0), UpperBound: blockKey(p.id, p.index, upper),
	})
	if err != nil {
		return nil, p.log.unreadable(err)
	}
	return it, nil
}

// seek puts it on the block that holds an offset; found is false if none does.
func (p *part) seek(it *pebble.Iterator, offset int64) (k block, found bool, err error) {
	if !it.SeekLT(blockKey(p.id, p.index, offset+1)) {
		return k, false, p.iterError(it)
	}
	k, err = p.at(it)
	return k, err == nil && offset < k.next, err
}

// at is the block at the iterator.
func (p *part) at(it *pebble.Iterator) (block, error) {
	v, err := it.ValueAndErr()
	if err != nil {
		return block{}, p.log.unreadable(err)
	}
	k, err := decodeBlock(it.Key(), v)
	if err != nil {
		return k, p.log.unreadable(fmt.Errorf("topic %s partition %d: block: %w", p.id, p.index, err))
	}
	return k, nil
}

func (p *part) iterError(it *pebble.Iterator) error {
	if err := it.Error(); err != nil {
		return p.log.unreadable(err)
	}
	return nil
}

// lastBlock is the newest block; its batch is not valid any more.
func (p *part) lastBlock() (k block, found bool, err error) {
	it, err := p.iter(maxOffset)
	if err != nil {
		return k, false, err
	}
	defer it.Close()
	if !it.Last() {
		return k, false, p.iterError(it)
	}
	k, err = p.at(it)
	k.batch = nil
	return k, err == nil, err
}

// bounds are the offsets that readers may ask for.
func (p *part) bounds() (start, end int64) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.start, p.end
}

// advance shows readers what an fsync has made durable: all up to end, since the
// WAL keeps order.
func (p *part) advance(end int64) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if end <= p.end {
		return
	}
	p.end = end
	for c := range p.waiting {
		select {
		case c <- struct{}{}:
		default: // it has not seen the last one yet
		}
	}
}

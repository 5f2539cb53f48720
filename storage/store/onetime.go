package store

import (
	"github.com/cockroachdb/pebble/v2"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/storage/format"
	"github.com/ovation-analytics/ovation/storage/internal/bloom"
	"github.com/ovation-analytics/ovation/storage/internal/scan"
)

// oneTimePairs looks up one-time pairs. Most are asked about once, by the first action of their
// kind, and are not there: a filter of all of them saves these reads.
type oneTimePairs struct {
	db     pebble.Reader
	shard  uint16
	filter *bloom.Filter // of those stored or staged; nil: nothing was asked yet
	key    []byte
}

// get is the action that counts for a pair of a one-time definition, as committed.
func (p *oneTimePairs) get(
	account domain.AccountID, ord domain.Ordinal, definition domain.DefinitionID, brand domain.BrandID,
) (o domain.OneTime, found bool, err error) {
	if p.filter == nil {
		if err := p.read(); err != nil {
			return o, false, err
		}
	}
	pair := domain.OneTime{Account: account, Ord: ord, Definition: definition, Brand: brand}
	if !p.filter.Maybe(mixPair(&pair)) {
		return o, false, nil
	}
	p.key = format.AppendOneTimeKey(p.key[:0], p.shard, account, ord, definition, brand)
	found, err = scan.Get(p.db, p.key, func(v []byte) error {
		o = pair
		return format.DecodeOneTime(&o, v)
	})
	return o, found && err == nil, err
}

// read makes the filter.
func (p *oneTimePairs) read() error {
	var mixes []uint64
	err := scan.Prefix(p.db, format.AppendShard(nil, format.FamilyOneTime, p.shard), func(k, _ []byte) error {
		o, err := format.ParseOneTimeKey(k)
		mixes = append(mixes, mixPair(&o))
		return err
	})
	if err != nil {
		return err
	}
	p.filter = bloom.New(2 * len(mixes))
	for _, x := range mixes {
		p.filter.Add(x)
	}
	return nil
}

// add notes a pair that is staged: a filter made before its commit would not have it.
func (p *oneTimePairs) add(o *domain.OneTime) error {
	if p.filter == nil {
		if err := p.read(); err != nil {
			return err
		}
	}
	p.filter.Add(mixPair(o))
	return nil
}

func mixPair(o *domain.OneTime) uint64 {
	return bloom.Mix(o.Account, o.Ord, uint64(o.Definition)<<32|uint64(o.Brand))
}

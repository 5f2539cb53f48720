package shard

import (
	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/actors/internal/twogen"
)

// identities is which member has each identity of the shard's slots, as staged or stored. It is
// owned by the shard.
type identities struct {
	store  Store
	cache  *twogen.Cache[domain.IdentityHash, domain.Identity]
	staged map[domain.IdentityHash]*domain.Identity // nil: dropped
}

// newIdentities remembers so many in each of two generations.
func newIdentities(store Store, remembered int) identities {
	return identities{
		store: store, staged: map[domain.IdentityHash]*domain.Identity{},
		cache: twogen.New[domain.IdentityHash, domain.Identity](remembered),
	}
}

// find is the claim on an identity.
func (l *identities) find(account domain.AccountID, hash domain.IdentityHash) (domain.Identity, bool, error) {
	if i, ok := l.staged[hash]; ok {
		if i == nil {
			return domain.Identity{}, false, nil
		}
		return *i, true, nil
	}
	if i, ok := l.cache.Get(hash); ok {
		return i, true, nil
	}
	i, ok, err := l.store.Identity(account, hash)
	if ok {
		l.cache.Put(hash, i)
	}
	return i, ok, err
}

// hold stages a claim.
func (l *identities) hold(i domain.Identity) domain.Change {
	l.staged[i.Hash] = &i
	return domain.Change{Kind: domain.IdentityPut, Value: &i}
}

// release stages that no member has the identity any more.
func (l *identities) release(hash domain.IdentityHash) domain.Change {
	l.staged[hash] = nil
	l.cache.Drop(hash)
	return domain.Change{Kind: domain.IdentityDrop, Value: &domain.Identity{Hash: hash}}
}

// committed makes staged claims stored ones.
func (l *identities) committed() {
	for hash, i := range l.staged {
		if i != nil {
			l.cache.Put(hash, *i)
		}
	}
	clear(l.staged)
}

package identity

import (
	"crypto/sha256"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/actors/domain/twogen"
)

// Ledger is which member has each identity of the shard's slots, as staged or stored. It is
// owned by the shard.
type Ledger struct {
	store  Store
	cache  *twogen.Cache[domain.IdentityHash, domain.Identity]
	staged map[domain.IdentityHash]*domain.Identity // nil: dropped
	absent domain.IdentityHash                      // the latest that no member had; a registration asks twice
	used   map[domain.IdentityHash]struct{}         // names of data keys, since the last commit
}

// Store is what of the shard's store claims are read from.
type Store interface {
	Identity(account domain.AccountID, hash domain.IdentityHash) (domain.Identity, bool, error)
}

// NewLedger remembers so many identities in each of two generations.
func NewLedger(store Store, remembered int) *Ledger {
	return &Ledger{
		store: store, staged: map[domain.IdentityHash]*domain.Identity{}, used: map[domain.IdentityHash]struct{}{},
		cache: twogen.New[domain.IdentityHash, domain.Identity](remembered),
	}
}

// Find is the claim on an identity.
func (l *Ledger) Find(account domain.AccountID, hash domain.IdentityHash) (domain.Identity, bool, error) {
	if i, ok := l.staged[hash]; ok {
		if i == nil {
			return domain.Identity{}, false, nil
		}
		return *i, true, nil
	}
	if i, ok := l.cache.Get(hash); ok {
		return i, true, nil
	}
	if hash == l.absent {
		return domain.Identity{}, false, nil
	}
	i, ok, err := l.store.Identity(account, hash)
	if ok {
		l.cache.Put(hash, i)
	} else if err == nil {
		l.absent = hash
	}
	return i, ok, err
}

// Resolve is the member that the activity's address means; 0: none.
func (l *Ledger) Resolve(account domain.AccountID, a *domain.Activity) (domain.MemberID, error) {
	if a.Member != 0 || a.Identity.IsZero() {
		return a.Member, nil
	}
	i, ok, err := l.Find(account, a.Identity)
	if !ok || err != nil {
		return 0, err
	}
	return i.Member, nil
}

// hold stages a claim.
func (l *Ledger) hold(i domain.Identity) domain.Change {
	l.staged[i.Hash] = &i
	if l.absent == i.Hash {
		l.absent = domain.IdentityHash{}
	}
	return domain.Change{Kind: domain.IdentityPut, Value: &i}
}

// release stages that no member has the identity any more.
func (l *Ledger) release(hash domain.IdentityHash) domain.Change {
	l.staged[hash] = nil
	l.cache.Drop(hash)
	return domain.Change{Kind: domain.IdentityDrop, Value: &domain.Identity{Hash: hash}}
}

// Used reports that a registration by this identity came with the data key before.
func (l *Ledger) Used(account domain.AccountID, identity domain.IdentityHash, key domain.KeyID) (bool, error) {
	name := nameOfKey(identity, key)
	if _, used := l.used[name]; used {
		return true, nil
	}
	_, used, err := l.store.Identity(account, name)
	return used, err
}

// use stages that a registration by this identity came with the data key.
func (l *Ledger) use(identity domain.IdentityHash, key domain.KeyID) domain.Change {
	name := nameOfKey(identity, key)
	l.used[name] = struct{}{}
	return domain.Change{Kind: domain.IdentityPut, Value: &domain.Identity{Hash: name, Kind: domain.ByDataKey, State: domain.Held}}
}

// nameOfKey is a data key's name, in the slot of the identity that it came with.
func nameOfKey(identity domain.IdentityHash, key domain.KeyID) domain.IdentityHash {
	sum := sha256.Sum256(key[:])
	name := domain.IdentityHash(sum[:16])
	name[0] = identity[0]
	name[1] = identity[1]&0xf0 | name[1]&0x0f
	return name
}

// Committed makes staged claims stored ones.
func (l *Ledger) Committed() {
	for hash, i := range l.staged {
		if i != nil {
			l.cache.Put(hash, *i)
		}
	}
	clear(l.staged)
	clear(l.used)
}

// Peek is the member of an identity that was looked up lately; 0: it is not remembered.
func (l *Ledger) Peek(hash domain.IdentityHash) domain.MemberID { return l.cache.Peek(hash).Member }

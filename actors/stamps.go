package actors

import (
	"math/bits"
	"sync/atomic"

	"github.com/ovation-analytics/ovation/actors/brand"
	"github.com/ovation-analytics/ovation/actors/domain"
)

// Stamps tell when what answers are made of was last changed, in commits of the shard's
// life. The shard writes the number of the coming commit before it publishes that
// commit's view; whoever has taken a view finds all stamps of it. So a stamp that is not
// above a view's version says that nothing was changed between the two. One that is may
// be of a commit that is still to come, and says nothing.

// stamps are a shard's. Of records and identities those that share a place are changed
// together.
type stamps struct {
	base    uint64 // the first commit of this life: what changed before it has no stamp
	records [1024]atomic.Uint64
	names   [1024]atomic.Uint64
}

// accountStamps are those of an account in a shard.
type accountStamps struct {
	every  atomic.Uint64                  // rows of any brand but the visits
	brands atomic.Pointer[[]*brandStamps] // rows by dense number
	known  [64]atomic.Uint64              // facts of members who may have rows, by place of the attribute
	any    [64]atomic.Uint64              // facts of all members
}

type brandStamps [256]atomic.Uint64

// stamp sets x; most often it is set already, and a look is cheaper.
func stamp(x *atomic.Uint64, version uint64) {
	if x.Load() != version {
		x.Store(version)
	}
}

func (s *stamps) record(id domain.MemberID) *atomic.Uint64 {
	return &s.records[(id.Sequence()^uint64(id.Slot())<<5)%uint64(len(s.records))]
}

func (s *stamps) name(hash domain.IdentityHash) *atomic.Uint64 {
	return &s.names[(uint(hash[14])<<8|uint(hash[15]))%uint(len(s.names))]
}

// rows stamps a brand's rows.
func (a *accountStamps) rows(dense uint32, version uint64) {
	stamp(a.own(dense), version)
	if dense != brand.Visits {
		stamp(&a.every, version)
	}
}

// own is the brand's stamp, to be written by the shard.
func (a *accountStamps) own(dense uint32) *atomic.Uint64 {
	if x := a.of(dense); x != nil {
		return x
	}
	var dir []*brandStamps
	if old := a.brands.Load(); old != nil {
		dir = append(dir, *old...)
	}
	k := int(dense / uint32(len(brandStamps{})))
	for k >= len(dir) {
		dir = append(dir, nil)
	}
	dir[k] = &brandStamps{}
	a.brands.Store(&dir)
	return a.of(dense)
}

// of is the brand's stamp; nil: it has had no row in this life.
func (a *accountStamps) of(dense uint32) *atomic.Uint64 {
	dir, page := a.brands.Load(), uint32(len(brandStamps{}))
	if dir == nil || int(dense/page) >= len(*dir) || (*dir)[dense/page] == nil {
		return nil
	}
	return &(*dir)[dense/page][dense%page]
}

// fact stamps an attribute. What a registration says of a member who is new changes no
// answer about rows: it has none.
func (a *accountStamps) fact(of domain.Attribute, isNew bool, version uint64) {
	stamp(&a.any[of.Place()], version)
	if !isNew {
		stamp(&a.known[of.Place()], version)
	}
}

// rowsSince reports that rows of the brand changed after the version.
func (a *accountStamps) rowsSince(dense uint32, version uint64) bool {
	if dense == brand.EveryBrand {
		return a.every.Load() > version
	}
	x := a.of(dense)
	return x != nil && x.Load() > version
}

// factsSince reports that one of the attributes changed after the version.
func factsSince(at *[64]atomic.Uint64, of domain.Attributes, version uint64) bool {
	for w := uint64(of); w != 0; w &= w - 1 {
		if at[bits.TrailingZeros64(w)].Load() > version {
			return true
		}
	}
	return false
}

package view

import (
	"math/bits"
	"sync/atomic"

	"github.com/ovation-analytics/ovation/actors/brand/rows"
	"github.com/ovation-analytics/ovation/actors/domain"
)

// Versions tell when what answers are made of was last changed, in commits of the shard's
// life. The shard writes the number of the coming commit before it publishes that commit's
// view: a reader that has acquired the view finds all versions of it. So a version that is
// not above a view's says that nothing was changed between the two. One that is above may be
// of a commit that is still to come, and says nothing.

// Versions are a shard's. Of records and identities those that share a place are changed
// together.
type Versions struct {
	base    uint64 // the first commit of this life: what changed before it has no version
	records [1024]atomic.Uint64
	names   [1024]atomic.Uint64
	cache   *recordCache // nil: there is none
}

// AccountVersions are those of an account in a shard.
type AccountVersions struct {
	anyBrand atomic.Uint64                    // rows of any brand but the visits
	brands   atomic.Pointer[[]*brandVersions] // rows by dense number
	noticed  atomic.Uint64                    // notices that streams send
	listed   atomic.Uint64                    // memberships of followed lists, and the lists
	known    [64]atomic.Uint64                // facts of members who may have rows, by place of the attribute
	any      [64]atomic.Uint64                // facts of all members
}

type brandVersions [256]atomic.Uint64

// set stores a version; most often it is there already, and a load is cheaper.
func set(x *atomic.Uint64, version uint64) {
	if x.Load() != version {
		x.Store(version)
	}
}

// SetRecord notes that a member's record changes with the version, or that one of its actions
// counts no more.
func (v *Versions) SetRecord(id domain.MemberID, version uint64) {
	set(v.record(id), version)
	v.cache.drop(id)
}

// SetName notes that the holder of a name changes with the version.
func (v *Versions) SetName(hash domain.IdentityHash, version uint64) { set(v.name(hash), version) }

// Record is the version with which a member's record, or one that shares its place, last
// changed.
func (v *Versions) Record(id domain.MemberID) uint64 { return v.record(id).Load() }

// Name is that of a name's holder.
func (v *Versions) Name(hash domain.IdentityHash) uint64 { return v.name(hash).Load() }

func (v *Versions) record(id domain.MemberID) *atomic.Uint64 {
	return &v.records[(id.Sequence()^uint64(id.Slot())<<5)%uint64(len(v.records))]
}

func (v *Versions) name(hash domain.IdentityHash) *atomic.Uint64 {
	return &v.names[(uint(hash[14])<<8|uint(hash[15]))%uint(len(v.names))]
}

// SetRows notes that rows of a brand change with the version.
func (a *AccountVersions) SetRows(dense uint32, version uint64) {
	set(a.own(dense), version)
	if dense != rows.Visits {
		set(&a.anyBrand, version)
	}
}

// own is the brand's version, to be written by the shard.
func (a *AccountVersions) own(dense uint32) *atomic.Uint64 {
	if x := a.of(dense); x != nil {
		return x
	}
	var dir []*brandVersions
	if old := a.brands.Load(); old != nil {
		dir = append(dir, *old...)
	}
	k := int(dense / uint32(len(brandVersions{})))
	for k >= len(dir) {
		dir = append(dir, nil)
	}
	dir[k] = &brandVersions{}
	a.brands.Store(&dir)
	return a.of(dense)
}

// of is the brand's version; nil: it has had no row in this life.
func (a *AccountVersions) of(dense uint32) *atomic.Uint64 {
	dir, page := a.brands.Load(), uint32(len(brandVersions{}))
	if dir == nil || int(dense/page) >= len(*dir) || (*dir)[dense/page] == nil {
		return nil
	}
	return &(*dir)[dense/page][dense%page]
}

// SetAttribute notes that an attribute changes with the version. What a registration says of
// a member who is new changes no answer about rows: there are none.
func (a *AccountVersions) SetAttribute(of domain.Attribute, isNew bool, version uint64) {
	set(&a.any[of.Place()], version)
	if !isNew {
		set(&a.known[of.Place()], version)
	}
}

// Attribute is the version with which an attribute last changed, of members who may have
// rows and of all.
func (a *AccountVersions) Attribute(of domain.Attribute) (known, all uint64) {
	return a.known[of.Place()].Load(), a.any[of.Place()].Load()
}

// RowsSince reports that rows of the brand changed after the version.
func (a *AccountVersions) RowsSince(dense uint32, version uint64) bool {
	if dense == rows.EveryBrand {
		return a.anyBrand.Load() > version
	}
	x := a.of(dense)
	return x != nil && x.Load() > version
}

// SetNoticed notes that there is a notice with the version, whatever rows were taken with it.
func (a *AccountVersions) SetNoticed(version uint64) { set(&a.noticed, version) }

// NoticedSince reports that there are notices after the version.
func (a *AccountVersions) NoticedSince(version uint64) bool { return a.noticed.Load() > version }

// SetListed notes that there is a membership with the version, or that a list is followed, or no more.
func (a *AccountVersions) SetListed(version uint64) { set(&a.listed, version) }

// ListedSince reports that there are such after the version.
func (a *AccountVersions) ListedSince(version uint64) bool { return a.listed.Load() > version }

// AttributesSince reports that one of the attributes that an answer read changed after the
// version.
func (a *AccountVersions) AttributesSince(f *domain.ReadSet, version uint64) bool {
	return since(&a.known, f.Known, version) || since(&a.any, f.Any, version)
}

func since(at *[64]atomic.Uint64, of domain.Attributes, version uint64) bool {
	for w := uint64(of); w != 0; w &= w - 1 {
		if at[bits.TrailingZeros64(w)].Load() > version {
			return true
		}
	}
	return false
}

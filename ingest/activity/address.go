package activity

import (
	"math"

	"github.com/ovation-analytics/ovation/actors/domain"
)

// AddressVersion is the version of the function from a record's bytes to its slot.
//
// The function is FROZEN. A shard drops of each source partition whatever is not
// above the highest origin it applied (I2); that loses nothing and doubles nothing
// only if a record goes to the same journal partition each time it is routed, by
// whatever binary. Were an upgrade to move the place of some records, those routed
// twice around it would count twice, and those whose new shard had already passed
// their offset would be lost, both in silence. So binaries may differ in their
// disposition of a record, never in its place.
//
// It consists of: the mode (cloudevents.go), the grammar and depth of JSON
// (scan.go), the names and last-wins rule (fields.go), the reading of texts and
// numbers (token.go), the hash of identities (hash.go, with package composed), domain.Placeless, and this file. What it gives
// is held by testdata/address.v1.golden, which is never written again. A change
// is a second function beside this one, chosen by source offset, by a record of
// the catalog that names the first offset of each source partition.
const AddressVersion = 1

// address is where a record goes, by the first of these that is given:
//
//	memberID                     the member's slot
//	service and serviceUserID    the slot of the identity's hash, under account
//	partnerCode and partnerID    the slot of the identity's hash, under account
//
// A field that is absent, null or "" is not given. If the first that is given cannot
// be read, or none is, or the value is not JSON, the record has no address and goes
// where its source partition's such records go: nothing else is tried, so that a
// record's place never depends on how well a later field reads.
func (e *event) address(h *Hasher, from *Incoming) (domain.MemberID, domain.IdentityHash, domain.Slot) {
	f := &e.fields
	var id domain.IdentityHash
	switch {
	case f[memberID].given():
		if n, ok := f[memberID].id(domain.MaxID); ok {
			m := domain.MemberID(n)
			return m, id, m.Slot()
		}
	case f[service].given() && f[serviceUserID].given():
		word, ok := f[service].text()
		if ok {
			id = e.identity(h, domain.ByService, word, &f[serviceUserID])
		}
	case f[partnerCode].given() && f[partnerID].given():
		code, ok := f[partnerCode].text()
		if ok {
			id = e.identity(h, domain.ByPartner, code, &f[partnerID])
		}
	}
	if id.IsZero() {
		return 0, id, domain.Placeless(from.Topic, from.Partition)
	}
	return 0, id, id.Slot()
}

// identity is the hash of an identity of two parts; zero if account or the second
// part cannot be read.
func (e *event) identity(h *Hasher, kind domain.IdentityKind, first string, second *token) domain.IdentityHash {
	n, ok := e.fields[account].id(math.MaxUint32)
	if !ok {
		return domain.IdentityHash{}
	}
	name, ok := second.name()
	if !ok {
		return domain.IdentityHash{}
	}
	return h.Identity(domain.AccountID(n), kind, first, name)
}

package format

import "github.com/ovation-analytics/ovation/actors/domain"

const visitPlaceKeyLen = 1 + 2 + 4 + 4

// AppendVisitPlaceKey is the key of a place of visits: its number in the account.
func AppendVisitPlaceKey(dst []byte, shard uint16, account domain.AccountID, number uint32) []byte {
	return be.AppendUint32(be.AppendUint32(AppendShard(dst, FamilyVisitPlace, shard), uint32(account)), number)
}

// AppendVisitPlace appends the value of a place of visits.
func AppendVisitPlace(dst []byte, p domain.VisitPlace) []byte {
	return appendString(appendString(append(dst, version1), p.Domain), p.Page)
}

// DecodeVisitPlace reads a place of visits with its key.
func DecodeVisitPlace(k, v []byte) (p domain.NumberedPlace, err error) {
	if len(k) != visitPlaceKeyLen {
		return p, Damaged("v")
	}
	cur, err := openValue(v, "v")
	if err != nil {
		return p, err
	}
	p.Account, p.Number = domain.AccountID(be.Uint32(k[3:])), be.Uint32(k[7:])
	p.Domain, p.Page = cur.str(), cur.str()
	return p, cur.close("v")
}

// HashVisit is the fact of a visit that was made at a place. It has the place's texts: its
// number follows arrival. Other visits are facts as actions are.
func HashVisit(m *Action, member domain.MemberID, p domain.VisitPlace) StateHash {
	a := *m
	a.Definition, _, _ = m.Definition.Visit()
	if a.Flags.Dead() {
		return HashAction(&a, member)
	}
	b := be.AppendUint32(be.AppendUint64([]byte{'v'}, uint64(member)), a.Time)
	b = append(be.AppendUint32(b, uint32(a.Definition)), byte(a.Service))
	b = be.AppendUint32(be.AppendUint64(b, a.Hash), uint32(len(p.Domain)))
	return HashOf(append(append(b, p.Domain...), p.Page...))
}

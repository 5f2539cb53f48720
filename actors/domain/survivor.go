package domain

// MergedMember is a member that was merged into another, which may itself be merged into a third.
type MergedMember struct{ Member, Into MemberID }

// Follow makes f the footprint of an answer that names merged members: it was made of those that they
// were merged into, and is another one once a merge is taken back.
func (f *ReadSet) Follow(merged []MergedMember) {
	if len(merged) == 0 {
		return
	}
	into := make([]MemberID, 0, len(merged))
	for _, m := range merged {
		f.Members = append(f.Members, m.Member)
		into = append(into, m.Into)
	}
	if f.Among != nil {
		f.Among = append(into, f.Among...)
	}
}

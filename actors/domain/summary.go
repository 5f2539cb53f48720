package domain

// MemberSummary is what one of the members that a question names did: of actions its brands, of
// visits its domains. A member without a row that counts has none.
type MemberSummary struct {
	Member  MemberID
	Brands  []Standing     // by rank as in Standings, the first Top.Limit
	Domains []DomainVisits // by text ascending, those without a domain left out
	Latest  Second         // time of the latest row that counts
}

// DomainVisits is when a member first and last visited a domain, of the visits that count.
type DomainVisits struct {
	Domain      string // canonical
	First, Last Second
}

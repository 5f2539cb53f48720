package wire

// Signups is the answer of login/stats/alltime and login/stats/channels: most first.
type Signups struct {
	Channels []Channel    `json:"channels"`
	Total    uint64       `json:"total"`
	Explain  *Explanation `json:"explain,omitempty"`
}

// Channel is the registrations of one service.
type Channel struct {
	Service string `json:"service"`
	Signups string `json:"signups"`
}

// SignupTimeline is the answer of login/stats/timeline.
type SignupTimeline struct {
	Services    []SignupService `json:"services"`
	PeriodTotal string          `json:"PeriodTotal"`
	Explain     *Explanation    `json:"explain,omitempty"`
}

// SignupService is one service's registrations by day, zeros included.
type SignupService struct {
	Service      string      `json:"service"`
	Range        []SignupDay `json:"range"`
	ServiceTotal string      `json:"ServiceTotal"`
}

// SignupDay is one UTC day.
type SignupDay struct {
	Date  string `json:"Date"`
	Count uint64 `json:"Count"`
}

// SignupDomains is the answer of login/stats/domains: most first; the total is over all, not the
// page.
type SignupDomains struct {
	Domains []SignupDomain `json:"domains"`
	Total   uint64         `json:"total"`
	Explain *Explanation   `json:"explain,omitempty"`
}

// SignupDomain is the registrations on one domain; null: none was given.
type SignupDomain struct {
	Domain  *string `json:"domain"`
	Signups string  `json:"signups"`
}

// LoginTotals is the answer of login/stats/totals.
type LoginTotals struct {
	Registrations uint64       `json:"registrations"`
	Logins        uint64       `json:"logins"`
	Members       uint64       `json:"members"`
	Total         uint64       `json:"total"`
	Explain       *Explanation `json:"explain,omitempty"`
}

// TopDomains is domains by visits, most first.
type TopDomains struct {
	TotalSize string       `json:"totalSize"`
	Items     []TopDomain  `json:"items"`
	Explain   *Explanation `json:"explain,omitempty"`
}

// TopDomain is the visits of one domain; null: none was given.
type TopDomain struct {
	Domain        *string `json:"domain"`
	Visits        uint64  `json:"visits"`
	Registrations uint64  `json:"registrations"`
	Members       uint64  `json:"members"`
}

// MemberVisits is members by the number of their visits; the total is over all, not the page.
type MemberVisits struct {
	TotalSize string        `json:"totalSize"`
	Items     []MemberVisit `json:"items"`
	Total     uint64        `json:"total"`
	Explain   *Explanation  `json:"explain,omitempty"`
}

// MemberVisit is a member with its visits.
type MemberVisit struct {
	MemberID      string `json:"MemberID"`
	Visits        uint64 `json:"visits"`
	Registrations uint64 `json:"registrations"`
	LastVisited   string `json:"LastVisited"`
}

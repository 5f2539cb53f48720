package wire

// Visits is the visits of a member; the total is over all, not the page.
type Visits struct {
	Registrations []Visit `json:"registrations"`
	Total         uint64  `json:"total"`
}

// Visit is a registration or a login of a member.
type Visit struct {
	Domain       *string `json:"domain"`
	WebPath      *string `json:"webpath"`
	Segment      *string `json:"segment"`
	Visitor      *string `json:"visitor"`
	IP           *string `json:"ip"`
	ReferringURL *string `json:"referring_url"`
	Country      *string `json:"country"`
	MemberID     uint64  `json:"memberid"`
	Service      string  `json:"service"`
	Mobile       bool    `json:"mobile"`
	Device       uint64  `json:"device"`
	Date         string  `json:"date"`
}

// LoggedInMembers is members by their last login; the addresses of the pages beside it are in the
// headers alone.
type LoggedInMembers struct {
	TotalSize        string       `json:"totalSize"`
	TotalMemberCount *string      `json:"TotalMemberCount,omitempty"`
	Items            []MemberItem `json:"items"`
	Paging           []string     `json:"paging"`
}

func (l *LoggedInMembers) whole() any {
	items, ok := wholeItems(l.Items)
	if !ok {
		return l
	}
	return &struct {
		TotalSize        string      `json:"totalSize"`
		TotalMemberCount *string     `json:"TotalMemberCount,omitempty"`
		Items            []wholeItem `json:"items"`
		Paging           []string    `json:"paging"`
	}{l.TotalSize, l.TotalMemberCount, items, l.Paging}
}

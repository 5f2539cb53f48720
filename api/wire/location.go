package wire

// Location is the answer of stats/location: most actions first, members of whom no
// country is known last. A member is of one country, so the rows add up.
type Location struct {
	TotalActivities string       `json:"TotalActivities"`
	TotalMembers    string       `json:"TotalMembers"`
	Countries       []Country    `json:"Countries"`
	Explain         *Explanation `json:"explain,omitempty"`
}

// Country is the count of one country.
type Country struct {
	Country     *string `json:"Country"`
	CountryName string  `json:"CountryName"`
	Actions     string  `json:"Actions"`
	Members     string  `json:"Members"`
}

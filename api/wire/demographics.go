package wire

// Genders is the answer of stats/gender: M, F and Other in this order, then Unknown,
// of the members who gave none; zeros are included. A member has one gender, so the
// rows add up.
type Genders struct {
	TotalActivities string       `json:"TotalActivities"`
	TotalMembers    string       `json:"TotalMembers"`
	Genders         []Gender     `json:"Genders"`
	Explain         *Explanation `json:"explain,omitempty"`
}

// Gender is the count of one gender.
type Gender struct {
	Gender  string `json:"Gender"`
	Actions string `json:"Actions"`
	Members string `json:"Members"`
}

// Ages is the answer of stats/age: all bands of ages, youngest first, then Unknown; zeros
// are included. A member has one age, so the rows add up.
type Ages struct {
	TotalActivities string       `json:"TotalActivities"`
	TotalMembers    string       `json:"TotalMembers"`
	Ages            []Age        `json:"Ages"`
	Explain         *Explanation `json:"explain,omitempty"`
}

// Age is the count of one band of ages: whole years on the UTC day of the range's last
// second.
type Age struct {
	Age     string `json:"Age"`
	Actions string `json:"Actions"`
	Members string `json:"Members"`
}

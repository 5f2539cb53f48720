package wire

// RecordedMany is what became of many actions, in the order of the body.
type RecordedMany struct {
	Accepted   int            `json:"accepted"`
	Duplicates int            `json:"duplicates"`
	Rejected   int            `json:"rejected"`
	Items      []RecordedItem `json:"items"`
}

// RecordedItem is what became of one: its Marker, or why it was rejected.
type RecordedItem struct {
	Index  int        `json:"index"` // in the body, from 0; blank lines are none
	Marker string     `json:"Marker,omitempty"`
	Error  *ItemError `json:"error,omitempty"`
}

// ItemError is the contract's error of one item.
type ItemError struct {
	Code    int    `json:"code"`
	Message string `json:"message"`
}

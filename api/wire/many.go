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

// RegisteredMany is what became of many registrations, in the order of the body.
type RegisteredMany struct {
	Accepted int              `json:"accepted"`
	Existing int              `json:"existing"`
	Rejected int              `json:"rejected"`
	Items    []RegisteredItem `json:"items"`
}

// RegisteredItem is what became of one: its member, or why it was rejected.
type RegisteredItem struct {
	Index int        `json:"index"` // in the body, from 0; blank lines are none
	ID    string     `json:"ID,omitempty"`
	Error *ItemError `json:"error,omitempty"`
}

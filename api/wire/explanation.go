package wire

// Explanation is the actions behind a statistic, newest first, those of one second by
// ID: their number is the statistic's number of actions, their Values add up to its
// score.
type Explanation struct {
	Position  string   `json:"position"`  // X-Position of the statistic and of the actions
	TotalSize string   `json:"totalSize"` // on all pages
	Actions   []string `json:"actions"`   // their IDs
	Next      *string  `json:"next"`      // address of the following actions; null: there are none
}

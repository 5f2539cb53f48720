package kafka

// The topics of an installation, before their prefix.
const (
	Activities  = "activities"
	Journal     = "journal"
	Catalog     = "catalog"
	DeadLetters = "activities.dlq"
	Keys        = "keys"
)

// The most that a batch takes. The journal's is larger, so that a record accepted from
// activities always fits when it is passed on.
const (
	MaxActivityBytes = 1 << 20
	MaxJournalBytes  = 2 << 20
)

package activity

import "github.com/ovation-analytics/ovation/actors/domain"

// Incoming is a record of the public topic as the log gave it. No goroutine may change
// its bytes while what was decoded from them is in use: decoded strings share
// their memory.
type Incoming struct {
	Topic     domain.TopicID
	Partition int32
	Epoch     int32 // leader epoch of the record's batch
	Offset    int64
	TimeMs    int64 // ms since 1970; -1: the record has no time
	Key       []byte
	Value     []byte
	// Headers calls yield with each header, in order; nil: there are none. It is
	// called once, from Decode. A function made for each record costs
	// an allocation a record.
	Headers func(yield func(key, value []byte))
}

package domain

// Page is what one read of a log of records gives.
type Page struct {
	Records []Record // owned by whoever read the page, as are their strings
	Next    int64    // offset to read next
	Epoch   int32    // leader epoch of the batch before Next
	End     int64    // the log's end when it was read
}

// SourcePage is what one read of a public topic's partition gives.
type SourcePage struct {
	Arrivals []Arrival
	Next     int64
	Epoch    int32
	End      int64
}

// Arrival is a source record as decoded: where it must go is decided by its bytes
// alone (Slot), what becomes of it by the catalog and the member's shard. Record is
// of KindActivity, has its Origin, and a Refusal where the bytes hold no activity.
type Arrival struct {
	Record Record
	Slot   Slot
}

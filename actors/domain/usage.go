package domain

// Slot is where the hits of an application are counted: in its shard.
func (a ApplicationID) Slot() Slot { return Slot(uint32(a) * 2654435761 >> 20) }

// UsageQuestion asks for the hits of applications of an account in the hours [From, To) since
// 1970.
type UsageQuestion struct {
	Account      AccountID
	Applications []ApplicationID
	From, To     uint32
}

// HourHits are the hits of an application in an hour, over all nodes and their lives.
type HourHits struct {
	Application ApplicationID
	Hour        uint32 // hours since 1970
	Hits        uint64
}

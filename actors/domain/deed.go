package domain

// Bounds of the deeds that the catalog keeps.
const (
	// MaxDeeds is how many of an account are kept: the last ones. Those of operators without an account are together.
	MaxDeeds = 1000
	// DeedLife is how long one is kept, in ms.
	DeedLife = 400 * 24 * 3600 * 1000
	// MaxDeedText is how long Did is at most, in bytes.
	MaxDeedText = 255
)

// Deed is that a person asked for a change by the console: who, when, and what of which id. None of the values is in it, nor
// whether it was refused then.
type Deed struct {
	Offset      int64 // of its record in the catalog
	At          int64 // ms since 1970, by the log's clock
	Session     SessionID
	Role        Role
	Account     AccountID // as in Session
	Application ApplicationID
	Name        string
	Did         string // method and path
}

// NoteDeed says that the person of a session asks for a change.
type NoteDeed struct {
	Session SessionID
	Did     string
}

// Kind is KindNoteDeed.
func (*NoteDeed) Kind() Kind { return KindNoteDeed }

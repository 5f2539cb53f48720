package domain

// Row is one action of one member: who did what for which brand when, and what it
// was worth. It is a value of 48 bytes and holds nothing personal.
type Row struct {
	Hash       uint64 // keyed hash of (source, id): the dedup key within the member
	Seq        uint64 // the shard's sequence: order of arrival
	Account    AccountID
	Ord        Ordinal
	Time       Second // completion
	Brand      BrandID
	Definition DefinitionID
	Points     uint16
	Slot       Slot // of the member: with Seq the action's id
	Service    Service
	Flags      Flags
}

// ID is the action's id.
func (r *Row) ID() ActionID { return ActionIDOf(r.Seq, r.Slot) }

// Flags tell what is special about a row.
type Flags uint8

// The flags. They are stored; their bits are fixed for ever.
const (
	TimeDefaulted Flags = 1 << iota // the record carried no time: it has that of the log
	OneTimeRow                      // the definition was one-time when the action was received
	Superseded                      // a one-time action whose place an earlier one took: its hash stays
	Deleted                         // taken out by a delete: its hash stays
	Erased                          // of a member who is erased: nothing stays
)

// Copied is a flag of rows in memory alone, which is not stored: the row counts as that of another member than the
// ordinal's that it is stored with. It is the copy of a row of a member who is merged into that one.
const Copied Flags = 1 << 7

// DeadFlags are those of a row that counts nowhere.
const DeadFlags = Superseded | Deleted | Erased

// Dead reports that the row counts nowhere: its hash is kept at most.
func (f Flags) Dead() bool { return f&DeadFlags != 0 }

// Content is what an action says beside its columns. It is stored by sequence,
// apart from the columns, and read only to show the action.
type Content struct {
	Action   ActionID // of a copy of another member's row: that row; 0: the row's own
	Recorded int64    // ms since 1970: the clock of the member's shard when the action took its sequence; rises with it
	Marker   string   // as given; empty: none
	Content  string   // a JSON object or plain text; empty: none
	Link     string
	Media    string
	Geo      Geo
}

// ID is the id that answers show of an action, whose row is given: of a copy that of the original. c
// may be nil.
func (c *Content) ID(row *Row) ActionID {
	if c != nil && c.Action != 0 {
		return c.Action
	}
	return row.ID()
}

// Geo is where an action was done. Coordinates are rounded to 0.1 degree.
type Geo struct {
	Country, Region, City string
	Lat, Lon              string // decimal text, empty when unknown
}

// IsZero reports that nothing is known.
func (g Geo) IsZero() bool { return g == Geo{} }

// OneTime is the action that counts for a (member, definition, brand) pair of a
// one-time definition: that with the smallest (Time, Hash).
type OneTime struct {
	Account    AccountID
	Ord        Ordinal
	Definition DefinitionID
	Brand      BrandID
	Time       Second
	Hash       uint64
	Seq        uint64
	Deleted    bool // the pair was closed by a delete: whatever comes later is a repeat
}

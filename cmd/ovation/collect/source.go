package collect

import "github.com/ovation-analytics/ovation/cmd/ovation/collect/input"

// Source gives actions, row by row: the same ones in the same order each time that it
// is opened, and perhaps more after them. It belongs to one goroutine.
type Source interface {
	// Name tells the source's position file from others'.
	Name() string
	// Identity changes when the same rows would give other actions.
	Identity() string
	// Event is the ce_source of the actions.
	Event() string
	// Resume goes on after what is done; before the first Next. An error that is
	// input.ErrChanged says that what is done is not what the source has.
	Resume(done input.Mark) error
	// Next is the next row, good until the call after; io.EOF after the last.
	Next() (*input.Row, error)
	// Head is what comes before the rows that are rejected, so that a file of these can be read as the source is.
	Head() []byte
	// Skipped is how many rows were passed over since the source was opened or resumed, as the mapping wants.
	Skipped() int64
	// Mark is the place after so many actions of the row that Next gave last.
	Mark(actions uint64) input.Mark
	// Progress is how much of the source is passed with so many actions of the row, in
	// a unit of its own; a total of 0 is not known.
	Progress(actions uint64) (passed, total int64)
	// Close gives files back.
	Close() error
}

package collect

import (
	"bytes"
	"errors"
	"io"
	"os"

	"github.com/ovation-analytics/ovation/cmd/ovation/collect/input"
)

// Rejects is a file of bad rows that can be read as their source is, once they are mended: what comes before the rows of
// the source, as the names of the columns, is written first. It is in UTF-8. It belongs to one goroutine.
type Rejects struct {
	f     *os.File
	begun bool
}

// OpenRejects opens the file, to which rows are added, or makes it.
func OpenRejects(path string) (*Rejects, error) {
	f, err := os.OpenFile(path, os.O_APPEND|os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return nil, err
	}
	return &Rejects{f: f}, nil
}

var errOtherRejects = errors.New("the file has other columns or another format than these rows: choose another --rejects")

// Add adds a row; head is what comes before the rows.
func (r *Rejects) Add(head, row []byte) error {
	if !r.begun {
		if err := r.begin(head, row); err != nil {
			return err
		}
		r.begun = true
	}
	_, err := r.f.Write(append(row[:len(row):len(row)], '\n'))
	return err
}

// begin writes the head into a file that is empty, as its first row wants it; in any other it must be there, perhaps
// after the mark that the first row there wanted.
func (r *Rejects) begin(head, row []byte) error {
	is := make([]byte, len(input.UTF8Mark)+len(head)+len("\n"))
	n, err := r.f.ReadAt(is, 0)
	switch {
	case err != nil && !errors.Is(err, io.EOF):
		return err
	case n == 0:
		_, err = r.f.Write(input.HeadBefore(head, row))
		return err
	case !bytes.HasPrefix(is[:n], head) && !bytes.HasPrefix(is[:n], append([]byte(input.UTF8Mark), head...)):
		return errOtherRejects
	}
	return nil
}

// Sync makes the rows outlive a power cut.
func (r *Rejects) Sync() error { return r.f.Sync() }

// Close closes the file.
func (r *Rejects) Close() error { return r.f.Close() }

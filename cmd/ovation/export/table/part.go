package table

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/ovation-analytics/ovation/cmd/ovation/files"
)

// Options say how parts are written.
type Options struct {
	Dir    string
	Format string // one of Formats
	Raw    bool   // of CSV: a text that looks like a formula stays as it is
}

// Formats are the names of the formats, which files end with.
var Formats = []string{"ndjson", "csv", "parquet"}

// encoder writes rows of a format.
type encoder interface {
	append(Row) error
	close() error
}

// What of a part is in memory at most.
const (
	FlushRows  = 10_000
	FlushBytes = 4 << 20
)

// Part is a file on its way.
type Part struct {
	Rows int

	dir, name string
	file      *os.File
	buffer    *bufio.Writer
	rows      encoder
}

// Name is that of the part with a number, from 1.
func (o *Options) Name(t Table, number int) string {
	return fmt.Sprintf("%s-%06d.%s", t.Name, number, o.Format)
}

// Begin begins a part. Its file has no name of a part before Finish.
func Begin(t Table, o *Options, number int) (*Part, error) {
	p := &Part{dir: o.Dir, name: o.Name(t, number)}
	var err error
	if p.file, err = os.OpenFile(p.draft(), os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o600); err != nil {
		return nil, err
	}
	p.buffer = bufio.NewWriterSize(p.file, 64<<10)
	switch o.Format {
	case "ndjson":
		p.rows = newNDJSON(p.buffer, t)
	case "csv":
		p.rows, err = newCSV(p.buffer, t, o.Raw)
	case "parquet":
		p.rows = newParquet(p.buffer, t)
	default:
		err = fmt.Errorf("no format %q: one of %s", o.Format, strings.Join(Formats, ", "))
	}
	if err != nil {
		return nil, errors.Join(err, p.Discard())
	}
	return p, nil
}

func (p *Part) draft() string { return filepath.Join(p.dir, files.DraftPrefix+p.name) }

// Append adds a row.
func (p *Part) Append(row Row) error {
	p.Rows++
	return p.rows.append(row)
}

// Finish gives the file its name, once every byte of it is on the disk.
func (p *Part) Finish() (path string, err error) {
	path = filepath.Join(p.dir, p.name)
	if err := errors.Join(p.rows.close(), p.buffer.Flush(), p.file.Sync(), p.file.Close()); err != nil {
		return "", err
	}
	if err := os.Rename(p.draft(), path); err != nil {
		return "", err
	}
	d, err := os.Open(p.dir)
	if err != nil {
		return "", err
	}
	return path, errors.Join(d.Sync(), d.Close())
}

// Discard removes a part that is not finished.
func (p *Part) Discard() error { return errors.Join(p.file.Close(), os.Remove(p.draft())) }

// writeString writes texts one after the other.
func writeString(w io.StringWriter, texts ...string) error {
	for s := range slices.Values(texts) {
		if _, err := w.WriteString(s); err != nil {
			return err
		}
	}
	return nil
}

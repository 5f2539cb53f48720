package input

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
)

// lookup is a table by its key. Of a key that is there twice the last row counts.
type lookup struct {
	name    string
	of      *Lookup
	columns []string // those that the mapping names
	rows    map[string][]cell
}

// open reads the table from the folder, and adds its bytes to a sum. Rows that cannot be read
// are passed to bad and left out.
func (l *lookup) open(dir string, sum io.Writer, bad func(file string, line int64, err error)) error {
	path, err := beside(dir, l.of.File)
	if err != nil {
		return err
	}
	in, err := openFile(path)
	if err != nil {
		return err
	}
	defer in.close()
	s, err := l.of.Input.compile()
	if err != nil {
		return err
	}
	want := append(slices.Clone(l.columns), l.of.Key)
	r, err := newRows(in, s, want)
	if err != nil {
		return fmt.Errorf("%s: %w", base(path), err)
	}
	l.rows = map[string][]cell{}
	for {
		at, cells, err := r.next()
		var row badRow
		switch {
		case err == nil:
			last := len(cells) - 1
			l.rows[cells[last].text] = slices.Clone(cells[:last])
		case errors.As(err, &row):
			bad(base(path), at, row.error)
		case errors.Is(err, io.EOF):
			_, err := sum.Write(r.digest(nil))
			return err
		default:
			return fmt.Errorf("%s: %w", base(path), err)
		}
	}
}

// beside is the path of a file beside the input, packed or not.
func beside(dir, name string) (string, error) {
	path := name
	if !filepath.IsAbs(name) {
		path = filepath.Join(dir, name)
	}
	_, err := os.Stat(path)
	if !errors.Is(err, fs.ErrNotExist) {
		return path, err
	}
	plain := unpackedName(path)
	for _, extension := range append([]string{""}, extensions...) {
		if _, there := os.Stat(plain + extension); there == nil {
			return plain + extension, nil
		}
	}
	return "", err
}

// look gives a row what the lookups know of it.
func (c *mapper) look(r *row) error {
	r.found = r.found[:0]
	for _, l := range c.lookups {
		key, err := l.of.By.optional(r)
		if err != nil {
			return fault("lookups."+l.name, err)
		}
		r.found = append(r.found, l.rows[key])
	}
	return nil
}

package main

import (
	"context"
	"errors"
	"io"
	"path/filepath"

	"github.com/ovation-analytics/ovation/storage/store"
)

// Inspect prints the keys of a stopped node's store as text, one a line.
type Inspect struct {
	Data    string `default:"data" placeholder:"DIR" help:"Directory of the node."`
	Catalog bool   `help:"The catalog's store instead of the node's."`
	Prefix  string `arg:"" optional:"" help:"Only keys that begin with these characters, as R for the columns or z for the state."`
}

// Run prints to standard output.
func (i *Inspect) Run(_ context.Context, out io.Writer) error {
	if i.Catalog {
		c, err := store.OpenCatalog(filepath.Join(i.Data, "catalog"), store.Options{})
		if err != nil {
			return taken(err)
		}
		return errors.Join(c.Dump(out, []byte(i.Prefix)), c.Close())
	}
	s, err := store.Open(filepath.Join(i.Data, "store"), store.Options{})
	if err != nil {
		return taken(err)
	}
	return errors.Join(s.Dump(out, []byte(i.Prefix)), s.Close())
}

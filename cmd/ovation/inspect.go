package main

import (
	"bufio"
	"context"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"strings"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/cmd/ovation/config"
	"github.com/ovation-analytics/ovation/cmd/ovation/node"
	keystore "github.com/ovation-analytics/ovation/storage/keys"
	"github.com/ovation-analytics/ovation/storage/store"
)

// Inspect prints the keys of a stopped node's store as text, one a line.
type Inspect struct {
	Data    string `default:"data" placeholder:"DIR" help:"Directory of the node."`
	Catalog bool   `xor:"store" help:"The catalog's store instead of the node's."`
	Keys    bool   `xor:"store" help:"The ids of the data keys instead, in hex; never a key."`
	Output  string `enum:"text,json" default:"text" help:"text, or json for one JSON object a line."`
	Prefix  string `arg:"" optional:"" help:"Only keys that begin with these characters, as R for the columns or z for the state."`
}

// Run prints to standard output.
func (i *Inspect) Run(_ context.Context, out io.Writer) error {
	if i.Output != "json" {
		return i.dump(out)
	}
	from, to := io.Pipe()
	go func() { _ = to.CloseWithError(i.dump(to)) }() // the reader gets the error
	return errors.Join(asJSON(from, out), from.Close())
}

// storedKey is a key of a store as JSON.
type storedKey struct {
	Key   string `json:"key"`
	Value string `json:"value,omitempty"`
}

// asJSON prints the lines of a dump as JSON.
func asJSON(dump io.Reader, out io.Writer) error {
	lines, w := bufio.NewReader(dump), bufio.NewWriter(out)
	for {
		line, err := lines.ReadString('\n')
		if err != nil {
			if errors.Is(err, io.EOF) {
				err = nil
			}
			return errors.Join(err, w.Flush())
		}
		key, value, _ := strings.Cut(strings.TrimSuffix(line, "\n"), "\t")
		if err := json.NewEncoder(w).Encode(storedKey{key, value}); err != nil {
			return err
		}
	}
}

// dump prints one key a line.
func (i *Inspect) dump(out io.Writer) error {
	if i.Catalog {
		dir, err := i.there("catalog")
		if err != nil {
			return err
		}
		c, err := store.OpenCatalog(dir, store.Options{})
		if err != nil {
			return node.ExplainLocked(err)
		}
		return errors.Join(c.Dump(out, []byte(i.Prefix)), c.Close())
	}
	if i.Keys {
		return i.keys(out)
	}
	dir, err := i.there("store")
	if err != nil {
		return err
	}
	s, err := store.Open(dir, store.Options{})
	if err != nil {
		return node.ExplainLocked(err)
	}
	return errors.Join(s.Dump(out, []byte(i.Prefix)), s.Close())
}

// there is a store of the directory: one that is not there is not made.
func (i *Inspect) there(name string) (string, error) {
	dir := filepath.Join(i.Data, name)
	there, err := keystore.Exists(nil, dir)
	if err == nil && !there {
		err = fmt.Errorf("%s: no such store", dir)
	}
	return dir, err
}

// keys prints the ids of data keys.
func (i *Inspect) keys(out io.Writer) error {
	prefix, err := hex.DecodeString(i.Prefix)
	if err != nil {
		return fmt.Errorf("%q is not whole bytes in hex", i.Prefix)
	}
	dir, err := i.there(config.KeysDir)
	if err != nil {
		return err
	}
	s, err := keystore.Open(dir, keystore.Options{})
	if err != nil {
		return node.ExplainLocked(err)
	}
	w := bufio.NewWriter(out)
	err = s.Each(prefix, func(id domain.KeyID) error {
		_, err := fmt.Fprintln(w, id)
		return err
	})
	return errors.Join(err, w.Flush(), s.Close())
}

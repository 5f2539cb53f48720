package store

import (
	"bufio"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/cockroachdb/pebble/v2"

	"github.com/ovation-analytics/ovation/storage/format"
	"github.com/ovation-analytics/ovation/storage/internal/scan"
)

// Dump writes every key that begins with prefix as one line of text: the key's fields,
// a tab, and its value's. Bytes that cannot be read are shown in hex with the error.
// It may show what is personal; it is for the operator's eyes.
func (s *Store) Dump(w io.Writer, prefix []byte) error {
	if err := s.usable(); err != nil {
		return err
	}
	return dump(s.db.DB, w, prefix, format.Text)
}

// Dump writes every key of the catalog that begins with prefix as one line of text.
func (c *Catalog) Dump(w io.Writer, prefix []byte) error {
	if err := c.usable(); err != nil {
		return err
	}
	return dump(c.db.DB, w, prefix, format.CatalogText)
}

func dump(db *pebble.DB, w io.Writer, prefix []byte, line func(k, v []byte) (string, error)) error {
	snap := db.NewSnapshot()
	out := bufio.NewWriter(w)
	err := scan.Prefix(snap, prefix, func(k, v []byte) error {
		text, err := line(k, v)
		if err != nil {
			text = fmt.Sprintf("%q %s\t%s !%v", string(rune(k[0])), hex.EncodeToString(k[1:]), hex.EncodeToString(v), err)
		}
		_, err = out.WriteString(strings.ReplaceAll(text, "\n", " ") + "\n")
		return err
	})
	return errors.Join(err, out.Flush(), snap.Close())
}

package bundle

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"fmt"
	"io"
	"path"
	"time"
)

// Part is a file of a bundle.
type Part struct {
	Name string
	Read func() ([]byte, error)
}

// Write writes an archive of the parts, in a folder of a name, and gives the names of its files. Secrets are values
// that none of them may hold.
func Write(w io.Writer, folder string, at time.Time, parts []Part, secrets []string) (names []string, err error) {
	packed := gzip.NewWriter(w)
	files := tar.NewWriter(packed)
	add := func(name string, text []byte) error {
		text = Scrub(text, secrets)
		header := tar.Header{Name: path.Join(folder, name), Mode: 0o600, Size: int64(len(text)), ModTime: at, Format: tar.FormatPAX}
		if err := files.WriteHeader(&header); err != nil {
			return err
		}
		names = append(names, name)
		_, err := files.Write(text)
		return err
	}
	var failures bytes.Buffer
	for _, p := range parts {
		text, err := p.Read()
		if err != nil {
			fmt.Fprintf(&failures, "%s: %v\n", p.Name, err)
			continue
		}
		if err := add(p.Name, text); err != nil {
			return nil, err
		}
	}
	if failures.Len() > 0 {
		if err := add("errors.txt", failures.Bytes()); err != nil {
			return nil, err
		}
	}
	if err := files.Close(); err != nil {
		return nil, err
	}
	return names, packed.Close()
}

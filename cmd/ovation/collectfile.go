package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime/debug"
	"strings"

	"github.com/ovation-analytics/ovation/cmd/ovation/collect/input"
	"github.com/ovation-analytics/ovation/cmd/ovation/collect/mappings"
)

// CollectFile publishes files.
type CollectFile struct {
	Publishing publishing `embed:""`
	As         string     `group:"Publishing" env:"-" placeholder:"NAME" help:"Ready mapping in place of a mapping file, as collect mappings lists them. Without either the first rows tell."`
	Member     string     `group:"Publishing" env:"-" placeholder:"SERVICE:UID" help:"Whose actions the files have, such as spotify:ann, where they do not say."`
	Files      []string   `arg:"" help:"Mapping file (.yaml), unless --as names one; then the files, or a pattern of them; of a zip archive ARCHIVE.zip/PATTERN; - is standard input. CSV, NDJSON, JSON or lines of a log, also packed by gzip, bzip2, xz, zstd or zip."`
}

// Help tells the exit codes.
func (*CollectFile) Help() string { return collectExits }

// gcPercent is how much the heap grows between two collections: a collector runs beside a node, so that memory is
// worth more than the time that this takes.
const gcPercent = 40

// Run publishes what is not published yet, a file after the other.
func (c *CollectFile) Run(ctx context.Context, w io.Writer) error {
	debug.SetGCPercent(gcPercent)
	files, read, err := c.inputs()
	if err != nil {
		return err
	}
	var bad []error
	for _, path := range files {
		m, err := read(path)
		if err != nil {
			return err
		}
		switch err := c.publish(ctx, w, m, path); {
		case errors.Is(err, errBadRows) && len(files) > 1:
			bad = append(bad, fmt.Errorf("%s: %w", path, err))
		case errors.Is(err, errBadRows):
			bad = append(bad, err)
		case err != nil:
			return err
		}
	}
	return errors.Join(bad...)
}

// inputs are the files to publish, and what reads the mapping of one.
func (c *CollectFile) inputs() (files []string, read func(path string) (*input.Mapping, error), err error) {
	files = c.Files
	switch first := strings.ToLower(filepath.Ext(files[0])); {
	case c.As != "":
		ready, err := mappings.Find(c.As)
		if err != nil {
			return nil, nil, wrongUse(fmt.Errorf("--as: %w", err))
		}
		m, err := input.ParseMapping(ready.Text)
		if err != nil {
			return nil, nil, err
		}
		read = func(string) (*input.Mapping, error) { return m, nil }
	case first == ".yaml" || first == ".yml":
		m, err := input.ReadMapping(files[0])
		if err != nil {
			return nil, nil, wrongUse(err)
		}
		files, read = files[1:], func(string) (*input.Mapping, error) { return m, nil }
		if len(files) == 0 {
			return nil, nil, wrongUse(errors.New("a mapping file, and no file to publish"))
		}
	default:
		read = guessed
	}
	files, err = expanded(files)
	return files, read, err
}

// guessed is the ready mapping that fits the file.
func guessed(path string) (*input.Mapping, error) {
	if path == input.Stdin {
		return nil, wrongUse(errors.New("standard input is read once: name a mapping file, or a ready mapping by --as"))
	}
	ready, err := mappings.Guess(path)
	if err != nil {
		return nil, err
	}
	fmt.Fprintf(os.Stderr, "%s: mapped as %s\n", path, ready.Name)
	return input.ParseMapping(ready.Text)
}

// expanded are the files, and of a pattern those that it matches, in order.
func expanded(names []string) (files []string, err error) {
	for _, name := range names {
		in, err := input.InArchive(name)
		if err != nil {
			return nil, err
		}
		if in != nil {
			files = append(files, in...)
			continue
		}
		found, err := filepath.Glob(name)
		if err != nil || found == nil { // it may be a name with a bracket in it
			found = []string{name}
		}
		files = append(files, found...)
	}
	return files, nil
}

// publish publishes one file.
func (c *CollectFile) publish(ctx context.Context, w io.Writer, m *input.Mapping, path string) error {
	if c.Member != "" {
		if err := m.SetMember(c.Member); err != nil {
			return wrongUse(err)
		}
	}
	of := c.Publishing
	if of.Account == 0 {
		of.Account = m.Account
	}
	badEntries := 0
	source, err := input.OpenFile(m, path, func(file string, line int64, err error) {
		badEntries++
		fmt.Fprintf(os.Stderr, "%s:%d: %v\n", file, line, err)
	})
	if errors.Is(err, input.ErrNoMember) {
		return wrongUse(err)
	}
	if err != nil {
		return err
	}
	defer source.Close()
	if err = of.run(ctx, w, source); err == nil && badEntries > 0 {
		err = fmt.Errorf("%w: %d, of the tables beside the input", errBadRows, badEntries)
	}
	return err
}

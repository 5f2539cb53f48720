package demo

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/ovation-analytics/ovation/actors/domain"
)

// audienceFile says which audience is in a data directory: a file beside the store, by which a later
// run makes the same people.
type audienceFile struct {
	Seed    uint64    `json:"seed"`
	Members int       `json:"members"`
	Actions int       `json:"actions"`
	End     time.Time `json:"end"`
	Played  bool      `json:"played"` // the past was published, all of it
}

const scriptFile = "demo.json"

// audienceFile reads which audience is in the directory, or notes that this one will be.
func (s *stage) audienceFile() (*audienceFile, error) {
	path := filepath.Join(s.options.Data, scriptFile)
	mine := &audienceFile{Seed: s.options.Seed, Members: s.options.Members, Actions: s.options.Actions, End: s.fans.End()}
	text, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		if s.known() {
			return nil, domain.Fail(domain.InvalidParameter,
				"the account \""+accountName+"\" is there, but "+path+" is not: start in an empty --data")
		}
		return mine, mine.write(s.options.Data)
	}
	if err != nil {
		return nil, err
	}
	var found audienceFile
	if err := json.Unmarshal(text, &found); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	if found.Seed != mine.Seed || found.Members != mine.Members || found.Actions != mine.Actions {
		return nil, domain.Fail(domain.InvalidParameter, fmt.Sprintf(
			"--data has the audience of --seed %d --members %d --actions %d: ask for that one, or start in an empty --data",
			found.Seed, found.Members, found.Actions))
	}
	if !found.End.Equal(mine.End) { // of an earlier week
		if s.fans, err = s.options.Audience(found.End); err != nil {
			return nil, err
		}
	}
	return &found, nil
}

// known reports that the account was there before this run.
func (s *stage) known() bool {
	c := s.node.Engine.Catalog()
	for _, a := range c.Applications() {
		if acc, ok := c.Account(a.Account); ok && acc.Name == accountName {
			return true
		}
	}
	return false
}

// write replaces the file as a whole.
func (s *audienceFile) write(dir string) error {
	text, err := json.Marshal(s)
	if err != nil {
		return err
	}
	path := filepath.Join(dir, scriptFile)
	f, err := os.CreateTemp(dir, scriptFile+".*")
	if err != nil {
		return err
	}
	defer os.Remove(f.Name())
	_, err = f.Write(append(bytes.TrimSpace(text), '\n'))
	if err := errors.Join(err, f.Sync(), f.Close()); err != nil {
		return err
	}
	return os.Rename(f.Name(), path)
}

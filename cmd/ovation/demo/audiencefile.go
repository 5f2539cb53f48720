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

// audienceFile says that a data directory is a demo's, and which audience is in it: a file beside the
// store, by which a later run makes the same people and has the same key.
type audienceFile struct {
	Seed    uint64           `json:"seed"`
	Members int              `json:"members"`
	Actions int              `json:"actions"`
	End     time.Time        `json:"end"`
	Played  bool             `json:"played"`            // the past was published, all of it
	Until   time.Time        `json:"until,omitzero"`    // where it ends, and what came after it
	Account domain.AccountID `json:"account,omitempty"` // 0: not made yet
	Key     string           `json:"key,omitempty"`     // of the account
}

// Mark is the file, in --data.
const Mark = "demo.json"

// ofNode are what every node's data directory has.
var ofNode = []string{"store", "catalog", "log", "keys", "secrets.yaml"}

// Check refuses a directory that a node has filled and no demo, or a demo with another audience.
// It changes nothing.
func (o Options) Check() error {
	_, err := o.read()
	return err
}

// Claim marks the directory as this demo's, before a node is opened in it.
func (o Options) Claim(end time.Time) error {
	found, err := o.read()
	if err != nil || found != nil {
		return err
	}
	if err := os.MkdirAll(o.Data, 0o700); err != nil {
		return err
	}
	mine := &audienceFile{Seed: o.Seed, Members: o.Members, Actions: o.Actions, End: end}
	return mine.write(o.Data)
}

// read is the directory's file; nil: the directory is free.
func (o Options) read() (*audienceFile, error) {
	path := filepath.Join(o.Data, Mark)
	text, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		for _, name := range ofNode {
			if _, err := os.Lstat(filepath.Join(o.Data, name)); err == nil {
				return nil, domain.Fail(domain.InvalidParameter, fmt.Sprintf(
					"--data: %s is the directory of an installation that is no demo's: there is %s and no %s. "+
						"A demo fills a directory of its own, by default ./demo-data", o.Data, name, Mark))
			}
		}
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	found := new(audienceFile)
	if err := json.Unmarshal(text, found); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	if found.Seed != o.Seed || found.Members != o.Members || found.Actions != o.Actions {
		return nil, domain.Fail(domain.InvalidParameter, fmt.Sprintf(
			"--data has the audience of --seed %d --members %d --actions %d: ask for that one, or start in an empty --data",
			found.Seed, found.Members, found.Actions))
	}
	return found, nil
}

// audienceFile reads which audience is in the directory, which was claimed.
func (s *stage) audienceFile() (*audienceFile, error) {
	found, err := s.options.read()
	if err != nil {
		return nil, err
	}
	if found == nil {
		return nil, fmt.Errorf("%s is gone from %s", Mark, s.options.Data)
	}
	if !found.End.Equal(s.fans.End()) { // of an earlier week
		if s.fans, err = s.options.Audience(found.End); err != nil {
			return nil, err
		}
	}
	return found, s.ownCatalog(found)
}

// ownCatalog refuses a catalog that others have filled: a Kafka may be an installation's.
func (s *stage) ownCatalog(found *audienceFile) error {
	if found.Account != 0 {
		return nil
	}
	c := s.node.Engine.Catalog()
	for _, a := range c.Applications() {
		if acc, ok := c.Account(a.Account); ok && acc.Name != accountName {
			return domain.Fail(domain.InvalidParameter, fmt.Sprintf(
				"the log is of an installation that is no demo's: it has the account %q. A demo needs a log of its own", acc.Name))
		}
	}
	return nil
}

// write replaces the file as a whole.
func (s *audienceFile) write(dir string) error {
	text, err := json.Marshal(s)
	if err != nil {
		return err
	}
	path := filepath.Join(dir, Mark)
	f, err := os.CreateTemp(dir, Mark+".*")
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

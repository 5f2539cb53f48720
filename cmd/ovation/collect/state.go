package collect

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"unicode"

	"github.com/ovation-analytics/ovation/cmd/ovation/collect/input"
	"github.com/ovation-analytics/ovation/cmd/ovation/collect/runs"
	"github.com/ovation-analytics/ovation/cmd/ovation/files"
)

// State is a folder that a collector keeps between runs:
//
//	known.ndjson        what is there on the other side, a line each:
//	                    {"kind":"brand","name":"the-moons","id":17}
//	NAME.position.json  how far a source is published, and the run that it is part of
//	runs                what was done, run by run (package runs)
//
// Lines are only added to known.ndjson, and the last may be torn by a power cut: it
// is then not known and asked for again. A position is written beside its place,
// synced and moved there, after all that it counts was acknowledged and what it
// needs of known.ndjson is synced. Two collectors on one folder do no harm: a position
// is never ahead of what is published.
type State struct {
	dir string
	of  place

	mu    sync.Mutex // known is read and written by many goroutines
	known map[thingKey]uint32
	log   *os.File
	dirty bool
}

// place is the log that a folder is about.
type place struct {
	Version int    `json:"version"`
	Topic   string `json:"topic"`
	Account uint32 `json:"account"`
}

// thingKey names a brand, a definition or a member.
type thingKey struct {
	Kind string `json:"kind"`
	Name string `json:"name"`
}

type knownLine struct {
	thingKey
	ID uint32 `json:"id,omitempty"` // of a member none is needed
}

const stateVersion = 4 // the ids of a run are in files of their own

// ErrElsewhere says that a folder is about another log or account.
var ErrElsewhere = errors.New("what it remembers is of another log or account, or of an older release: choose another --state, or delete it")

// OpenState opens the folder, which is made if it is not there.
func OpenState(dir, topic string, account uint32) (*State, error) {
	s := &State{dir: dir, of: place{stateVersion, topic, account}, known: map[thingKey]uint32{}}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, err
	}
	var err error
	if s.log, err = os.OpenFile(filepath.Join(dir, "known.ndjson"), os.O_RDWR|os.O_APPEND|os.O_CREATE, 0o600); err != nil {
		return nil, err
	}
	if err := s.load(); err != nil {
		s.log.Close()
		return nil, fmt.Errorf("%s: %w", s.log.Name(), err)
	}
	return s, nil
}

// load reads what is known. The first line says of which log.
func (s *State) load() error {
	text, err := io.ReadAll(s.log)
	if err != nil {
		return err
	}
	if len(text) > 0 && !bytes.HasSuffix(text, []byte("\n")) { // torn: what comes next begins a line
		if _, err := s.log.WriteString("\n"); err != nil {
			return err
		}
	}
	lines := bufio.NewScanner(bytes.NewReader(text))
	lines.Buffer(nil, input.MaxLine)
	headed := false
	for lines.Scan() {
		if !headed { // or it was torn when it was made
			var of place
			headed = json.Unmarshal(lines.Bytes(), &of) == nil && of.Version != 0
			if headed && of != s.of {
				return ErrElsewhere
			}
			continue
		}
		var k knownLine
		if json.Unmarshal(lines.Bytes(), &k) == nil && k.Kind != "" {
			s.known[k.thingKey] = k.ID
		}
	}
	if err := lines.Err(); err != nil || headed {
		return err
	}
	return s.append(s.of)
}

func (s *State) append(v any) error {
	text, err := json.Marshal(v)
	if err != nil {
		return err
	}
	s.dirty = true
	_, err = s.log.Write(append(text, '\n'))
	return err
}

// Known is the id of a thing that is remembered.
func (s *State) Known(kind, name string) (id uint32, ok bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	id, ok = s.known[thingKey{kind, name}]
	return id, ok
}

// Learn remembers a thing.
func (s *State) Learn(kind, name string, id uint32) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	k := thingKey{kind, name}
	s.known[k] = id
	return s.append(knownLine{k, id})
}

// Position is how far a source is published.
type Position struct {
	place
	Identity  string     `json:"identity"`
	Mark      input.Mark `json:"mark"`
	Published int64      `json:"published"` // actions, by all runs
	Rejected  int64      `json:"rejected"`  // rows
	Run       *runs.Run  `json:"run"`       // as it is there
}

// Position is the position of a source; ok is false where nothing of it is published.
func (s *State) Position(name string) (p Position, ok bool, err error) {
	text, err := os.ReadFile(s.path(name))
	if errors.Is(err, fs.ErrNotExist) {
		return p, false, nil
	}
	if err != nil {
		return p, false, err
	}
	if err := json.Unmarshal(text, &p); err != nil {
		return p, false, fmt.Errorf("%s: not a position: %w", s.path(name), err)
	}
	if p.place != s.of {
		return p, false, fmt.Errorf("%s: %w", s.path(name), ErrElsewhere)
	}
	return p, true, nil
}

// Save writes a source's position.
func (s *State) Save(name string, p Position) error {
	if err := s.sync(); err != nil {
		return err
	}
	p.place = s.of
	text, err := json.MarshalIndent(&p, "", "  ")
	if err != nil {
		return err
	}
	return files.Replace(s.path(name), append(text, '\n'), files.Unchecked)
}

// Runs is the folder of the runs.
func (s *State) Runs() *runs.Folder { return runs.In(s.dir) }

// sync makes what was learned durable.
func (s *State) sync() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.dirty {
		return nil
	}
	err := s.log.Sync()
	s.dirty = err != nil
	return err
}

// path is where a source's position is.
func (s *State) path(name string) string {
	safe := strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) || unicode.IsDigit(r) || strings.ContainsRune("-_.", r) {
			return r
		}
		return '_'
	}, name)
	return filepath.Join(s.dir, safe+".position.json")
}

// Close makes all durable and closes the folder.
func (s *State) Close() error { return errors.Join(s.sync(), s.log.Close()) }

package collect

import (
	"bufio"
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
	"github.com/ovation-analytics/ovation/cmd/ovation/collect/nametable"
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
// is then not known and asked for again. It is read into a table on disk (package nametable): members may be more
// than memory has room for. A position is written beside its place,
// synced and moved there, after all that it counts was acknowledged and what it
// needs of known.ndjson is synced. Two collectors on one folder do no harm: a position
// is never ahead of what is published.
type State struct {
	dir string
	of  place

	mu    sync.Mutex // known is read and written by many goroutines
	known *nametable.Table
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

const stateVersion = 5 // the ids of a run are beside digests of its actions' contents

// ErrElsewhere says that a folder is about another log or account.
var ErrElsewhere = errors.New("what it remembers is of another log or account, or of an older release: choose another --state, or delete it")

// OpenState opens the folder, which is made if it is not there.
func OpenState(dir, topic string, account uint32) (*State, error) {
	s := &State{dir: dir, of: place{stateVersion, topic, account}}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, err
	}
	var err error
	if s.log, err = os.OpenFile(filepath.Join(dir, "known.ndjson"), os.O_RDWR|os.O_APPEND|os.O_CREATE, 0o600); err != nil {
		return nil, err
	}
	if err := s.load(); err != nil {
		return nil, errors.Join(fmt.Errorf("%s: %w", s.log.Name(), err), s.close())
	}
	return s, nil
}

// knownBytes is about how long a line of known.ndjson is.
const knownBytes = 60

// load reads what is known.
func (s *State) load() error {
	info, err := s.log.Stat()
	if err != nil {
		return err
	}
	if s.known, err = nametable.New(s.dir, info.Size()/knownBytes); err != nil {
		return err
	}
	headed, err := s.read()
	if err != nil || headed {
		return err
	}
	return s.append(s.of)
}

// read reads the lines, of which the first says of which log they are.
func (s *State) read() (headed bool, err error) {
	lines := bufio.NewReader(s.log)
	for {
		line, err := lines.ReadBytes('\n')
		if err != nil && !errors.Is(err, io.EOF) {
			return headed, err
		}
		torn := err != nil
		if torn && len(line) == 0 {
			return headed, nil
		}
		if !headed { // or it was torn when it was made
			var of place
			headed = json.Unmarshal(line, &of) == nil && of.Version != 0
			if headed && of != s.of {
				return headed, ErrElsewhere
			}
		} else if err := s.readLine(line); err != nil {
			return headed, err
		}
		if torn { // what comes next begins a line
			_, err := s.log.WriteString("\n")
			return headed, err
		}
	}
}

func (s *State) readLine(line []byte) error {
	var k knownLine
	if json.Unmarshal(line, &k) != nil || k.Kind == "" {
		return nil
	}
	return s.known.Put(k.Kind, k.Name, k.ID)
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
func (s *State) Known(kind, name string) (id uint32, known bool, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.known.Get(kind, name)
}

// Learn remembers a thing.
func (s *State) Learn(kind, name string, id uint32) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := s.known.Put(kind, name, id); err != nil {
		return err
	}
	return s.append(knownLine{thingKey{kind, name}, id})
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
func (s *State) Close() error { return errors.Join(s.sync(), s.close()) }

func (s *State) close() error {
	if s.known == nil {
		return s.log.Close()
	}
	return errors.Join(s.known.Close(), s.log.Close())
}

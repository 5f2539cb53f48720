package state

import (
	"errors"
	"maps"
	"math/rand/v2"
	"path/filepath"
	"strings"
	"testing"
)

var actions = Of{Table: "actions", Account: "1", Format: "csv"}

func opened(t *testing.T, dir string) *Store {
	t.Helper()
	s, err := Open(dir, actions)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// What was noted and the state are there after a commit, together; what came after the last commit is not.
func TestStore_Commits(t *testing.T) {
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	rnd := rand.New(rand.NewPCG(seed, 0))
	dir := filepath.Join(t.TempDir(), "a", "b")
	kept := map[uint64]uint64{}
	next := 1
	for range 20 {
		s := opened(t, dir)
		if s.State.Next != next {
			t.Fatalf("the next part is %d, not %d", s.State.Next, next)
		}
		noted := map[uint64]uint64{}
		for range rnd.IntN(50) {
			id, rowVersion := rnd.Uint64N(100), rnd.Uint64N(3)
			s.Note(id, rowVersion)
			noted[id] = rowVersion
		}
		s.State.Next++
		if rnd.IntN(2) == 0 {
			if err := s.Commit(); err != nil {
				t.Fatal(err)
			}
			maps.Copy(kept, noted)
			next++
			noted = nil
		}
		for id := range uint64(100) {
			want, ok := noted[id]
			if !ok {
				want, ok = kept[id]
			}
			for rowVersion := range uint64(3) {
				has, err := s.Exported(id, rowVersion)
				if err != nil || has != (ok && want == rowVersion) {
					t.Fatalf("row %d of version %d is exported: %t, %v", id, rowVersion, has, err)
				}
			}
		}
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
	}
}

// A folder is about one export, which the error names, and of one process at a time.
func TestOpen_Refused(t *testing.T) {
	dir := t.TempDir()
	s := opened(t, dir)
	if _, err := Open(dir, actions); !errors.Is(err, ErrInUse) {
		t.Errorf("in use: %v", err)
	}
	if err := errors.Join(s.Commit(), s.Close()); err != nil {
		t.Fatal(err)
	}
	for want, of := range map[string]Of{
		"exports actions":       {Table: "members", Account: "1", Format: "csv"},
		"is of account 1":       {Table: "actions", Account: "2", Format: "csv"},
		"format is csv":         {Table: "actions", Account: "1", Format: "parquet"},
		"is without --personal": {Table: "actions", Account: "1", Format: "csv", Personal: true},
		"--since is ":           {Table: "actions", Account: "1", Format: "csv", From: "2026-01-01 00:00:00"},
	} {
		if _, err := Open(dir, of); !errors.Is(err, ErrOther) || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v", want, err)
		}
	}
	if err := opened(t, dir).Close(); err != nil {
		t.Error(err)
	}
}

package main

import (
	"os"
	"path/filepath"
	"testing"
)

// The files are what the program writes.
func TestBoards_Written(t *testing.T) {
	const dir = "../dashboards"
	for _, b := range boards {
		want, err := b.json()
		if err != nil {
			t.Fatal(err)
		}
		if got, err := os.ReadFile(filepath.Join(dir, b.file())); err != nil || string(got) != string(want) {
			t.Errorf("%s is not that of the list (%v): go run ./deploy/compose/watch/boards deploy/compose/watch/dashboards", b.file(), err)
		}
	}
	files, err := filepath.Glob(filepath.Join(dir, "*"))
	if err != nil || len(files) != len(boards) {
		t.Errorf("%d files of %d dashboards: %v", len(files), len(boards), err)
	}
}

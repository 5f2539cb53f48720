package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"
)

func statusOf(t *testing.T, text string) *status {
	t.Helper()
	var st status
	if err := json.Unmarshal([]byte(text), &st); err != nil {
		t.Fatal(err)
	}
	return &st
}

func TestALoadIsSettledWhenNothingIsUnderWay(t *testing.T) {
	f := &feed{published: 30}
	done := `{"shards":[{"applied":12,"end":12},{"applied":20,"end":20}],"routers":[{"next":10},{"next":20}]}`
	last := statusOf(t, done)
	if !f.applied(statusOf(t, done), last) {
		t.Error("not settled")
	}
	if f.applied(statusOf(t, done), &status{}) {
		t.Error("settled at the first look: a forward may be under way")
	}
	for what, text := range map[string]string{
		"not all is routed":       `{"shards":[{"applied":12,"end":12},{"applied":20,"end":20}],"routers":[{"next":10},{"next":19}]}`,
		"a shard is behind":       `{"shards":[{"applied":12,"end":13},{"applied":20,"end":20}],"routers":[{"next":10},{"next":20}]}`,
		"a shard has moved":       `{"shards":[{"applied":13,"end":13},{"applied":20,"end":20}],"routers":[{"next":10},{"next":20}]}`,
		"a forward waits":         `{"shards":[{"applied":12,"end":12,"outbox":1},{"applied":20,"end":20}],"routers":[{"next":10},{"next":20}]}`,
		"a dead letter waits":     `{"shards":[{"applied":12,"end":12,"lettersWaiting":1},{"applied":20,"end":20}],"routers":[{"next":10},{"next":20}]}`,
		"another one's is routed": `{"shards":[{"applied":12,"end":12},{"applied":20,"end":20}],"routers":[{"next":10},{"next":21}]}`,
	} {
		if f.applied(statusOf(t, text), last) {
			t.Errorf("settled while %s", what)
		}
	}
}

func TestFilesAreSummedThroughAllFolders(t *testing.T) {
	dir := t.TempDir()
	for name, size := range map[string]int{"a": 10, "b/c": 20, "b/d/e": 30} {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, make([]byte, size), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if got, err := filesBytes(dir); err != nil || got != 60 {
		t.Errorf("%d, %v", got, err)
	}
	if _, err := filesBytes(filepath.Join(dir, "none")); err == nil {
		t.Error("a directory that is not there has a size")
	}
}

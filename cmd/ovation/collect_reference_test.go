package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// Every example of the page of mappings prints what the page says.
func TestCollect_MappingReference(t *testing.T) {
	t.Parallel()
	page, err := os.ReadFile("collect/mapping.md")
	if err != nil {
		t.Fatal(err)
	}
	examples := 0
	dir, flags := t.TempDir(), ""
	for i, block := range strings.Split(string(page), "\n```") {
		if i%2 == 0 {
			continue // between blocks
		}
		kind, text, fenced := strings.Cut(block, "\n")
		name, isFile := strings.CutPrefix(kind, "file ")
		text += "\n"
		switch {
		case !fenced:
			t.Fatalf("a block that does not end: %s", block)
		case kind == "yaml":
			dir, flags = t.TempDir(), ""
			name, isFile = "mapping.yaml", true
		case kind == "input":
			name, isFile = "in", true
		case kind == "flags":
			flags = text
		case kind == "result":
			examples++
			var out, errs strings.Builder
			args := append([]string{"collect", "file", filepath.Join(dir, "mapping.yaml"), filepath.Join(dir, "in"), "--dry-run", "--show", "99"}, strings.Fields(flags)...)
			if code := run(args, &out, &errs); code != exitFine || out.String() != text {
				t.Errorf("example %d: exit code %d %s\n%s\nthe page says\n%s", examples, code, &errs, &out, text)
			}
		}
		if isFile {
			if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
		}
	}
	if examples != 7 {
		t.Errorf("%d examples", examples)
	}
}

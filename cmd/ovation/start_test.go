package main

import (
	"bytes"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// A node whose address is taken reports it and leaves no directory behind.
func TestServe_TakenAddressLeavesNothing(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	for _, flag := range []string{"--http", "--admin", "--embedded-kafka"} {
		data := filepath.Join(t.TempDir(), "data")
		args := []string{"serve", "--http", "127.0.0.1:0", "--admin", "127.0.0.1:0", "--embedded-kafka", "127.0.0.1:0", "--data", data, flag, l.Addr().String()}
		var stdout, stderr bytes.Buffer
		if code := run(args, &stdout, &stderr); code != exitFailed || !strings.Contains(stderr.String(), "address already in use") {
			t.Errorf("%s: %d %s", flag, code, &stderr)
		}
		if _, err := os.Stat(data); !os.IsNotExist(err) {
			t.Errorf("%s: the directory is there: %v", flag, err)
		}
	}
}

// An error of a flag points to the help of its command.
func TestRun_ErrorsOfFlagsNameTheCommand(t *testing.T) {
	for line, want := range map[string]string{
		"app create --nonsense": "See ovation app create --help.", "serve --nonsense": "See ovation serve --help.", "nonsense": "See ovation --help.",
	} {
		var stdout, stderr bytes.Buffer
		if code := run(strings.Fields(line), &stdout, &stderr); code != exitWrongUse || !strings.Contains(stderr.String(), want) {
			t.Errorf("%s: %d %s", line, code, &stderr)
		}
	}
}

// Help promises nothing that is absent.
func TestHelp_SpeaksOfNothingThatIsAbsent(t *testing.T) {
	source, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range source {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for line := range strings.Lines(string(text)) {
			if _, help, ok := strings.Cut(line, `help:"`); ok && strings.Contains(help, "console") && !strings.HasSuffix(file, "_test.go") {
				t.Errorf("%s: %s", file, strings.TrimSpace(line))
			}
		}
	}
}

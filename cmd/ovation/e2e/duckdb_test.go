package e2e

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
)

// errNoDuckDB says that DuckDB cannot be installed here.
var errNoDuckDB = errors.New("DuckDB cannot be installed, and recounts nothing")

// duckdb is an interpreter of Python that has DuckDB, the version that the bench compares with.
var duckdb = sync.OnceValues(func() (python string, err error) {
	if err := exec.Command("python3", "-c", "import ensurepip, venv").Run(); err != nil {
		return "", fmt.Errorf("%w: python3 is not here, or has no venv: %w", errNoDuckDB, err)
	}
	dir, err := os.MkdirTemp("", "ovation-duckdb-")
	if err != nil {
		return "", err
	}
	atEnd = append(atEnd, func() { os.RemoveAll(dir) })
	pins, err := os.ReadFile("../../../deploy/bench/peers/requirements.txt")
	if err != nil {
		return "", err
	}
	before, pin, found := strings.Cut(string(pins), "\nduckdb==")
	if _, after, several := strings.Cut(pin, "=="); !found || several {
		return "", fmt.Errorf("duckdb is not the last of the bench's packages: %q, %q", before, after)
	}
	wanted := filepath.Join(dir, "requirements.txt")
	if err := os.WriteFile(wanted, []byte("duckdb=="+pin), 0o600); err != nil {
		return "", err
	}
	python = filepath.Join(dir, "venv", "bin", "python")
	for _, args := range [][]string{
		{"python3", "-m", "venv", filepath.Join(dir, "venv")},
		{
			python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--no-deps",
			"--only-binary", ":all:", "--require-hashes", "--requirement", wanted,
		},
	} {
		if out, err := exec.Command(args[0], args[1:]...).CombinedOutput(); err != nil {
			return "", fmt.Errorf("%w: %s: %w\n%s", errNoDuckDB, strings.Join(args, " "), err, out)
		}
	}
	return python, nil
})

// requireDuckDB skips the test where DuckDB cannot be installed, but never in CI.
func requireDuckDB(t testing.TB) {
	t.Helper()
	_, err := duckdb()
	if errors.Is(err, errNoDuckDB) && os.Getenv("CI") != "true" {
		t.Skip(err)
	}
	if err != nil {
		t.Fatal(err)
	}
}

// askDuckDB runs SQL in a DuckDB of its own, and gives the rows of the last statement.
func askDuckDB(t testing.TB, sql ...string) (rows [][]*string) {
	t.Helper()
	requireDuckDB(t)
	python, _ := duckdb()
	statements, err := json.Marshal(sql)
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(ctx(t), python, filepath.Join("testdata", "recount.py"))
	var said bytes.Buffer
	cmd.Stdin, cmd.Stderr = bytes.NewReader(statements), &said
	out, err := cmd.Output()
	if err == nil {
		err = json.Unmarshal(out, &rows)
	}
	if err != nil {
		t.Fatalf("DuckDB: %v\n%s", err, said.Bytes())
	}
	return rows
}

// quoted is a text as SQL has it.
func quoted(s string) string { return "'" + strings.ReplaceAll(s, "'", "''") + "'" }

// inWords is a row in words.
func inWords(row []*string) string {
	cells := make([]string, len(row))
	for i, c := range row {
		if cells[i] = "NULL"; c != nil {
			cells[i] = *c
		}
	}
	return strings.Join(cells, " | ")
}

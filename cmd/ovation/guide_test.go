package main

import (
	"fmt"
	"io"
	"os"
	"strings"
	"testing"

	"github.com/alecthomas/kong"

	"github.com/ovation-analytics/ovation/api/problem"
)

// The guide on configuration has each flag of serve, as the program describes it. -update writes it.
func TestGuide_Flags(t *testing.T) {
	t.Parallel()
	inGuide(t, "../../api/docs/guide/operate/configure.md", "flags", flagTables(t))
}

// The codes of errors in the guide are those of the contract.
func TestGuide_Errors(t *testing.T) {
	t.Parallel()
	var rows strings.Builder
	rows.WriteString("| code | status | when |\n|---|---|---|\n")
	for _, c := range problem.Codes() {
		fmt.Fprintf(&rows, "| %d | %d | %s |\n", c, problem.Status(c), problem.When(c))
	}
	inGuide(t, "../../api/docs/guide/ask.md", "errors", rows.String())
}

// inGuide holds the part of a guide between two comments of a name against what the program has. -update writes it.
func inGuide(t *testing.T, file, name, text string) {
	t.Helper()
	begin, end := "<!-- "+name+" -->\n", "<!-- /"+name+" -->\n"
	had, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	before, rest, found := strings.Cut(string(had), begin)
	_, after, ended := strings.Cut(rest, end)
	if !found || !ended {
		t.Fatalf("%s has no place for %s", file, name)
	}
	want := before + begin + text + end + after
	if *updateGolden {
		if err := os.WriteFile(file, []byte(want), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if string(had) != want {
		t.Errorf("the %s of the guide are not those of the program: go test ./cmd/ovation -run TestGuide -update", name)
	}
}

// flagTables are the flags of serve, a table for each group, in the order of the help.
func flagTables(t *testing.T) string {
	t.Helper()
	parser, err := newParser(io.Discard, io.Discard)
	if err != nil {
		t.Fatal(err)
	}
	var groups []string
	rows := map[string]string{}
	for _, node := range parser.Model.Children {
		if node.Name != "serve" {
			continue
		}
		for _, f := range node.Flags {
			if f.Group == nil {
				t.Errorf("--%s has no group", f.Name)
				continue
			}
			if rows[f.Group.Title] == "" {
				groups = append(groups, f.Group.Title)
			}
			rows[f.Group.Title] += flagRow(f)
		}
	}
	var out strings.Builder
	for _, g := range groups {
		fmt.Fprintf(&out, "### %s\n\n| flag | default | |\n|---|---|---|\n%s\n", g, rows[g])
	}
	return out.String()
}

func flagRow(f *kong.Flag) string {
	name := "--" + f.Name
	if !f.IsBool() {
		name += " " + f.PlaceHolder
	}
	fallback := ""
	if f.Default != "" {
		fallback = "`" + f.Default + "`"
	}
	return fmt.Sprintf("| `%s` | %s | %s |\n", name, fallback, strings.ReplaceAll(f.Help, "|", `\|`))
}

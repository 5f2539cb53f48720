package main

import (
	"archive/zip"
	"bytes"
	"compress/gzip"
	"encoding/json"
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/ovation-analytics/ovation/cmd/ovation/collect/runs"
)

// Flags that contradict each other are wrong use, each with its reason.
func TestCollect_WrongUse(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		args, says string
	}{
		{"collect file", `expected "<files> ..."`},
		{"collect file testdata/none.yaml none.csv", "no such file"},
		{"collect file collect/mappings/youtube.yaml", "no file to publish"},
		{"collect file --as spottify none.json", "there are access-log, apple-music"},
		{"collect file --as spotify collect/mappings/testdata/spotify.json --dry-run", "--member SERVICE:UID"},
		{"collect file --as spotify collect/mappings/testdata/spotify.json --dry-run --member ann", "--member: SERVICE:UID"},
		{"collect file --as spotify collect/mappings/testdata/spotify.json --dry-run --member bebo:ann", "no such service"},
		{"collect file --as ovation-export collect/mappings/testdata/ovation-export.ndjson --dry-run --member spotify:ann", "the mapping says whose"},
		{"collect mappings spottify", "there are access-log, apple-music"},
		{"collect runs 20260501-100000-abcd", "there is no such run"},
		{"collect runs ../secret", "there is no such run"},
		{"collect undo 20260501-100000-abcd", "--key"},
		{"collect undo --key k 20260501-100000-abcd", "there is no such run"},
		{"collect undo --key k --api= 20260501-100000-abcd", "undo needs --api"},
		{"collect generator --rate=-1", "--rate and --show"},
		{"collect generator --create", "--create needs --key"},
		{"collect generator --create --key k --api=", "--create needs --api"},
		{"collect generator --members 0 --dry-run", "members: 0 is not between"},
		{"collect generator --members 5 --actions 5", "--account is required"},
		{"collect generator --end soon", "--end"},
	} {
		var out, errs strings.Builder
		if code := run(strings.Fields(c.args), &out, &errs); code != exitWrongUse || !strings.Contains(errs.String(), c.says) {
			t.Errorf("%s: %d %s", c.args, code, errs.String())
		}
	}
}

// Addresses of several nodes are separated by commas.
func TestCollect_Addresses(t *testing.T) {
	t.Parallel()
	for args, want := range map[string][]string{
		"":                            {"http://127.0.0.1:8080"},
		"--api http://a:1":            {"http://a:1"},
		"--api http://a:1,http://b:2": {"http://a:1", "http://b:2"},
	} {
		parser, err := newParser(t.Output(), t.Output())
		if err != nil {
			t.Fatal(err)
		}
		if _, err := parser.Parse(strings.Fields("collect generator " + args)); err != nil {
			t.Fatal(err)
		}
		if got := parser.Model.Target.Addr().Interface().(*CLI).Collect.Generator.Publishing.API; !slices.Equal(got, want) {
			t.Errorf("%q: %q", args, got)
		}
	}
}

// The exit code says whether rows were bad, and whether any was good; the last line how many and where.
func TestCollect_ExitCodesOfBadRows(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	write := func(name, text string) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	mapping := write("m.yaml", "source: s\ntime: {value: \"{at}\", unit: s}\nmember: {id: 1}\nwhere: kind == \"play\"\nactivities: {play: {id: 100}}\n")
	named := write("named.yaml", "source: s\nid: \"{kind}\"\ntime: {value: \"{at}\", unit: s}\nmember: {id: 1}\nactivities: {play: {id: 100}}\n")
	table := write("t.yaml", "source: s\ntime: {value: \"{at}\", unit: s}\nmember: {id: 1}\nlookups: {names: {file: names.csv, key: id, by: \"{kind}\"}}\n"+
		"activities: {play: {id: 100}}\ncontent: {Name: \"{names.name}\"}\n")
	write("names.csv", "id,name\nplay,Played\nbad\n")
	const good, bad, left = "play,1300000000\n", "play,soon\n", "like,soon\n"
	for _, c := range []struct {
		mapping, rows string
		code          int
		says          string
	}{
		{mapping, good, exitFine, ""},
		{mapping, good + left, exitFine, ""},
		{mapping, left, exitFine, ""},
		{mapping, "", exitFine, ""},
		{mapping, good + bad + good + bad, exitBadRows, "bad rows: 2 of 4 rows, in lines 3, 5"},
		{mapping, good + strings.Repeat(bad, 20), exitBadRows, "bad rows: 20 of 21 rows, the first in lines 3, 4, 5"},
		{mapping, bad + bad, exitFailed, "no row could be published: bad rows: 2 of 2 rows, in lines 2, 3"},
		{mapping, bad + left, exitFailed, "no row could be published"},
		{named, good + good, exitFine, ""},
		{named, good + "play,1300000001\n" + good, exitBadRows, "1 rows with the id of an earlier row that say something else are lost, in line 3"},
		{table, good, exitBadRows, "bad rows: 1, of the tables beside the input"},
	} {
		in := write("in.csv", "kind,at\n"+c.rows)
		var out, errs strings.Builder
		code := run([]string{"collect", "file", c.mapping, in, "--dry-run"}, &out, &errs)
		if code != c.code || !strings.Contains(errs.String(), c.says) {
			t.Errorf("%q: exit code %d, want %d: %s", c.rows, code, c.code, errs.String())
		}
	}
	in := write("in.csv", "kind,at\n"+good)
	for _, args := range [][]string{
		{in, "--kafka", "127.0.0.1:1", "--account", "1", "--state", filepath.Join(dir, "state")}, // the broker is away
		{filepath.Join(dir, "none.csv"), "--dry-run"},
	} {
		var out, errs strings.Builder
		if code := run(append([]string{"collect", "file", mapping}, args...), &out, &errs); code != exitFailed {
			t.Errorf("%v: exit code %d: %s", args, code, errs.String())
		}
	}
}

// With --output json each file is one JSON object on standard output, with the counts and the first records.
func TestCollect_JSON(t *testing.T) {
	t.Parallel()
	var out, errs strings.Builder
	args := "collect file --dry-run --show 1 --output json --member spotify:ann collect/mappings/testdata/spotify*.json"
	if code := run(strings.Fields(args), &out, &errs); code != exitFine {
		t.Fatalf("exit code %d: %s", code, errs.String())
	}
	var got []collected
	for d := json.NewDecoder(strings.NewReader(out.String())); ; {
		var p collected
		err := d.Decode(&p)
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			t.Fatalf("%v: %s", err, out.String())
		}
		got = append(got, p)
	}
	if len(got) != 2 {
		t.Fatalf("%d objects: %s", len(got), out.String())
	}
	p := got[1]
	if !p.DryRun || p.Published != 3 || p.Rows != 3 || p.Skipped != 1 || p.NoCountry != 1 || !strings.HasSuffix(p.Source, ".json") {
		t.Errorf("%+v", p)
	}
	var record struct{ ID, Member, Activity string }
	if len(p.Records) != 1 || json.Unmarshal(p.Records[0], &record) != nil || record.ID == "" || record.Activity == "" {
		t.Errorf("records %s", p.Records)
	}
}

// A dump is printed as JSON, a key a line, with the values that have tabs whole.
func TestInspect_JSON(t *testing.T) {
	t.Parallel()
	var out strings.Builder
	if err := asJSON(strings.NewReader("R 1\ta \"b\"\tc\nid\n"), &out); err != nil {
		t.Fatal(err)
	}
	if want := "{\"key\":\"R 1\",\"value\":\"a \\\"b\\\"\\tc\"}\n{\"key\":\"id\"}\n"; out.String() != want {
		t.Errorf("%s, want %s", out.String(), want)
	}
}

// Files are mapped by the mapping that is named, or by the one that fits their rows, one after the other.
func TestCollect_ReadyMappings(t *testing.T) {
	t.Parallel()
	const samples = "collect/mappings/testdata/"
	for _, c := range []struct {
		args, says string
		code       int
	}{
		{"--as spotify --member spotify:ann " + samples + "spotify.json", "3 actions mapped from 3 rows, 1 row passed over, 1 without their country, which is no alpha-2 code\n", exitFine},
		{"--member spotify:ann " + samples + "lastfm.csv", "2 actions mapped from 2 rows\n", exitFine},
		{"--member spotify:ann " + samples + "spotify*.json", "2 actions mapped from 2 rows\n3 actions mapped from 3 rows, 1 row passed over, 1 without their country, which is no alpha-2 code\n", exitFine},
		{"--member spotify:ann " + samples + "deezer.csv " + samples + "youtube.json", "2 actions mapped from 2 rows\n2 actions mapped from 2 rows, 2 rows passed over\n", exitFine},
		{samples + "ovation-export.ndjson", "2 actions mapped from 2 rows, 2 rows passed over\n", exitFine},
		{samples + "none.csv", "", exitFailed},
		{"collect_test.go", "", exitFailed},
	} {
		var out, errs strings.Builder
		code := run(strings.Fields("collect file --dry-run --show 0 "+c.args), &out, &errs)
		if code != c.code || out.String() != c.says {
			t.Errorf("%s: %d %q %s", c.args, code, out.String(), errs.String())
		}
	}
	var out, errs strings.Builder
	if code := run([]string{"collect", "mappings"}, &out, &errs); code != exitFine || !strings.Contains(out.String(), "spotify-short    Spotify, streaming history of the last year") {
		t.Errorf("%d %s %s", code, &out, &errs)
	}
	out.Reset()
	if code := run([]string{"collect", "mappings", "lastfm"}, &out, &errs); code != exitFine || !strings.Contains(out.String(), "source: lastfm-scrobbles\n") {
		t.Errorf("%d %s %s", code, &out, &errs)
	}
}

// Runs are listed, the oldest first, and one is shown as a whole.
func TestCollect_RunsAreListed(t *testing.T) {
	t.Parallel()
	state := t.TempDir()
	began := time.Date(2026, 5, 1, 10, 0, 0, 0, time.UTC)
	one, two := runs.New("shop in.csv", "t", 7, began), runs.New("shop b.csv", "t", 7, began.Add(time.Hour))
	one.Counts = runs.Counts{
		Rows: 9, Skipped: 1, Rejected: 2, Published: 7, Repeats: 1, FirstBad: []int64{3, 4}, FirstRepeats: []int64{8},
		Reasons: map[string]int64{"time: before the year 2000": 2},
	}
	one.Ended, one.Undo = began.Add(time.Minute), &runs.Undo{Began: began, Ended: began, Taken: 6}
	for _, r := range []*runs.Run{two, one} {
		if err := runs.In(state).Save(r); err != nil {
			t.Fatal(err)
		}
	}
	for args, want := range map[string]string{
		"": "RUN                   SOURCE       BEGAN                STATE      ROWS  PUBLISHED  REPEATS  BAD\n" +
			one.ID + "  shop in.csv  2026-05-01 10:00:00  undone     9     7          1        2\n" +
			two.ID + "  shop b.csv   2026-05-01 11:00:00  not ended  0     0          -        0\n",
		one.ID: "run                           " + one.ID + `
source                        shop in.csv
account                       7
began                         2026-05-01 10:00:00
ended                         2026-05-01 10:01:00
state                         undone
rows read                     9
passed over by the mapping    1
without an action             0
bad                           2
  time: before the year 2000  2
  lines                       3, 4
actions published             7
  repeats of an id            1
  lines                       8
  without their country       0
made over the API             0
taken back                    6
`,
	} {
		var out, errs strings.Builder
		if code := run(append([]string{"collect", "runs", "--state", state}, strings.Fields(args)...), &out, &errs); code != exitFine || out.String() != want {
			t.Errorf("%d %s%s", code, &errs, cmp.Diff(want, out.String()))
		}
		out.Reset()
		code := run(append([]string{"collect", "runs", "-o", "json", "--state", state}, strings.Fields(args)...), &out, &errs)
		if code != exitFine || !json.Valid([]byte(out.String())) || !strings.Contains(out.String(), `"reasons":{"time: before the year 2000":2}`) {
			t.Errorf("%d %s%s", code, &errs, &out)
		}
	}
}

// A dry run of the generator shows its first actions and connects to nothing.
func TestCollect_GeneratorDryRun(t *testing.T) {
	t.Parallel()
	var out, errs strings.Builder
	code := run(strings.Fields("collect generator --dry-run --members 20 --actions 500 --show 1 --end 2026-11-21"), &out, &errs)
	lines := strings.Split(strings.TrimSpace(out.String()), "\n")
	if code != exitFine || len(lines) != 2 || !strings.HasPrefix(lines[0], `{"id":"1-`) || lines[1] != "500 actions mapped from 500 rows" {
		t.Errorf("%d %q %s", code, lines, errs.String())
	}
}

// Standard input is a file as any other, but that it is read once and from its beginning. It is the process's: no other
// test runs beside this one.
func TestCollect_StandardInput(t *testing.T) {
	var gz, zipped bytes.Buffer
	z := gzip.NewWriter(&gz)
	_, _ = z.Write([]byte("at\n1300000000\n1300000001\n"))
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	archive := zip.NewWriter(&zipped)
	if err := archive.Close(); err != nil {
		t.Fatal(err)
	}
	mapping := filepath.Join(t.TempDir(), "m.yaml")
	text := "source: s\ntime: {value: \"{at}\", unit: s}\nmember: {id: 1}\nactivities: {play: {id: 100}}\n"
	if err := os.WriteFile(mapping, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	was := os.Stdin
	defer func() { os.Stdin = was }()
	for _, c := range []struct {
		mapping, in, out, says string
		code                   int
	}{
		{mapping, "at\n1300000000\n", "1 action mapped from 1 row\n", "", exitFine},
		{mapping, gz.String(), "2 actions mapped from 2 rows\n", "", exitFine},
		{mapping, zipped.String(), "", "name the file, in place of standard input", exitFailed},
		{"", "at\n", "", "name a mapping file, or a ready mapping by --as", exitWrongUse},
	} {
		r, w, err := os.Pipe()
		if err != nil {
			t.Fatal(err)
		}
		os.Stdin = r
		if _, err := w.WriteString(c.in); err != nil {
			t.Fatal(err)
		}
		w.Close()
		var out, errs strings.Builder
		args := append([]string{"collect", "file", "--dry-run", "--show", "0"}, strings.Fields(c.mapping+" -")...)
		if code := run(args, &out, &errs); code != c.code || out.String() != c.out || !strings.Contains(errs.String(), c.says) {
			t.Errorf("%q: %d %q %s", c.in, code, &out, &errs)
		}
		r.Close()
	}
}

// Of a zip archive with several files those are read that a pattern names, one after the other.
func TestCollect_FilesOfAnArchive(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "My.ZIP")
	f, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	z := zip.NewWriter(f)
	for _, name := range []string{"out/b[1].csv", "out/a.csv", "__MACOSX/out/a.csv", "readme.txt"} {
		w, err := z.Create(name)
		if err != nil {
			t.Fatal(err)
		}
		rows := "at\n1300000000\n"
		if name == "out/a.csv" {
			rows += "1300000001\n"
		}
		if _, err := io.WriteString(w, rows); err != nil {
			t.Fatal(err)
		}
	}
	if err := errors.Join(z.Close(), f.Close()); err != nil {
		t.Fatal(err)
	}
	mapping := filepath.Join(t.TempDir(), "m.yaml")
	text := "source: s\nid: \"{@file}:{@line}\"\ntime: {value: \"{at}\", unit: s}\nmember: {id: 1}\nactivities: {play: {id: 100}}\n"
	if err := os.WriteFile(mapping, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	const one, two = "1 action mapped from 1 row\n", "2 actions mapped from 2 rows\n"
	for _, c := range []struct {
		name, out, says string
		code            int
	}{
		{"/*.csv", two + one, "", exitFine},
		{"/out/*.csv", two + one, "", exitFine},
		{"/a.*", two, "", exitFine},
		{"/out/b[1].csv", one, "", exitFine},
		{"", "", "there are 3 files in it, not one: name some of them by a pattern, such as 'My.ZIP/*.json'", exitFailed},
		{"/*.json", "", "no file of the archive is named so", exitFailed},
		{"/[", "", "syntax error in pattern", exitFailed},
	} {
		var out, errs strings.Builder
		code := run([]string{"collect", "file", mapping, path + c.name, "--dry-run", "--show", "0"}, &out, &errs)
		if code != c.code || out.String() != c.out || !strings.Contains(errs.String(), c.says) {
			t.Errorf("%s: %d %q %s", c.name, code, &out, &errs)
		}
	}
}

// A dry run with a key asks the API, where it answers; it needs none.
func TestCollect_DryRunWithoutTheAPI(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	mapping, in := filepath.Join(dir, "m.yaml"), filepath.Join(dir, "in.csv")
	for path, text := range map[string]string{
		mapping: "source: s\ntime: {value: \"{at}\", unit: s}\nmember: {id: 1}\nactivities: {play: {id: 100}}\n",
		in:      "at\n1300000000\n33000000000\n4000000000\n",
	} {
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	var out, errs strings.Builder
	code := run([]string{"collect", "file", mapping, in, "--dry-run", "--show", "0", "--key", "k", "--api", "http://127.0.0.1:1"}, &out, &errs)
	if code != exitBadRows || out.String() != "1 action mapped from 3 rows, 2 bad rows\n" {
		t.Errorf("%d %s %s", code, &out, &errs)
	}
}

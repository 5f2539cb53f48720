package table

import (
	"encoding/csv"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/parquet-go/parquet-go"
)

var plays = Table{Name: "plays", Columns: []Column{
	{Name: "ID", Kind: Number},
	{Name: "At", Kind: Time},
	{Name: "Name"},
	{Name: "Note", Null: true},
	{Name: "Points", Kind: Number, Null: true},
	{Name: "Content", Kind: JSON},
	{Name: "Email", Null: true, Personal: true},
}}

// play is a row as Parquet has it.
type play struct {
	ID      int64     `parquet:"ID"`
	At      time.Time `parquet:"At,timestamp(millisecond)"`
	Name    string    `parquet:"Name"`
	Note    *string   `parquet:"Note,optional"`
	Points  *int64    `parquet:"Points,optional"`
	Content string    `parquet:"Content,json"`
}

func written(t *testing.T, o Options, rows ...Row) string {
	t.Helper()
	o.Dir = t.TempDir()
	p, err := Begin(plays.Clear(), &o, 7)
	if err != nil {
		t.Fatal(err)
	}
	for _, row := range rows {
		if err := p.Append(row); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := os.Stat(filepath.Join(o.Dir, o.Name(plays, 7))); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("the file has its name before it is finished: %v", err)
	}
	path, err := p.Finish()
	if err != nil || path != filepath.Join(o.Dir, "plays-000007."+o.Format) {
		t.Fatal(path, err)
	}
	if entries, err := os.ReadDir(o.Dir); err != nil || len(entries) != 1 {
		t.Errorf("left behind: %v %v", entries, err)
	}
	return path
}

func text(t *testing.T, path string) string {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// rowOf is a row of a name, with a note and points or without.
func rowOf(id int64, name string, note *string) Row {
	row := Row{{Number: id}, {Number: 1_700_000_000}, {Text: name}, {Null: true}, {Null: true}, {Text: `{"a": "<\u0000>"}`}}
	if note != nil {
		row[3] = Value{Text: *note}
		row[4] = Value{Number: -5}
	}
	return row
}

// A row is the same in each format; none is told from an empty text.
func TestPart_Formats(t *testing.T) {
	rows := []Row{rowOf(1<<53+1, "a,\"b\"\nc\x00<", nil), rowOf(2, "", new("")), rowOf(3, " plain ", new("x"))}
	want := `{"ID":9007199254740993,"At":"2023-11-14T22:13:20Z","Name":"a,\"b\"\nc\u0000<","Note":null,"Points":null,"Content":{"a":"<\u0000>"}}
{"ID":2,"At":"2023-11-14T22:13:20Z","Name":"","Note":"","Points":-5,"Content":{"a":"<\u0000>"}}
{"ID":3,"At":"2023-11-14T22:13:20Z","Name":" plain ","Note":"x","Points":-5,"Content":{"a":"<\u0000>"}}
`
	got := text(t, written(t, Options{Format: "ndjson"}, rows...))
	if got != want {
		t.Errorf("NDJSON: %s", cmp.Diff(want, got))
	}
	for line := range strings.Lines(got) {
		if !json.Valid([]byte(line)) {
			t.Errorf("no JSON: %s", line)
		}
	}
	want = "ID,At,Name,Note,Points,Content\n" +
		"9007199254740993,2023-11-14T22:13:20Z,\"a,\"\"b\"\"\nc\uFFFD<\",,,\"{\"\"a\"\": \"\"<\\u0000>\"\"}\"\n" +
		"2,2023-11-14T22:13:20Z,\"\",\"\",-5,\"{\"\"a\"\": \"\"<\\u0000>\"\"}\"\n" +
		"3,2023-11-14T22:13:20Z,\" plain \",x,-5,\"{\"\"a\"\": \"\"<\\u0000>\"\"}\"\n"
	got = text(t, written(t, Options{Format: "csv"}, rows...))
	if got != want {
		t.Errorf("CSV: %s", cmp.Diff(want, got))
	}
	if all, err := csv.NewReader(strings.NewReader(got)).ReadAll(); err != nil || len(all) != 4 {
		t.Errorf("%v %v", all, err)
	}
	packed, err := parquet.ReadFile[play](written(t, Options{Format: "parquet"}, rows...))
	at, content := time.Unix(1_700_000_000, 0).UTC(), `{"a": "<\u0000>"}`
	wanted := []play{
		{ID: 1<<53 + 1, At: at, Name: "a,\"b\"\nc\x00<", Content: content},
		{ID: 2, At: at, Note: new(""), Points: new(int64(-5)), Content: content},
		{ID: 3, At: at, Name: " plain ", Note: new("x"), Points: new(int64(-5)), Content: content},
	}
	if d := cmp.Diff(wanted, packed); d != "" || err != nil {
		t.Errorf("Parquet: %v %s", err, d)
	}
}

// What a spreadsheet evaluates has an apostrophe before it, unless texts are to be raw; numbers have none.
func TestCSV_Formulas(t *testing.T) {
	for name, safe := range map[string]string{
		"=1": "'=1", "+1": "'+1", "-1": "'-1", "@a": "'@a", "＝1": "'＝1", "\t=1": "'\t=1", " =1": "' =1", "\rx": "\"'\rx\"",
		"1=1": "1=1", "a-b": "a-b", "'=1": "'=1", "": `""`,
	} {
		got := strings.Split(text(t, written(t, Options{Format: "csv"}, rowOf(-1, name, nil))), ",2023-11-14T22:13:20Z,")[1]
		if got, _, _ = strings.Cut(got, ",,,"); got != safe {
			t.Errorf("%q is %q, not %q", name, got, safe)
		}
		raw := text(t, written(t, Options{Format: "csv", Raw: true}, rowOf(-1, name, nil)))
		if strings.Contains(raw, "'") != strings.Contains(name, "'") || !strings.Contains(raw, "\n-1,") {
			t.Errorf("%q is raw %q", name, raw)
		}
	}
}

// Parquet has a row group whenever as much is in memory as may be: by rows, or by bytes.
func TestParquet_RowGroups(t *testing.T) {
	large := strings.Repeat("x", FlushBytes/4)
	for _, of := range []struct {
		rows, groups int
		name         string
	}{{FlushRows + 1, 2, "a"}, {9, 3, large}} {
		var rows []Row
		for i := range of.rows {
			rows = append(rows, rowOf(int64(i), of.name, nil))
		}
		f, err := os.Open(written(t, Options{Format: "parquet"}, rows...))
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		stat, _ := f.Stat()
		file, err := parquet.OpenFile(f, stat.Size())
		if err != nil || file.NumRows() != int64(of.rows) || len(file.RowGroups()) != of.groups {
			t.Errorf("%d rows in %d groups, %v", file.NumRows(), len(file.RowGroups()), err)
		}
	}
}

// A draft that a killed process left is overwritten; one that is discarded is gone.
func TestPart_Drafts(t *testing.T) {
	o := &Options{Dir: t.TempDir(), Format: "ndjson"}
	for range 2 { // the first is never finished
		p, err := Begin(plays.Clear(), o, 1)
		if err != nil {
			t.Fatal(err)
		}
		if err := errors.Join(p.Append(rowOf(1, "a", nil)), p.buffer.Flush()); err != nil {
			t.Fatal(err)
		}
	}
	p, err := Begin(plays.Clear(), o, 1)
	if err != nil {
		t.Fatal(err)
	}
	path, err := p.Finish()
	if got := text(t, path); err != nil || got != "" {
		t.Errorf("%q %v", got, err)
	}
	if p, err = Begin(plays.Clear(), o, 2); err == nil {
		err = p.Discard()
	}
	if entries, wrong := os.ReadDir(o.Dir); err != nil || wrong != nil || len(entries) != 1 {
		t.Errorf("%v %v %v", entries, err, wrong)
	}
}

// A value that must be there and is not, or is no number, is an error that names the column and has no value in it.
func TestTable_Row(t *testing.T) {
	none := func(string) *string { return nil }
	if _, err := plays.Row(none, nil); err == nil || err.Error() != "column ID: the API gave no value" {
		t.Error(err)
	}
	secret := func(string) *string { return new("secret") }
	if _, err := plays.Row(secret, nil); err == nil || err.Error() != "column ID: the API gave no such value" {
		t.Error(err)
	}
	if names := plays.PersonalNames(); len(names) != 1 || names[0] != "Email" || len(plays.Clear().PersonalNames()) > 0 {
		t.Error(names)
	}
}

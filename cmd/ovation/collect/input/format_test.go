package input

import (
	"encoding/csv"
	"errors"
	"io"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/ovation-analytics/ovation/actors/domain/composed"
)

// readAll is what the reader makes of a CSV; a bad row is nil.
func readAll(t testing.TB, dir func() string, text string, f Format) (rows [][]string) {
	t.Helper()
	in, err := openFile(write(t, dir(), text))
	if err != nil {
		t.Fatal(err)
	}
	defer in.close()
	s, err := f.compile()
	if err != nil {
		t.Fatal(err)
	}
	rd, err := newRows(in, s, f.Columns)
	if err != nil {
		t.Fatal(err)
	}
	for {
		_, cells, err := rd.next()
		if errors.Is(err, io.EOF) {
			return rows
		}
		if err != nil {
			rows = append(rows, nil)
			continue
		}
		row := make([]string, len(cells))
		for i := range cells {
			row[i] = cells[i].text
		}
		rows = append(rows, row)
	}
}

func TestFormat_SplitsRows(t *testing.T) {
	t.Parallel()
	off, columns := false, []string{"a", "b"}
	for _, c := range []struct {
		what, text string
		format     Format
		want       [][]string
	}{
		{"plain", "1,2\r\n3,4", Format{}, [][]string{{"1", "2"}, {"3", "4"}}},
		{"names are no row", "\xef\xbb\xbf//A,b\n1,2\na,b\n", Format{}, [][]string{{"1", "2"}, {"a", "b"}}},
		{"quotes", "\"1,\"\"x\"\"\",\"2\r\n3\"\n", Format{}, [][]string{{`1,"x"`, "2\n3"}}},
		{"a bad quote ends with its line", "a\"b,2\n3,4\n\"x\"y,2\n5,6\n", Format{}, [][]string{nil, {"3", "4"}, nil, {"5", "6"}}},
		{"an open quote ends with its line", "\"1,2\n3,4\n", Format{}, [][]string{nil, {"3", "4"}}},
		{"no quotes", "\"1\tx\"y\n", Format{Separator: "tab", Quotes: &off}, [][]string{{`"1`, `x"y`}}},
		{"other characters", "1¦2\n", Format{Separator: "¦"}, [][]string{{"1", "2"}}},
		{"comments and empty lines", "#c\n\n1,2\n  \n", Format{Comment: "#"}, [][]string{{"1", "2"}}},
		{"latin1", "\xe4,2\n", Format{Encoding: "latin1"}, [][]string{{"ä", "2"}}},
		{"too long", strings.Repeat("x", MaxLine+5) + ",2\n1,2\n", Format{}, [][]string{nil, {"1", "2"}}},
		{"too long in quotes", "\"1,2\n" + strings.Repeat("x\n", 3*maxJoined) + "\",2\n", Format{}, nil},
	} {
		c.format.Columns = columns
		got := readAll(t, t.TempDir, c.text, c.format)
		if c.what == "too long in quotes" {
			if len(got) != 3*maxJoined+2 || got[0] != nil {
				t.Errorf("%s: %d rows", c.what, len(got))
			}
			continue
		}
		if diff := cmp.Diff(c.want, got); diff != "" {
			t.Errorf("%s: %s", c.what, diff)
		}
	}
}

// FuzzRecords_AgreeWithEncodingCSV cuts anything as encoding/csv does, wherever that finds no fault.
func FuzzRecords_AgreeWithEncodingCSV(f *testing.F) {
	for _, s := range []string{"1,2\n", "\"a\"\"b\",c\n", "\"a\nb\",\n", "a\"b,\"c\nd\"\n", ",\n\"\",\"\"\n", "\"x\"y,z\n", "\"a\n\",b", "u\u0308,\u0340\n"} {
		f.Add(s)
	}
	columns := []string{"a", "b"}
	named := shape{columns: columns}
	f.Fuzz(func(t *testing.T, text string) {
		if strings.ContainsRune(text, '\r') || strings.Contains(text, "\xef\xbb\xbf") || strings.ToValidUTF8(text, "") != text {
			return // what a line end is, and what a row of bytes is, differs
		}
		var want [][]string
		peer := csv.NewReader(strings.NewReader(text))
		peer.FieldsPerRecord = 2
		for {
			row, err := peer.Read()
			if errors.Is(err, io.EOF) {
				break
			}
			if err != nil {
				return
			}
			if strings.TrimSpace(strings.Join(row, "")) == "" || named.names(row) {
				return // an empty row of ours, or the names
			}
			for i := range row {
				row[i] = composed.Text(row[i])
			}
			want = append(want, row)
		}
		got := readAll(t, t.TempDir, text, Format{Columns: columns})
		if diff := cmp.Diff(want, got); diff != "" {
			t.Fatalf("%q (-encoding/csv +ours):\n%s", text, diff)
		}
	})
}

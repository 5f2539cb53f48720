package input

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/iotest"
	"unicode/utf16"

	"github.com/google/go-cmp/cmp"
)

// linksOf is what a mapping, which has {LINK} where a link is, makes of a file: the link of each row, "-" of one
// that has none, "!" and the error of a bad one.
func linksOf(t testing.TB, mapping, text string) (links []string) {
	t.Helper()
	m, err := ParseMapping([]byte("source: s\ntime: \"2026-01-02T03:04:05Z\"\nmember: {id: 1}\nactivities: {play: {id: 100}}\n" + mapping))
	if err != nil {
		t.Fatal(err)
	}
	s, err := OpenFile(m, write(t, t.TempDir(), text), nil)
	if err != nil {
		return []string{"!! " + err.Error()}
	}
	defer s.Close()
	for {
		row, err := s.Next()
		switch {
		case errors.Is(err, io.EOF):
			return links
		case err != nil:
			return append(links, "!! "+err.Error())
		case row.Err != nil:
			links = append(links, "! "+row.Err.Error())
		case row.Action.Link == "":
			links = append(links, "-")
		default:
			links = append(links, row.Action.Link)
		}
	}
}

func TestPath_LeadsIntoJSON(t *testing.T) {
	t.Parallel()
	const row = `{"a":{"b":{"c":"nested"},"b.d":"dotted"},"x.y":"whole","list":[{"key":"k1","value":{"s":"first"}},{"key":"k2","value":{"s":"second"}},7,"text"],` +
		`"json":"{\"in\":[1,\"two\"]}","broken":"{","empty":"","none":null,"n":5,"deep":[[1,2],[3]]}`
	for path, want := range map[string]string{
		"a.b.c":                  "nested",
		"a.b.d":                  "dotted",
		"x.y":                    "whole",
		"list[0].value.s":        "first",
		"list[key=k2].value.s":   "second",
		"list[key=k3].value.s":   "-",
		"list[-1]":               "text",
		"list[2]":                "7",
		"list[4]":                "-",
		"list[-5]":               "-",
		"list.key":               "-",
		"a[0]":                   "-",
		"json.in[1]":             "two",
		"json.in[0]":             "1",
		"empty.x":                "-",
		"none.x":                 "-",
		"missing.x[0]":           "-",
		"n.x":                    "-",
		"deep[0][1]":             "2",
		"deep[1][key=x]":         "-",
		"broken.x":               "! broken.x: not JSON, of which a part is asked for",
		"a.b":                    "! link: a.b is an object or a list",
		"list[key=k1].value.s.t": "-",
	} {
		got := linksOf(t, fmt.Sprintf("input: {format: ndjson}\nlink: \"{%s}\"\n", path), row+"\n")
		if len(got) != 1 || got[0] != want {
			t.Errorf("%s: %q, want %q", path, got, want)
		}
	}
}

// A column of CSV may hold JSON; one whose name looks like a path comes first.
func TestPath_LeadsIntoAColumn(t *testing.T) {
	t.Parallel()
	got := linksOf(t, "link: \"{ctx.data[0].id}|{a[0]}|{b.c}\"\n", `ctx,a[0],b.c
"{""data"":[{""id"":""i1""}]}",plain,dotted
not json,x,y
,x,y
"{""data"":[]}",x,y
`)
	want := []string{"i1|plain|dotted", "! ctx.data[0].id: not JSON, of which a part is asked for", "-", "-"}
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
}

func TestExpression_OfARowOfJSON(t *testing.T) {
	t.Parallel()
	const row = `{"ts":1700000000000,"ms":30500,"type":"track","date":"2026-05-06T07:08:09Z","tags":["a","b"],"$x y":"odd",` +
		`"big":123456789012345678901234567890,"f":1.5,"yes":true,"params":[{"key":"p","value":{"s":"v"}}],"none":null}`
	for expression, want := range map[string]string{
		"(ts - ms) / 1000":                     "1699999969.5",
		"(ts - ms) % 7":                        "0",
		"ts + 1":                               "1700000000001",
		"f * 2":                                "3",
		"type":                                 "track",
		"type == 'track' ? 'T' : 'other'":      "T",
		"missing ?? none ?? type":              "track",
		"none":                                 "-",
		"missing":                              "-",
		"missing?.x":                           "-",
		"upper(type) + '{' + string(ms) + '}'": "TRACK{30500}",
		"date(date) - duration(string(ms) + 'ms')": "2026-05-06T07:07:38.5Z",
		"tags[1]":                           "b",
		"get(tags, 5)":                      "-",
		"find(params, .key == 'p').value.s": "v",
		"let n = ms; n + n":                 "61000",
		"$env['$x y']":                      "odd",
		"big":                               "123456789012345678901234567890",
		"yes":                               "true",
		"type matches '^tr'":                "true",
		"ms >= 30000 and type in ['track', 'episode']": "true",
		"`}`":       "}",
		"'\\'}'":    "'}",
		"[1, 2]":    "! link: [1, 2] is an object or a list",
		"ms > 'x'":  "! link: ms > 'x': its values do not fit this (a column of CSV is text: compare numbers by int(column) or float(column))",
		"tags[9]":   "! link: tags[9]: its values do not fit this (a column of CSV is text: compare numbers by int(column) or float(column))",
		"int(type)": "! link: int(type): its values do not fit this (a column of CSV is text: compare numbers by int(column) or float(column))",
	} {
		got := linksOf(t, "input: {format: ndjson}\nlink: >-\n  {= "+expression+" }\n", row+"\n")
		if len(got) != 1 || got[0] != want {
			t.Errorf("%s: %q, want %q", expression, got, want)
		}
	}
}

// An object that an expression makes is content.
func TestExpression_MakesContent(t *testing.T) {
	t.Parallel()
	m, err := ParseMapping([]byte("source: s\ntime: {value: \"{t}\", unit: s}\nmember: {id: 1}\nactivities: {play: {id: 100}}\n" +
		"content: \"{= {Name: a, Long: int(n) > 5, Both: {N: n}} }\"\n"))
	if err != nil {
		t.Fatal(err)
	}
	s, err := OpenFile(m, write(t, t.TempDir(), "t,a,n\n1300000000,x,7\n1300000000,y,1\n"), nil)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	for _, want := range []string{`{"Both":{"N":"7"},"Long":true,"Name":"x"}`, `{"Both":{"N":"1"},"Long":false,"Name":"y"}`} {
		row, err := s.Next()
		if err != nil || row.Err != nil || string(row.Action.Content) != want {
			t.Errorf("%v %+v, want %s", err, row, want)
		}
	}
}

func TestExpression_OfColumnsAndLookups(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	in := write(t, dir, "k,n\na,10\nb,9\nc,x\n")
	m, err := ParseMapping([]byte("source: s\ntime: \"2026-01-02T03:04:05Z\"\nmember: {id: 1}\nactivities: {play: {id: 100}}\nwhere: n != \"9\"\n" +
		"lookups: {names: {file: names.csv, key: id, by: \"{= lower(k)}\"}}\nlink: \"{= names.name ?? 'unknown'}-{= int(n) + 1}\"\n"))
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "names.csv"), []byte("id,name\na,Anna\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	s, err := OpenFile(m, in, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	var got []string
	for {
		row, err := s.Next()
		if err != nil {
			break
		}
		text := row.Action.Link
		if row.Err != nil {
			text = row.Err.Error()
		}
		got = append(got, text)
	}
	want := []string{"Anna-11", "link: int(n) + 1: its values do not fit this (a column of CSV is text: compare numbers by int(column) or float(column))"}
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
}

// Rows for which the condition does not hold are passed over; one of which it cannot be said is bad.
func TestWhere_ChoosesRows(t *testing.T) {
	t.Parallel()
	const rows = `{"k":"a","n":5,"x y":1}
{"k":"b","n":50}
{"k":"c"}
{"k":"d","n":"text"}
`
	for where, want := range map[string][]string{
		`n != nil and k != "d" and n >= 5`:        {"a", "b"},
		`n == nil`:                                {"c"},
		`not (k in ["a", "b"])`:                   {"c", "d"},
		`k matches "^[ab]$" and $env["x y"] != 1`: {"b"},
		`n >= 50`:              {"b", "! where: n >= 50: its values do not fit this (a column of CSV is text: compare numbers by int(column) or float(column))", "! where: n >= 50: its values do not fit this (a column of CSV is text: compare numbers by int(column) or float(column))"},
		`k == "a" ? n : false`: {"! where: k == \"a\" ? n : false: neither true nor false"},
		`k == "a" or $env["k"] == "c" or k == "?"`: {"a", "c"},
	} {
		got := linksOf(t, "input: {format: ndjson}\nwhere: >-\n  "+where+"\nlink: \"{k}\"\n", rows)
		if d := cmp.Diff(want, got); d != "" {
			t.Errorf("%s:\n%s", where, d)
		}
	}
}

func TestElements_OfADocument(t *testing.T) {
	t.Parallel()
	long := `{"a":"` + strings.Repeat("x", MaxLine) + `"}`
	for _, c := range []struct {
		what, input, text string
		want              []string
	}{
		{"a list", "", "\xef\xbb\xbf [ {\"a\":\"1\"}\n,\n{\"a\":\"]},{\\\"[\"} ]\n", []string{"1", `]},{"[`}},
		{"an empty list", "", "[]", nil},
		{"nothing", "", "  \n", nil},
		{"objects in a row", "", `{"a":"1"}{"a":"2"} {"a":"3"}`, []string{"1", "2", "3"}},
		{"lists in a row", "", `[{"a":"1"}] [{"a":"2"}]`, []string{"1", "2"}},
		{"elements that are none", "", `[1, "x", null, {"a":"2"}, [3], {"a" 1}, {"a":"4"}]`, []string{"! not a JSON object", "! not a JSON object", "! not a JSON object", "2", "! not a JSON object", "! not a JSON object", "4"}},
		{"a long one", "", "[" + long + `,{"a":"2"}]`, []string{"! longer than 1048576 bytes", "2"}},
		{"not UTF-8", "", "[{\"a\":\"\xff\"},{\"a\":\"2\"}]", []string{"! not UTF-8; if it is Latin-1 or Windows-1252, the mapping says so by input: {encoding: latin1}", "2"}},
		{"a member", "rows: d.items", `{"n":[{"a":"0"}],"d":{"x":1,"items":[{"a":"1"},{"a":"2"}],"y":"]}"},"items":[{"a":"9"}]}`, []string{"1", "2"}},
		{"a member in documents", "rows: items", "{\"items\":[{\"a\":\"1\"}]}\n{\"items\":null}{\"items\":{\"a\":\"2\"},\"z\":[]}", []string{"1", "2"}},
		{"a member that is not there", "rows: items", `{"x":{"items":[{"a":"1"}]}}`, nil},
		{"no member", "rows: items", `[{"a":"1"}]`, []string{"!! the JSON document is wrong there: rows names members, and it is no object"}},
		{"cut in an element", "", `[{"a":"1"},{"a":"2"`, []string{"1", "!! the JSON document is wrong there: it ends before it is closed"}},
		{"cut between", "", `[{"a":"1"},`, []string{"1", "!! the JSON document is wrong there: it ends before it is closed"}},
		{"cut in a text", "", `[{"a":"1"},{"a":"\`, []string{"1", "!! the JSON document is wrong there: it ends before it is closed"}},
		{"cut in a name", "rows: items", `{"it`, []string{"!! the JSON document is wrong there: it ends before it is closed"}},
		{"cut after a name", "rows: items", `{"items"`, []string{"!! the JSON document is wrong there: a name without a value"}},
		{"cut before a value", "rows: items", `{"items":`, []string{"!! the JSON document is wrong there: it ends before it is closed"}},
		{"no name", "rows: items", `{5}`, []string{"!! the JSON document is wrong there: a name is missing"}},
		{"a bracket too many", "", `[{"a":"1"}]]`, []string{"1", "!! the JSON document is wrong there: it is neither a list nor an object"}},
		{"text", "", `id,told`, []string{"!! the JSON document is wrong there: it is neither a list nor an object"}},
	} {
		got := linksOf(t, "input: {format: json, "+c.input+"}\nlink: \"{a}\"\n", c.text)
		for i := range got {
			if _, says, at := strings.Cut(got[i], " in.csv: after line "); at { // the row's number is another test's
				_, says, _ = strings.Cut(says, ": ")
				got[i] = "!! " + says
			}
		}
		if d := cmp.Diff(c.want, got); d != "" {
			t.Errorf("%s:\n%s", c.what, d)
		}
	}
}

// A row of a document, written as the reader gives it, is read by the same mapping.
func TestElements_TextIsReadAgain(t *testing.T) {
	t.Parallel()
	for _, input := range []string{"", "rows: d.items"} {
		m, err := ParseMapping([]byte("source: s\ntime: \"2026-01-02T03:04:05Z\"\nmember: {id: 1}\nactivities: {play: {id: 100}}\ninput: {format: json, " + input + "}\nlink: \"{a}\"\n"))
		if err != nil {
			t.Fatal(err)
		}
		rows := "[{\"a\":\n\"1\"},{\"a\":\"\\\"\"}]"
		if input != "" {
			rows = `{"d":{"items":` + rows + `}}`
		}
		for again := range 3 {
			s, err := OpenFile(m, write(t, t.TempDir(), rows), nil)
			if err != nil {
				t.Fatal(err)
			}
			var text, links strings.Builder
			for n := int64(1); ; n++ {
				row, err := s.Next()
				if errors.Is(err, io.EOF) {
					break
				}
				if err != nil || row.Err != nil || row.Line != n {
					t.Fatal(err, row)
				}
				fmt.Fprintf(&text, "%s\n", row.Text)
				fmt.Fprintf(&links, "%s ", row.Action.Link)
			}
			if got := links.String(); got != `1 " ` {
				t.Fatalf("time %d: %s of %s", again, got, rows)
			}
			rows = text.String()
			if strings.Count(rows, "\n") != 2 {
				t.Fatalf("%q", rows)
			}
		}
	}
}

// A document is read as a stream, whatever comes at once.
func TestElements_InAnyPortions(t *testing.T) {
	t.Parallel()
	const text = `{"x":[1,{"items":"\"]"}],"items":[{"a":"one","b":[{}]},{"a":"two"}, 5 ,{"a":"\\"}]}`
	m, err := ParseMapping([]byte("source: s\ntime: \"2026-01-02T03:04:05Z\"\nmember: {id: 1}\nactivities: {play: {id: 100}}\ninput: {format: json, rows: items}\nlink: \"{a}\"\n"))
	if err != nil {
		t.Fatal(err)
	}
	c, err := m.compile()
	if err != nil {
		t.Fatal(err)
	}
	in := &file{reader: bufio.NewReader(iotest.OneByteReader(strings.NewReader(text)))}
	r, err := newRows(in, c.shape, c.columns)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for {
		at, cells, err := r.next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			got = append(got, fmt.Sprint(at, err))
			continue
		}
		got = append(got, fmt.Sprint(at, cells[0].text))
	}
	if d := cmp.Diff([]string{"1one", "2two", "3 not a JSON object", "4\\"}, got); d != "" {
		t.Error(d)
	}
}

func TestLines_OfAPattern(t *testing.T) {
	t.Parallel()
	got := linksOf(t, `input:
  format: lines
  comment: "#"
  none: ["-"]
  pattern: '^(?P<host>\S+) (?:\S+) (?P<user>\S+) "(?P<path>[^"]*)"$'
link: ["{user}@{host}{path}", "{host}{path}"]
`, "# log\nh1 - ann \"/a\"\nh2 - - \"/b c\"\nnonsense\n")
	if d := cmp.Diff([]string{"ann@h1/a", "h2/b c", "! not as the pattern says"}, got); d != "" {
		t.Error(d)
	}
}

func TestFormat_TextsThatAreNoValue(t *testing.T) {
	t.Parallel()
	const mapping = "link: [\"{a}\", \"{b}\"]\n"
	none := `none: ["-", 'NULL', '\N', "0"]`
	want := []string{"x", "y", "y", "-", "--"}
	if d := cmp.Diff(want, linksOf(t, "input: {"+none+"}\n"+mapping, "a,b\nx,y\n-,y\n\\N,y\nNULL,0\n--,\n")); d != "" {
		t.Error(d)
	}
	if d := cmp.Diff(want, linksOf(t, "input: {format: ndjson, "+none+"}\n"+mapping, `{"a":"x","b":"y"}
{"a":"-","b":"y"}
{"a":"\\N","b":"y"}
{"a":"NULL","b":0}
{"a":"--"}
`)); d != "" {
		t.Error(d)
	}
}

func TestFormat_Encodings(t *testing.T) {
	t.Parallel()
	const text = "a\nMotörhead €\n"
	wide := func(order string, mark bool) string {
		var b strings.Builder
		units := utf16.Encode([]rune(text))
		if mark {
			units = append([]uint16{0xfeff}, units...)
		}
		for _, u := range units {
			if order == "le" {
				b.WriteString(string([]byte{byte(u), byte(u >> 8)}))
			} else {
				b.WriteString(string([]byte{byte(u >> 8), byte(u)}))
			}
		}
		return b.String()
	}
	for _, c := range []struct{ what, input, text, want string }{
		{"UTF-8", "", text, "Motörhead €"},
		{"UTF-8 with its mark", "", "\xef\xbb\xbf" + text, "Motörhead €"},
		{"UTF-16 LE by its mark", "", wide("le", true), "Motörhead €"},
		{"UTF-16 BE by its mark", "", wide("be", true), "Motörhead €"},
		{"UTF-16 LE by name", "encoding: utf-16le", wide("le", false), "Motörhead €"},
		{"UTF-16 BE by name", "encoding: utf-16be", wide("be", false), "Motörhead €"},
		{"Latin-1", "encoding: latin1", "a\nMot\xf6rhead\n", "Motörhead"},
		{"Windows-1252", "encoding: windows-1252", "a\nMot\xf6rhead \x80\n", "Motörhead €"},
		{"none of them", "", "a\nMot\xf6rhead\n", "! " + errEncoding.Error()},
	} {
		got := linksOf(t, "input: {"+c.input+"}\nlink: \"{a}\"\n", c.text)
		if len(got) != 1 || got[0] != c.want {
			t.Errorf("%s: %q, want %q", c.what, got, c.want)
		}
	}
}

// Of some exports an escape is a byte of UTF-8, not a character.
func TestFormat_EscapesThatAreBytes(t *testing.T) {
	t.Parallel()
	got := linksOf(t, "input: {format: json, escapes: latin1}\nlink: \"{a}\"\n",
		`[{"a":"Mot\u00c3\u00b6rhead"},{"a":"plain"},{"a":"Motörhead"},{"a":"\u20ac"},{"a":"\u00e2\u0082\u00ac"}]`)
	if d := cmp.Diff([]string{"Motörhead", "plain", "Motörhead", "€", "€"}, got); d != "" {
		t.Error(d)
	}
}

// A mapping that asks for no value of a row still maps each row, before and after a bad one.
func TestRows_NoValueIsAskedFor(t *testing.T) {
	t.Parallel()
	for input, text := range map[string]string{
		"":                                   "a,b\n1,2\n3\n3,4\n",
		"columns: [a, b]":                    "1,2\n3\n3,4\n",
		"format: ndjson":                     "{}\n5\n{}\n",
		"format: json":                       "[{},5,{}]",
		"format: lines, pattern: '(?P<a>.)'": "a\n\xff\nb\n",
	} {
		got := linksOf(t, "input: {"+input+"}\nlink: x\n", text)
		if len(got) != 3 || got[0] != "x" || !strings.HasPrefix(got[1], "! ") || got[2] != "x" {
			t.Errorf("%s: %q", input, got)
		}
	}
}

// FuzzElements_AgreeWithEncodingJSON finds the elements of a list that encoding/json finds, and ends with any text.
func FuzzElements_AgreeWithEncodingJSON(f *testing.F) {
	for _, s := range []string{`[{"a":1},{"a":"]"}]`, `[1, null,"x\"", {"a":[{}]}] `, `[]`, `[{"a":"\\"}`, `{"a":1}{`, "[\xff]", `[[],{"`} {
		f.Add(s)
	}
	format := Format{Format: "json"}
	shape, err := format.compile()
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, text string) {
		r := newElements(&file{reader: bufio.NewReader(strings.NewReader(text))}, shape, []fieldPath{{name: "a", column: "a"}})
		var got []string
		for {
			_, _, err := r.next()
			if _, bad := errors.AsType[badRow](err); err != nil && !bad {
				break
			}
			got = append(got, string(r.raw))
		}
		var list []json.RawMessage
		if json.Unmarshal([]byte(text), &list) != nil || !strings.HasPrefix(strings.TrimSpace(text), "[") {
			return
		}
		want := make([]string, 0, len(list))
		for _, e := range list {
			want = append(want, string(e))
		}
		if !slices.Equal(got, want) {
			t.Errorf("%q:\n%q\nencoding/json finds\n%q", text, got, want)
		}
	})
}

// FuzzPath_OfAnyRow goes any path in any row.
func FuzzPath_OfAnyRow(f *testing.F) {
	f.Add(`a[0].b`, `{"a":[{"b":1}]}`)
	f.Add(`a[k=v].b.c[-1]`, `{"a":[{"k":"v","b":"{\"c\":[2]}"}]}`)
	f.Add(`[`, `{"[":null}`)
	f.Fuzz(func(t *testing.T, name, row string) {
		p, err := parsePath(name)
		if err != nil && p.steps != nil {
			t.Errorf("%q: %v, and steps", name, err)
		}
		object, err := members([]byte(row))
		if err != nil {
			return
		}
		c, err := p.inObject(object)
		if whole, ok := object[name]; ok && err == nil && !strings.HasPrefix(string(whole), `"`) && string(whole) != "null" && string(c.raw) != strings.TrimSpace(string(whole)) {
			t.Errorf("%q of %s: %s", name, row, c.raw)
		}
		_, _ = p.inText(row)
	})
}

// Names of columns, members and values are the same in each form of Unicode, in the file and in the mapping.
func TestRows_Composed(t *testing.T) {
	t.Parallel()
	const apart, whole = "u\u0308", "\u00fc"
	for input, text := range map[string]string{
		"":                              apart + ",b\nzoe\u0308,1\n",
		"columns: [" + whole + ", b]":   apart + ",b\nzoe\u0308,1\n",
		"format: ndjson":                `{"` + apart + `":"zoe\u0308"}` + "\n",
		"format: json, rows: " + whole:  `{"` + apart + `":[{"u\u0308":"zoe\u0308"}]}`,
		"format: json, escapes: latin1": `[{"` + apart + `":"zoe\u00cc\u0088"}]`,
	} {
		for _, name := range []string{apart, whole} {
			if got := linksOf(t, "input: {"+input+"}\nlink: \"{"+name+"}\"\n", text); !slices.Equal(got, []string{"zo\u00eb"}) {
				t.Errorf("%s, asked by %+q: %+q", input, name, got)
			}
		}
	}
}

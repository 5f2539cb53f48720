package input

import (
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestMapping_InvalidIsRefused(t *testing.T) {
	t.Parallel()
	const (
		member = "member: {id: \"{m}\"}\n"
		play   = "activities: {play: {id: 100}}\n"
		at     = "time: \"{t}\"\n"
		good   = "source: s\n" + at + member + play
	)
	if _, err := ParseMapping([]byte(good)); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ text, says string }{
		{"", "source: a text"},
		{"source: s\nsauce: x\n", `line 2: unknown field "sauce"`},
		{"source: [\n", "line 1: "},
		{"source: s\n" + member + play, "time: required, or a spread"},
		{"source: s\n" + at + play, "member: one of id"},
		{"source: s\n" + at + play + "member: {service: spotify}", "service and uid come together"},
		{"source: s\n" + at + play + "member: {id: 1, partnerCode: a, partnerID: b}", "member: one of id"},
		{"source: s\n" + at + play + "member: {id: 1, register: {a: b}}", "register needs service and uid"},
		{"source: s\n" + at + play + "member: {service: a, uid: b, register: {uid: b}}", "stand beside register"},
		{"source: s\n" + at + play + "member: {service: a, uid: b, register: {x: y}, registered: true}", "either register or registered"},
		{"source: s\n" + at + play + "member: {id: 1, service: a, uid: b, partnerCode: a, partnerID: b}", "member: one of id"},
		{"source: s\n" + at + member + "activity: {create: {name: a, type: b}}", "activity: create needs name, type and service"},
		{good + "activity: {create: {name: a, type: b, service: c}}", "activity: create needs no activities"},
		{"source: s\n" + at + member, "activities: at least one"},
		{"source: s\n" + at + member + "activities: {a: {name: x}}", "activities.a: an id, or name"},
		{"source: s\n" + at + member + "activities: {a: {name: x, type: y, service: z}}", "activities.a: service: no such"},
		{"source: s\n" + at + member + "activities: {a: {name: x, type: y, service: lastfm, value: 65536}}", "activities.a: value"},
		{"source: s\n" + at + member + "activities: {a: {id: 1}, b: {id: 2}}", "which of the activities"},
		{good + "activity: other", `activity: "other" is none`},
		{good + "activity: {by: \"{k}\", cases: {x: other}}", `activity: "other" is none`},
		{good + "activity: {by: \"{k}\", otherwise: other}", `activity: "other" is none`},
		{good + "activity: {from: \"{k}\"}", "unknown field"},
		{good + "brand: {}", "brand: either an id or create"},
		{good + "brand: {id: 1, create: {name: a, type: b}}", "brand: either an id or create"},
		{good + "brand: {create: {name: a}}", "brand: create needs name and type"},
		{good + "geo: {planet: x}", `geo: "planet" is none`},
		{good + "link: \"{a\"", "a { without its }"},
		{good + "link: \"a}\"", "a } without its {"},
		{good + "link: \"{}\"", "{} names no column"},
		{good + "link: {a: b}", "neither a text nor a list"},
		{good + "link: [[a]]", "neither a text nor a list"},
		{good + "input: {format: xml}", "format: none of csv"},
		{good + "input: {separator: ab}", "separator: one character"},
		{good + "input: {separator: '\"'}", "separator: one character"},
		{good + "input: {encoding: ebcdic}", "encoding: none of"},
		{good + "input: {columns: [m, m]}", `columns: "m" is empty or there twice`},
		{good + "input: {columns: [a, b]}", "{m}: no such column or lookup"},
		{good + "input: {format: ndjson, separator: tab}", "of csv"},
		{good + "input: {format: csv, rows: a}", "rows is of json"},
		{good + "input: {format: json, rows: a..b}", "rows: names of members"},
		{good + "input: {format: json, comment: x}", "comment: a JSON document has none"},
		{good + "input: {format: lines}", "format lines and pattern come together"},
		{good + "input: {pattern: x}", "format lines and pattern come together"},
		{good + "input: {format: lines, pattern: '(x'}", "pattern: error parsing regexp"},
		{good + "input: {format: lines, pattern: '(x)'}", "it has no named group"},
		{good + "input: {format: lines, pattern: '(?P<x>.)'}", "{m}: no such column"},
		{good + "input: {escapes: latin1}", "escapes: latin1, of ndjson and json"},
		{good + "input: {format: json, escapes: utf-8}", "escapes: latin1, of ndjson and json"},
		{good + "input: {format: ndjson}\nlink: \"{a[x]}\"", "{a[x]}: a path is names"},
		{good + "input: {format: ndjson}\nlink: \"{a[0}\"", "{a[0}: a path is names"},
		{good + "input: {format: ndjson}\nlink: \"{a..b}\"", "{a..b}: a path is names"},
		{good + "link: \"{= a +}\"", "{= a +}: unexpected token"},
		{good + "link: \"{= now()}\"", "{= now()}: there is no function now"},
		{good + "link: \"{= calc(a)}\"", "{= calc(a)}: there is no function calc"},
		{good + "link: \"{= {a: 1 }\"", "a { without its }"},
		{good + "link: \"{= }\"", "{} names no column"},
		{good + "where: a ==", "where: unexpected token"},
		{good + "lookups: {l: {file: f}}", "lookups.l: file, key and by are required"},
		{good + "lookups: {l.m: {file: f, key: k, by: b}}", "lookups.l.m: the name has a dot"},
		{good + "spread: {from: 2010-01-01, to: 2011-01-01}", "either a time of its own, or a spread"},
		{good + "spread: {over: 1 week}", "over: not a length of time"},
		{good + "spread: {over: 7d, from: 2010-01-01}", "neither from nor to"},
		{good + "spread: {over: 7d, total: 5}", "total: without a count"},
		{"source: s\n" + member + play + "spread: {over: 7d}", "it needs a time"},
		{"source: s\n" + member + play + "spread: {from: 2011-01-01, to: 2010-01-01}", "from is not before to"},
		{"source: s\n" + member + play + "spread: {from: soon, to: 2010-01-01}", "from: not a date"},
		{"source: s\n" + member + play + "spread: {from: 1999-01-01, to: 2010-01-01}", "from: before the year 2000"},
		{"source: s\n" + member + play + "spread: {from: 2009-01-01, to: 2010-01-01, total: -1}", "total: not a number"},
	} {
		_, err := ParseMapping([]byte(c.text))
		if err == nil || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%q:\n%v\nwant %q", c.text, err, c.says)
		}
	}
}

// The mapping of exports maps their actions and passes over all other lines.
func TestMapping_Export(t *testing.T) {
	t.Parallel()
	m, err := ReadMapping("../mappings/ovation-export.yaml")
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "export.ndjson")
	const lines = `{"type":"member","data":{"ID":1}}
{"type":"ovation.activity.v1","id":"a/1","time":"2026-01-02T03:04:05Z","service":"spotify","serviceUserID":"u","content":{"A":[1]},` +
		`"marker":"m","geo":{"country":"DE"},"definition":{"name":"saw {brand}","type":"Visited","service":"custom","value":"0","onetime":"1"},` +
		`"brand":{"name":"The Moons","type":"Music","slug":"moons"}}
{"type":"ovation.activity.v1","id":"a/2","time":"2026-01-02T03:04:06Z","partnerCode":"p","partnerID":"7",` +
		`"definition":{"name":"x","type":"y","service":"bandcamp","value":"1","onetime":"0"},"brand":{"name":"b","type":"Music","slug":"b"}}
{"type":"end"}
`
	if err := os.WriteFile(path, []byte(lines), 0o600); err != nil {
		t.Fatal(err)
	}
	s, err := OpenFile(m, path, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	row, err := s.Next()
	if err != nil || row.Err != nil || row.Line != 2 {
		t.Fatalf("%+v %v", row, err)
	}
	want := Action{
		ID: "a/1", Time: 1767323045, Member: MemberRef{Service: "spotify", UID: "u"}, Marker: "m",
		Activity: EntityRef{Name: "custom/onetime/Visited/saw {brand}", Create: Params{
			"name": "saw {brand}", "type": "Visited", "service": "custom", "value": "0", "onetime": "1",
		}},
		Brand:   EntityRef{Name: "moons", Create: Params{"name": "The Moons", "type": "Music", "slug": "moons"}},
		Content: json.RawMessage(`{"A":[1]}`), Geo: Place{Country: "DE"},
	}
	if d := cmp.Diff(want, row.Action); d != "" {
		t.Error(d)
	}
	row, err = s.Next()
	if err != nil || row.Err == nil || !strings.Contains(row.Err.Error(), "activity: service: no such service") {
		t.Errorf("%+v %v", row, err)
	}
	if row, err = s.Next(); err != io.EOF {
		t.Errorf("%+v %v", row, err)
	}
}

func TestMapping_LastFMFilesAreValid(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"taggings", "listens"} {
		if _, err := ReadMapping("../lastfm/" + name + ".yaml"); err != nil {
			t.Error(err)
		}
	}
}

// FuzzMapping_AnyText reads anything as a mapping and, if it is one, rows by it: nothing may
// end the program, and no error may be without words.
func FuzzMapping_AnyText(f *testing.F) {
	f.Add([]byte("source: s\nid: \"{id}\"\ntime: {value: \"{at}\", unit: s}\nmember: {service: spotify, uid: \"{user}\"}\nbrand: {id: \"3\"}\nactivities: {play: {id: 100}}\n"), []byte("id,user,at\na,u,1300000000\n"))
	f.Add([]byte("source: s\ntime: {year: \"{y}\", month: 2, day: 3}\nmember: {service: lastfm, uid: \"{@line}\"}\nactivities: {a: {id: 1}}"), []byte("y\n2010\n"))
	f.Add([]byte("source: s\nspread: {count: \"{n}\", total: 9, from: 2010-01-01, to: 2011-01-01}\nmember: {id: 5}\nactivities: {a: {id: 1}}\ninput: {format: ndjson}"), []byte(`{"n":7}`))
	f.Fuzz(func(t *testing.T, mapping, input []byte) {
		m, err := ParseMapping(mapping)
		if err != nil {
			if strings.TrimSpace(err.Error()) == "" {
				t.Error("an error without words")
			}
			return
		}
		m.Lookups = nil // files of the machine
		s, err := OpenFile(m, write(t, t.TempDir(), string(input)), func(string, int64, error) {})
		if err != nil {
			return
		}
		defer s.Close()
		last := int64(0)
		for {
			row, err := s.Next()
			if err != nil {
				return
			}
			if row.Line <= last {
				t.Fatalf("line %d after line %d", row.Line, last)
			}
			last = row.Line
			if row.Err != nil && row.Count != 0 {
				t.Fatal("a bad row with actions")
			}
			for k := range min(row.Count, 3) {
				a := row.Nth(k)
				if _, err := json.Marshal(a.Content); err != nil {
					t.Fatalf("row %q: %v", input, err)
				}
			}
		}
	})
}

// write writes an input file into a folder and returns its path.
func write(t testing.TB, dir, text string) string {
	t.Helper()
	path := filepath.Join(dir, "in.csv")
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// What has another form than is wanted is told in the words of a mapping, with its line.
func TestParseMapping_NoWordsOfTheLanguage(t *testing.T) {
	t.Parallel()
	const good = "source: s\ntime: \"{t}\"\nmember: {id: 1}\nactivities: {play: {id: 100}}\n"
	for text, says := range map[string]string{
		"source: s\ntime: {value: \"{t}\", unit: [s]}\n":      "line 2: a list, where one text is wanted",
		"source: s\ntime: {value: \"{t}\", layout: {a: b}}\n": "neither a text",
		"source: {a: b}\n":                       "line 1: a mapping of names to values, where one text is wanted",
		"source: [a]\n":                          "line 1: a list, where one text is wanted",
		good + "account: many\n":                 "line 5: one text, where a whole number is wanted",
		good + "account: 5000000000\n":           "line 5: a number that is too large or below 0",
		good + "account: -1\n":                   "line 5: a number that is too large or below 0",
		good + "input: {quotes: maybe}\n":        "line 5: one text, where true or false is wanted",
		good + "input: {columns: 5}\n":           "line 5: ",
		good + "where: [a]\n":                    "line 5: ",
		good + "lookups: x\n":                    "line 5: ",
		good + "spread: {total: [1]}\n":          "line 5: a list, where a whole number is wanted",
		good + "activity: {by: x, cases: [a]}\n": "line 5: ",
		good + "geo: x\n":                        "line 5: ",
		"- a\n":                                  "line 1: ",
		"x\n":                                    "line 1: ",
	} {
		_, err := ParseMapping([]byte(text))
		if err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%q: %v, want %q", text, err, says)
			continue
		}
		for _, word := range []string{" Go ", "unmarshal", "interface", "struct", "input.", "uint", "[]", "map["} {
			if strings.Contains(err.Error(), word) {
				t.Errorf("%q: %v", text, err)
			}
		}
	}
}

// What nobody can register by is no member's service: a row that names it is bad, and not published to be a dead letter.
func TestMapping_ServicesThatNoMemberHas(t *testing.T) {
	t.Parallel()
	const begin = "source: s\nid: \"{id}\"\ntime: {value: \"{id}\", unit: s}\nactivities: {a: {id: 1}}\nmember: "
	for member, want := range map[string]string{
		"{service: \"{of}\", uid: u}":                   "bad custom, bad rdio, bad beatsmusic, spotify, email",
		"{service: \"{of}\", uid: u, registered: true}": "bad custom, rdio, beatsmusic, spotify, email",
	} {
		m, err := ParseMapping([]byte(begin + member + "\n"))
		if err != nil {
			t.Fatal(err)
		}
		path := filepath.Join(t.TempDir(), "in.csv")
		if err := os.WriteFile(path, []byte("id,of\n1700000000,custom\n1700000001,rdio\n1700000002,beatsmusic\n1700000003,spotify\n1700000004,email\n"), 0o600); err != nil {
			t.Fatal(err)
		}
		s, err := OpenFile(m, path, nil)
		if err != nil {
			t.Fatal(err)
		}
		defer s.Close()
		var got []string
		for _, service := range []string{"custom", "rdio", "beatsmusic", "spotify", "email"} {
			row, err := s.Next()
			switch {
			case err != nil:
				t.Fatal(err)
			case row.Err == nil:
				got = append(got, row.Action.Member.Service)
			case strings.Contains(row.Err.Error(), "member.service: no member can register"):
				got = append(got, "bad "+service)
			default:
				t.Error(row.Err)
			}
		}
		if is := strings.Join(got, ", "); is != want {
			t.Errorf("%s: %s, want %s", member, is, want)
		}
	}
	m, err := ParseMapping([]byte(begin + "{given: true}\n"))
	if err != nil {
		t.Fatal(err)
	}
	for who, says := range map[string]string{"custom:ann": "no member can register", "rdio:ann": "no member can register", "spotify:ann": ""} {
		if err := m.SetMember(who); err == nil != (says == "") || err != nil && !strings.Contains(err.Error(), says) {
			t.Errorf("%s: %v", who, err)
		}
	}
}

package collect

import (
	"strings"
	"testing"

	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/encoding/unicode"
)

// A file of bad rows goes in by the same mapping once it is mended, whatever the format and encoding of its source.
func TestRejects_GoInAgainOnceMended(t *testing.T) {
	t.Parallel()
	latin := func(s string) string {
		out, err := charmap.ISO8859_1.NewEncoder().String(s)
		if err != nil {
			t.Fatal(err)
		}
		return out
	}
	utf16 := func(s string) string {
		out, err := unicode.UTF16(unicode.LittleEndian, unicode.UseBOM).NewEncoder().String(s)
		if err != nil {
			t.Fatal(err)
		}
		return out
	}
	const csv = "id,user,at\na,ü,1300000000\nb,\"ö\nz\",soon\nc,ä,1300000000\nd,é,soon\n"
	for name, c := range map[string]struct{ input, rows string }{
		"csv":              {"{}", csv},
		"csv with a mark":  {"{}", "\ufeff" + csv},
		"csv, named":       {"{columns: [id, user, at]}", strings.TrimPrefix(csv, "id,user,at\n")},
		"csv in Latin-1":   {"{encoding: latin1}", latin(csv)},
		"csv in UTF-16":    {"{}", utf16(csv)},
		"csv told UTF-16":  {"{encoding: utf-16le}", utf16(csv)},
		"lines":            {`{format: lines, pattern: '^(?P<id>\S+) (?P<user>\S+) (?P<at>\S+)$'}`, "a ü 1300000000\nb ö soon\nc ä 1300000000\nd é soon\n"},
		"lines in Latin-1": {`{format: lines, encoding: latin1, pattern: '^(?P<id>\S+) (?P<user>\S+) (?P<at>\S+)$'}`, latin("a ü 1300000000\nb ö soon\nc ä 1300000000\nd é soon\n")},
		"ndjson":           {"{format: ndjson}", "{\"id\":\"a\",\"user\":\"ü\",\"at\":1300000000}\n{\"id\":\"b\",\"user\":\"ö\",\"at\":\"soon\"}\n{\"id\":\"c\",\"user\":\"ä\",\"at\":1300000000}\n{\"id\":\"d\",\"user\":\"é\",\"at\":\"soon\"}\n"},
		"json":             {"{format: json}", "[{\"id\":\"a\",\"user\":\"ü\",\"at\":1300000000},\n{\"id\":\"b\",\n\"user\":\"ö\",\"at\":\"soon\"},\n{\"id\":\"c\",\"user\":\"ä\",\"at\":1300000000},{\"id\":\"d\",\"user\":\"é\",\"at\":\"soon\"}]"},
		"json, within":     {"{format: json, rows: data.items}", "{\"data\":{\"items\":[{\"id\":\"a\",\"user\":\"ü\",\"at\":1300000000},\n{\"id\":\"b\",\n\"user\":\"ö\",\"at\":\"soon\"},\n{\"id\":\"c\",\"user\":\"ä\",\"at\":1300000000},{\"id\":\"d\",\"user\":\"é\",\"at\":\"soon\"}]}}"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := newFixture(t, plain+"input: "+c.input+"\n", c.rows)
			r.takeRejects()
			if got := r.must(); got.Published != 2 || got.Rejected != 2 {
				t.Fatalf("%+v %v", got, r.report.bad)
			}
			mended := strings.ReplaceAll(r.read("rejects"), "soon", "1300000000")
			r.write("in.csv", mended)
			r.options.FromStart, r.options.Rejects = true, nil
			if got := r.must(); got.Published != 2 || got.Rejected != 0 {
				t.Fatalf("mended: %+v %v\n%s", got, r.report.bad, mended)
			}
			users := map[string]bool{}
			for i := range r.log.messages {
				users[dataOf(t, &r.log.messages[i]).UID] = true
			}
			second := "ö"
			if strings.HasPrefix(name, "csv") {
				second = "ö\nz"
			}
			for _, u := range []string{"ü", second, "ä", "é"} {
				if !users[u] {
					t.Errorf("%q is missing: %v", u, users)
				}
			}
		})
	}
}

// A file of rejects takes rows of one kind of columns, also from another command.
func TestRejects_KeepToTheirColumns(t *testing.T) {
	t.Parallel()
	r := newFixture(t, plain, "id,user,at\na,u,soon\n")
	r.takeRejects()
	r.must()
	r.write("in.csv", "id,user,at\na,u,soon\nb,u,soon\n")
	r.takeRejects()
	r.must()
	if got := r.read("rejects"); got != "id,user,at\na,u,soon\nb,u,soon\n" {
		t.Errorf("%q", got)
	}
	r.write("in.csv", "user,id,at\nu,a,soon\n")
	r.options.FromStart = true
	r.takeRejects()
	if _, err := r.run(t.Context()); err == nil || !strings.Contains(err.Error(), "choose another --rejects") {
		t.Error(err)
	}
}

// The first row of a file of rejects may begin as a packed file or one of another encoding does: the file still is read
// as text, by the same mapping, and takes the rows of a further run.
func TestRejects_BeginAsOtherFiles(t *testing.T) {
	t.Parallel()
	for _, begin := range []string{"BZh91AY&SY", "PK\x03\x04", "%PDF-", "7z\xbc\xaf\x27\x1c", "\xff\xfe", "\x1f\x8b", "\ufeff"} {
		for _, named := range []string{"", "input: {columns: [id, user, at]}\n"} {
			rows := "a,u,1300000000\n" + begin + ",u,soon\nb,u,soon\n"
			if named == "" {
				rows = "id,user,at\n" + rows
			}
			r := newFixture(t, plain+named, rows)
			r.takeRejects()
			if got := r.must(); got.Published != 1 || got.Rejected != 2 {
				t.Fatalf("%q: %+v %v", begin, got, r.report.bad)
			}
			r.options.FromStart = true
			r.takeRejects()
			r.must()
			again := r.read("rejects")
			if strings.Count(again, begin+",u,soon\n") != 2 || strings.Count(again, "b,u,soon\n") != 2 {
				t.Errorf("%q: %q", begin, again)
			}
			r.write("in.csv", again)
			r.options.Rejects = nil
			if got, err := r.run(t.Context()); got.Published != 0 || got.Rejected != 4 {
				t.Errorf("%q: the rejects are read as %+v: %v", begin, got, err)
			}
		}
	}
}

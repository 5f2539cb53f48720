package mappings

import (
	"archive/zip"
	"bytes"
	"compress/gzip"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"unicode/utf16"

	"github.com/klauspost/compress/zstd"
	"github.com/ulikunitz/xz"

	"github.com/ovation-analytics/ovation/cmd/ovation/collect/input"
)

// outcome is what became of the rows of a file.
type outcome struct {
	good, bad, skipped int
	whys               []string // of bad rows
	end                error    // what ended it before its end
}

func (o *outcome) rows() int { return o.good + o.bad + o.skipped }

// of reads a file with a mapping.
func (r Ready) of(t *testing.T, path string) (o outcome) {
	t.Helper()
	m, err := input.ParseMapping(r.Text)
	if err == nil && m.Member.Given {
		err = m.SetMember("spotify:ann")
	}
	if err != nil {
		t.Fatal(err)
	}
	s, err := input.OpenFile(m, path, nil)
	if err != nil {
		return outcome{end: err}
	}
	defer s.Close()
	for {
		row, err := s.Next()
		switch {
		case errors.Is(err, io.EOF):
			o.skipped = int(s.Skipped())
			return o
		case err != nil:
			o.skipped, o.end = int(s.Skipped()), err
			return o
		case row.Err != nil:
			o.bad++
			o.whys = append(o.whys, row.Err.Error())
		default:
			o.good++
		}
	}
}

// form is how rows are in a file.
type form string

// formOf is that of a sample.
func formOf(path string) form {
	switch ext := filepath.Ext(path); ext {
	case ".jsonl":
		return "ndjson"
	case ".tsv":
		return "csv"
	case ".log":
		return "lines"
	default:
		return form(ext[1:])
	}
}

// mistake is something that may be wrong with a file; without a field that says what follows, it is told in some way.
type mistake struct {
	name string
	of   []form // the forms of files that may have it; nil: all
	// make makes the file with the mistake; nil: the mistake does not apply to the sample.
	make func(text []byte) []byte
	// harmless: the file is read as the sample is.
	harmless bool
	// bad: so many bad rows are told beside those of the sample.
	bad int
	// twice: each row is there twice.
	twice bool
	// ends: reading ends with an error that has one of these words.
	ends []string
}

// secret is within values of the rows with mistakes: no error may show it.
const secret = "Qzecret"

// between puts something between the first line that is a row and the next line.
func between(what string) func([]byte) []byte {
	return func(text []byte) []byte {
		at := bytes.IndexByte(text, '\n') + 1
		if next := bytes.IndexByte(text[at:], '\n') + 1; next > 0 && at+next < len(text) {
			at += next
		}
		return bytes.Join([][]byte{text[:at], []byte(what), text[at:]}, nil)
	}
}

// within puts something into the list of a JSON document, before its first object.
func within(what string) func([]byte) []byte {
	return func(text []byte) []byte {
		at := bytes.IndexByte(text, '[') + 1
		return bytes.Join([][]byte{text[:at], []byte(what), text[at:]}, nil)
	}
}

// replaced replaces the first.
func replaced(old, with string) func([]byte) []byte {
	return func(text []byte) []byte {
		if !bytes.Contains(text, []byte(old)) {
			return nil
		}
		return bytes.Replace(text, []byte(old), []byte(with), 1)
	}
}

// cutAt keeps a part of what another makes.
func cutAt(part float64, of func([]byte) []byte) func([]byte) []byte {
	return func(text []byte) []byte {
		b := of(text)
		return b[:int(part*float64(len(b)))]
	}
}

func same(text []byte) []byte { return text }

// packedBy packs.
func packedBy(pack func(w io.Writer) (io.WriteCloser, error)) func([]byte) []byte {
	return func(text []byte) []byte {
		var b bytes.Buffer
		w, err := pack(&b)
		if err == nil {
			_, err = w.Write(text)
		}
		if err == nil {
			err = w.Close()
		}
		if err != nil {
			panic(err)
		}
		return b.Bytes()
	}
}

var (
	gzipped = packedBy(func(w io.Writer) (io.WriteCloser, error) { return gzip.NewWriter(w), nil })
	zstded  = packedBy(func(w io.Writer) (io.WriteCloser, error) { return zstd.NewWriter(w) })
	xzed    = packedBy(func(w io.Writer) (io.WriteCloser, error) { return xz.NewWriter(w) })
)

// zipped is an archive of so many files.
func zipped(n int) func([]byte) []byte {
	return func(text []byte) []byte {
		var b bytes.Buffer
		z := zip.NewWriter(&b)
		for i := range n {
			w, err := z.Create(fmt.Sprint("part-", i))
			if err == nil {
				_, err = w.Write(text)
			}
			if err != nil {
				panic(err)
			}
		}
		if err := z.Close(); err != nil {
			panic(err)
		}
		return b.Bytes()
	}
}

// wide is UTF-16 LE.
func wide(mark bool) func([]byte) []byte {
	return func(text []byte) []byte {
		var b []byte
		units := utf16.Encode([]rune(string(text)))
		if mark {
			units = append([]uint16{0xfeff}, units...)
		}
		for _, u := range units {
			b = append(b, byte(u), byte(u>>8))
		}
		return b
	}
}

// pretty is a document with a value a line.
func pretty(text []byte) []byte {
	var b bytes.Buffer
	if err := json.Indent(&b, text, "", "\t"); err != nil {
		return nil // several documents
	}
	return b.Bytes()
}

const page = "<!DOCTYPE html>\n<html><head><title>Sign in</title></head>\n<body class=\"" + secret + "\">\n<p>Your session has ended, sign in again.</p>\n</body></html>\n"

var (
	ofLines = []form{"csv", "ndjson", "lines"}
	long    = strings.Repeat(secret, 5<<20/len(secret))
)

var mistakes = []mistake{
	{name: "none", make: same, harmless: true},
	{name: "a byte order mark", make: func(b []byte) []byte { return append([]byte("\xef\xbb\xbf"), b...) }, harmless: true},
	{name: "UTF-16", make: wide(true), harmless: true},
	{name: "UTF-16 that does not say so", make: wide(false)},
	{name: "lines that end as on Windows", make: func(b []byte) []byte { return bytes.ReplaceAll(b, []byte("\n"), []byte("\r\n")) }, harmless: true},
	{name: "empty lines", of: ofLines, make: between("\n\n"), harmless: true},
	{name: "no end of the last line", make: func(b []byte) []byte { return bytes.TrimRight(b, "\n") }, harmless: true},
	{name: "gzip", make: gzipped, harmless: true},
	{name: "xz", make: xzed, harmless: true},
	{name: "zstd", make: zstded, harmless: true},
	{name: "zip", make: zipped(1), harmless: true},
	{name: "half of a gzip", make: cutAt(.5, gzipped), ends: []string{"cut", "damaged"}},
	{name: "nearly all of a gzip", make: cutAt(.99, gzipped), ends: []string{"cut", "damaged"}},
	{name: "half of an xz", make: cutAt(.5, xzed), ends: []string{"cut", "damaged"}},
	{name: "half of a zstd", make: cutAt(.5, zstded), ends: []string{"cut", "damaged"}},
	{name: "half of a zip", make: cutAt(.5, zipped(1)), ends: []string{"cut", "damaged"}},
	{name: "a zip of two files", make: zipped(2), ends: []string{"pattern"}},
	{name: "a zip of nothing", make: zipped(0), ends: []string{"no file in it"}},
	{name: "packed twice", make: func(b []byte) []byte { return gzipped(gzipped(b)) }, ends: []string{"packed once"}},
	{name: "a PDF", make: func([]byte) []byte { return []byte("%PDF-1.7\n1 0 obj\n") }, ends: []string{"PDF"}},
	{name: "zeros", make: func([]byte) []byte { return make([]byte, 4096) }},
	{name: "a page in place of a file", make: func([]byte) []byte { return []byte(page) }},
	{name: "a row of 5 MB", of: ofLines, make: between(long + "\n"), bad: 1},
	{name: "an element of 5 MB", of: []form{"json"}, make: within(`{"a":"` + long + `"},`), bad: 1},
	{name: "an element that is no object", of: []form{"json"}, make: within(`"` + secret + `",`), bad: 1},
	{name: "a line of something else", of: ofLines, make: between(secret + "\n"), bad: 1},
	{name: "a line of JSON that is no object", of: []form{"ndjson"}, make: between(`["` + secret + `"]` + "\n"), bad: 1},
	{name: "a quote that is not closed", of: []form{"csv"}, make: between(`"` + secret + "\n"), bad: 1},
	{name: "Latin-1", make: replaced("ö", "\xf6")},
	{name: "the last row is cut", of: []form{"ndjson", "lines"}, make: func(b []byte) []byte {
		at := bytes.LastIndexByte(bytes.TrimRight(b, "\n"), '\n')
		return b[:at+(len(b)-at)/3]
	}},
	{name: "a document without its end", of: []form{"json"}, make: func(b []byte) []byte { return b[:len(b)*2/3] }, ends: []string{"closed"}},
	{name: "a document with a value a line", of: []form{"json"}, make: pretty, harmless: true},
	{name: "twice the same document", of: []form{"json"}, make: func(b []byte) []byte { return append(bytes.Clone(b), b...) }, twice: true},
	{name: "semicolons", of: []form{"csv"}, make: func(b []byte) []byte { return bytes.ReplaceAll(b, []byte(","), []byte(";")) }},
	{name: "no names of columns", of: []form{"csv"}, make: func(b []byte) []byte {
		names, rows, _ := bytes.Cut(b, []byte("\n"))
		if !bytes.Contains(bytes.ToLower(names), []byte("artist")) {
			return nil
		}
		return rows
	}, ends: []string{"no column"}},
	{name: "another name of a column", of: []form{"csv"}, make: replaced("rtist", "rtiste")},
	{name: "the same column twice", of: []form{"csv"}, make: func(b []byte) []byte {
		lines := bytes.Split(bytes.TrimRight(b, "\n"), []byte("\n"))
		for i := range lines {
			lines[i] = append(append(bytes.Clone(lines[i]), ','), lines[i]...)
		}
		return bytes.Join(lines, []byte("\n"))
	}},
}

// applies reports that a file of the form may have the mistake.
func (m *mistake) applies(f form) bool { return m.of == nil || slices.Contains(m.of, f) }

// One sentence says what is wrong with a file, no row is lost without being told, and no error shows a value: of each ready
// mapping's sample, with each mistake that people make.
func TestMistakes_AreToldAndLoseNothing(t *testing.T) {
	t.Parallel()
	tried := 0
	for _, r := range All() {
		path := sample(t, r.Name)
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		whole := r.of(t, path)
		for _, m := range mistakes {
			if !m.applies(formOf(path)) {
				continue
			}
			b := m.make(text)
			if b == nil || !m.harmless && bytes.Equal(b, text) {
				continue
			}
			tried++
			file := filepath.Join(t.TempDir(), filepath.Base(path))
			if err := os.WriteFile(file, b, 0o600); err != nil {
				t.Fatal(err)
			}
			o := r.of(t, file)
			at := fmt.Sprintf("%s, %s", r.Name, m.name)
			told(t, at, &o)
			switch {
			case m.harmless:
				if o.end != nil || o.good != whole.good || o.rows() != whole.rows() {
					t.Errorf("%s: %+v, the sample %+v", at, o, whole)
				}
			case m.ends != nil:
				if o.end == nil || !slices.ContainsFunc(m.ends, func(word string) bool { return strings.Contains(o.end.Error(), word) }) {
					t.Errorf("%s ends with %v, want one of %q", at, o.end, m.ends)
				}
			case m.twice:
				if o.end == nil && o.rows() != 2*whole.rows() {
					t.Errorf("%s: %+v, the sample %+v", at, o, whole)
				}
			case m.bad > 0:
				passed := o.skipped - whole.skipped // by a rule of the mapping, as no row of its kind
				if o.end != nil || o.rows() != whole.rows()+m.bad || o.bad+passed != m.bad {
					t.Errorf("%s: %+v, the sample %+v", at, o, whole)
				}
			case o.end == nil && o.bad == 0 && o.skipped == whole.skipped:
				t.Errorf("%s: not told: %+v, the sample %+v", at, o, whole)
			}
		}
		for _, other := range All() {
			if other.Name == r.Name {
				continue
			}
			tried++
			o := r.of(t, sample(t, other.Name))
			at := fmt.Sprintf("%s of the sample of %s", r.Name, other.Name)
			told(t, at, &o)
			if o.good > 0 && o.bad == 0 && o.end == nil && !strings.HasPrefix(r.Name, "youtube") { // a file may have rows for both
				t.Errorf("%s: %+v", at, o)
			}
		}
	}
	t.Logf("%d mistakes", tried)
	if tried < 200 {
		t.Errorf("%d mistakes", tried)
	}
}

// told requires that each error is a sentence without a value.
func told(t *testing.T, at string, o *outcome) {
	t.Helper()
	whys := o.whys
	if o.end != nil {
		whys = append(whys, o.end.Error())
	}
	for _, why := range whys {
		if why == "" || len(why) > 600 || strings.ContainsAny(why, "\n\x00") || strings.Contains(why, secret) {
			t.Errorf("%s says %.700q", at, why)
		}
		for _, ours := range []string{"EOF", "panic", "nil", "struct", "unmarshal", "invalid character"} {
			if strings.Contains(why, ours) {
				t.Errorf("%s says %.300q", at, why)
			}
		}
	}
}

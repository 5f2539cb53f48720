package input

import (
	"archive/zip"
	"bufio"
	"bytes"
	"compress/gzip"
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/google/go-cmp/cmp"
	"github.com/klauspost/compress/zstd"
	"github.com/ulikunitz/xz"
)

// given is a row as a reader gives it.
type given struct {
	At    int64
	Cells []string
	Bad   string
	Text  string // as a file of the same format has it
}

// readings are formats with the values that are asked of their rows, one of each kind of reader.
var readings = []struct {
	format Format
	want   []string
}{
	{Format{}, []string{"a"}},
	{Format{Columns: []string{"a", "b"}}, []string{"a", "b"}},
	{Format{Columns: []string{"a", "b"}, Separator: "semicolon", Quotes: new(bool), Comment: "#"}, []string{"b"}},
	{Format{Columns: []string{"a", "b"}, Encoding: "latin1"}, []string{"a", "b"}},
	{Format{Format: "ndjson", Escapes: "latin1"}, []string{"a", "a.b[0]"}},
	{Format{Format: "json"}, []string{"a", "a[k=v].b"}},
	{Format{Format: "json", Rows: "x.y"}, []string{"a"}},
	{Format{Format: "lines", Pattern: `^(?P<a>\S+) (?P<b>.*)$`, None: []string{"-"}}, []string{"a", "b"}},
}

// given are the rows of a file; err is what ends it, and no row.
func (s *shape) given(r io.Reader, want []string) (all []given, head, sum []byte, err error) {
	rd, err := newRows(&file{reader: bufio.NewReaderSize(r, 16)}, s, want)
	if err != nil {
		return nil, nil, nil, err
	}
	for {
		at, cells, err := rd.next()
		bad, isBad := errors.AsType[badRow](err)
		if err != nil && !isBad {
			return all, rd.head(), rd.digest(nil), err
		}
		row := given{At: at, Text: string(rd.text())}
		if isBad {
			row.Bad = bad.Error()
		}
		for _, c := range cells {
			row.Cells = append(row.Cells, c.text+" "+string(c.raw))
		}
		all = append(all, row)
	}
}

// FuzzReaders_AnyFile reads any bytes in each format: to an end, with ascending places, the same however the bytes come;
// and each row, written into a file of rejects, is read there as it was read here.
func FuzzReaders_AnyFile(f *testing.F) {
	for i, text := range []string{
		"a,b\n1,\"x\ny\"\n\"3,4\n", "1,2\n\"\"\"\",\r\n\xff,\n", "#c\n1;\"2\n\n", "\xe4,\x80\n", `{"a":{"b":["\u00c3\u00b6"]}}` + "\n5\n",
		`[{"a":[{"k":"v","b":1}]}, null,"x]" ]`, `{"z":[1],"x":{"y":[{"a":1},{"a":"]"}]}}`, "h -\n\n- x y\n", "\xff\xfea\x00\n\x00", "\xef\xbb\xbfa\n1\n",
	} {
		f.Add(uint8(i), []byte(text))
	}
	for kind := range readings {
		for _, end := range []string{"\r", "\r\r", "\r\r\n", "\n\r\n", "\x00\r\n", " \r\n", "\r \r\r\n"} {
			f.Add(uint8(kind), []byte("a,b"+end+"1,2"+end+"0"+end+"\"3"+end+"4\",5"+end))
		}
	}
	for kind := range readings { // a row begins as a file of another form or encoding does
		for _, p := range packings {
			f.Add(uint8(kind), []byte("a,b\n"+strings.Repeat("x", p.at)+p.magic+"\x00,2\n"))
		}
		for _, mark := range []string{"\xff\xfe", "\xfe\xff", UTF8Mark, "BZh91AY&SY"} {
			f.Add(uint8(kind), []byte("\n"+mark+"a,b\n"+mark+"a,b\n"))
		}
	}
	f.Fuzz(func(t *testing.T, kind uint8, text []byte) {
		reading := readings[int(kind)%len(readings)]
		s, err := reading.format.compile()
		if err != nil {
			t.Fatal(err)
		}
		all, head, sum, end := s.given(bytes.NewReader(text), reading.want)
		again, _, sumAgain, endAgain := s.given(iotest.OneByteReader(bytes.NewReader(text)), reading.want)
		if diff := cmp.Diff(all, again); diff != "" || !bytes.Equal(sum, sumAgain) || end.Error() != endAgain.Error() {
			t.Fatalf("%q, byte by byte: %s %v %v", text, diff, end, endAgain)
		}
		if len(all) > len(text)+1 {
			t.Fatalf("%q: %d rows", text, len(all))
		}
		for i, row := range all {
			if i > 0 && row.At <= all[i-1].At {
				t.Fatalf("%q: row %d is at %d, the one before at %d", text, i, row.At, all[i-1].At)
			}
			if fields, err := s.fields(nil, row.Text); s.kind == ofCSV && err == nil && s.columns != nil && s.names(fields) {
				continue // names of the columns once more: they come first there
			}
			rejects := slices.Concat(HeadBefore(head, []byte(row.Text)), []byte(row.Text), []byte("\n"))
			if p := (&file{reader: bufio.NewReaderSize(bytes.NewReader(rejects), maxMagic)}).packing(); p != nil {
				t.Fatalf("%q: row %d, as rejected %q, is taken for a %s file", text, i, rejects, p.name)
			}
			back, _, _, end := s.given(bytes.NewReader(rejects), reading.want)
			row.At = 0
			if len(back) == 1 {
				back[0].At = 0
			}
			if diff := cmp.Diff([]given{row}, back); diff != "" {
				t.Fatalf("%q: row %d, as rejected %q: %s %v", text, i, rejects, diff, end)
			}
		}
	})
}

// packers pack as the program's users do.
var packers = []struct {
	name string
	pack func(w io.Writer) (io.WriteCloser, error)
}{
	{"gzip", func(w io.Writer) (io.WriteCloser, error) { return gzip.NewWriter(w), nil }},
	{"xz", func(w io.Writer) (io.WriteCloser, error) {
		return xz.WriterConfig{BlockSize: 100, DictCap: 4096}.NewWriter(w)
	}},
	{"zstd", func(w io.Writer) (io.WriteCloser, error) { return zstd.NewWriter(w, zstd.WithEncoderConcurrency(1)) }},
	{"zip", func(w io.Writer) (io.WriteCloser, error) {
		z := zip.NewWriter(w)
		entry, err := z.Create("rows.csv")
		return archive{entry, z}, err
	}},
}

// archive is the only file of a zip archive.
type archive struct {
	io.Writer
	z *zip.Writer
}

func (a archive) Close() error { return a.z.Close() }

// FuzzUnpack_AllOrAnError packs a text, and cuts or changes what was packed: the whole text comes of it, or an error.
func FuzzUnpack_AllOrAnError(f *testing.F) {
	for kind := range packers {
		f.Add(uint8(kind), []byte("a,b\n1,2\n"), uint32(1000), uint32(0), byte(0))
		f.Add(uint8(kind), bytes.Repeat([]byte("a,b\n1,2\n"), 100), uint32(40), uint32(0), byte(0))
		f.Add(uint8(kind), []byte("a,b\n1,2\n"), uint32(1000), uint32(20), byte(4))
	}
	f.Fuzz(func(t *testing.T, kind uint8, text []byte, keep, at uint32, change byte) {
		p := packers[int(kind)%len(packers)]
		var packed bytes.Buffer
		w, err := p.pack(&packed)
		if err == nil {
			_, err = w.Write(text)
		}
		if err == nil {
			err = w.Close()
		}
		if err != nil {
			t.Fatal(err)
		}
		b := packed.Bytes()
		b = b[:min(int(keep), len(b))]
		whole := len(b) == packed.Len() && change == 0
		if len(b) > 0 {
			b[int(at)%len(b)] ^= change
		}
		name := filepath.Join(t.TempDir(), "in")
		if err := os.WriteFile(name, b, 0o600); err != nil {
			t.Fatal(err)
		}
		if is := (&file{reader: bufio.NewReaderSize(bytes.NewReader(b), 1024)}).packing(); is == nil || is.name != p.name {
			return // it does not begin as a packed file any more: it is read as a text
		}
		in, err := openFile(name)
		if err != nil {
			if whole {
				t.Fatalf("%s of %q: %v", p.name, text, err)
			}
			return
		}
		defer in.close()
		got, err := io.ReadAll(in.reader)
		if whole && err != nil || err == nil && !bytes.Equal(got, text) {
			t.Fatalf("%s of %d bytes, %d of %d kept, byte %d changed by %#x: %d bytes come of it: %v", p.name, len(text), len(b), packed.Len(), at, change, len(got), err)
		}
	})
}

// What is written of an element that is too long is a document of its own: it stays a bad row, and hides none after it.
func TestElements_TooLongIsRejectedAlone(t *testing.T) {
	t.Parallel()
	for _, format := range []Format{{Format: "json"}, {Format: "json", Rows: "x"}} {
		s, err := format.compile()
		if err != nil {
			t.Fatal(err)
		}
		text := `[{"a":"` + strings.Repeat("é", MaxLine) + `"},{"a":"1"}]`
		if format.Rows != "" {
			text = `{"x":` + text + `}`
		}
		all, head, _, _ := s.given(strings.NewReader(text), []string{"a"})
		if len(all) != 2 || all[0].Bad != errTooLong.Error() || len(all[0].Text) > 8*beginning || !strings.Contains(all[0].Text, `"{\"a\":\"éé`) {
			t.Fatalf("%d rows: %.200s", len(all), all[0].Text)
		}
		back, _, _, end := s.given(strings.NewReader(string(head)+all[0].Text+"\n"+all[1].Text+"\n"), []string{"a"})
		if len(back) != 2 || back[0].Bad == "" || !slices.Equal(back[1].Cells, all[1].Cells) || end != io.EOF {
			t.Errorf("%+v %v", back, end)
		}
	}
}

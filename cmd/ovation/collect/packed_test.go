package collect

import (
	"archive/zip"
	"bytes"
	"encoding/base64"
	"io"
	"os"
	"strings"
	"testing"

	"github.com/klauspost/compress/zstd"
	"github.com/ulikunitz/xz"
)

// zipped are files in a zip archive, by name.
func zipped(t *testing.T, files ...string) string {
	t.Helper()
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	for i := 0; i < len(files); i += 2 {
		w, err := z.Create(files[i])
		if err != nil {
			t.Fatal(err)
		}
		if _, err := io.WriteString(w, files[i+1]); err != nil {
			t.Fatal(err)
		}
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// through is a text written through what packs it.
func through(t *testing.T, text string, pack func(io.Writer) (io.WriteCloser, error)) string {
	t.Helper()
	var b bytes.Buffer
	w, err := pack(&b)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := io.WriteString(w, text); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func xzOf(w io.Writer) (io.WriteCloser, error)   { return xz.NewWriter(w) }
func zstdOf(w io.Writer) (io.WriteCloser, error) { return zstd.NewWriter(w) }

// xzOfWindow packs as xz -8 does.
func xzOfWindow(w io.Writer) (io.WriteCloser, error) {
	return xz.WriterConfig{DictCap: 32 << 20}.NewWriter(w)
}

// bzipped is plainRows(3) packed by bzip2, for which there is no packer here.
const bzipped = "QlpoOTFBWSZTWQxKgRQAABfZgAwQAAR4ACYgHgAgADFMABNCNJ6TINMjCi8KreUnpFzhBI4zSCToSM1ZuIdE+LuSKcKEgGJUCKA="

// A packed file has the rows that it has unpacked, and goes on where that went on.
func TestPacked_RowsAreTheSame(t *testing.T) {
	t.Parallel()
	bz, err := base64.StdEncoding.DecodeString(bzipped)
	if err != nil {
		t.Fatal(err)
	}
	const n = 3
	rows := plainRows(n)
	for name, text := range map[string]string{
		"plain": rows, "gzip": packed(t, rows), "bzip2": string(bz), "xz": through(t, rows, xzOf), "zstd": through(t, rows, zstdOf),
		"gzip in two parts": packed(t, rows[:20]) + packed(t, rows[20:]), "zstd in two parts": through(t, rows[:20], zstdOf) + through(t, rows[20:], zstdOf),
		"xz in two parts": through(t, rows[:20], xzOf) + through(t, rows[20:], xzOf),
		"zip":             zipped(t, "plays.csv", rows), "zip of a Mac": zipped(t, "d/", "", "d/plays.csv", rows, "__MACOSX/d/._plays.csv", "x", "d/.DS_Store", "x"),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := newFixture(t, plain, text)
			if got := r.must(); got.Published != n || got.Rejected != 0 || got.Passed <= 0 {
				t.Fatalf("%+v %v", got, r.report.bad)
			}
			r.write("in.csv", plainRows(n+1)) // unpacked, with a row more
			if got := r.must(); got.Published != 1 {
				t.Errorf("one more: %+v", got)
			}
		})
	}
}

// A large file is read as a stream, whatever packed it.
func TestPacked_Large(t *testing.T) {
	t.Parallel()
	const n = 50_000
	rows := plainRows(n)
	for name, text := range map[string]string{"xz": through(t, rows, xzOf), "zstd": through(t, rows, zstdOf), "zip": zipped(t, "a.csv", rows)} {
		if got := newFixture(t, plain, text).must(); got.Published != n {
			t.Errorf("%s: %+v", name, got)
		}
	}
}

// What cannot be read is one error, and no row is told.
func TestPacked_RefusedInOneSentence(t *testing.T) {
	t.Parallel()
	rows := plainRows(100)
	tar := "a.csv" + strings.Repeat("\x00", 252) + "ustar\x0000" + strings.Repeat("\x00", 300)
	for name, c := range map[string]struct{ text, says string }{
		"zip of two files": {zipped(t, "a.csv", rows, "b.csv", rows), "zip: there are 2 files in it"},
		"an empty zip":     {zipped(t), "zip: there is no file in it"},
		"a cut zip":        {zipped(t, "a.csv", rows)[:100], "zip: "},
		"a cut xz":         {through(t, rows, xzOf)[:60], ""},
		"a cut zstd":       {through(t, rows, zstdOf)[:60], ""},
		"a cut gzip":       {packed(t, rows)[:60], ""},
		"7z":               {"7z\xbc\xaf\x27\x1c\x00\x04", "a 7z file"},
		"rar":              {"Rar!\x1a\x07\x01\x00", "a rar file"},
		"lz4":              {"\x04\x22\x4d\x18\x64\x40", "a lz4 file"},
		"tar":              {tar, "a tar file"},
		"tar.gz":           {packed(t, tar), "a tar file"},
		"packed twice":     {packed(t, through(t, rows, xzOf)), "a xz file"},

		"xz of a large window":   {through(t, rows, xzOfWindow), "unpack it before (xz -dc FILE | ovation collect file"},
		"zstd of a large window": {"\x28\xb5\x2f\xfd\x00\x78\x01\x00\x00", "unpack it before (zstd -dc --long=31 FILE | ovation collect file"}, // 32 MiB

		"Parquet": {"PAR1\x15\x00", "a Parquet file"},
	} {
		r := newFixture(t, plain, c.text)
		_, err := r.run(t.Context())
		if err == nil || !strings.Contains(err.Error(), c.says) || !strings.Contains(err.Error(), "in.csv") || strings.Contains(err.Error(), "\n") || len(r.report.bad) != 0 {
			t.Errorf("%s: %v, told %v", name, err, r.report.bad)
		}
	}
	r := newFixture(t, plain, "BZh,user,at\na,u,1300000000\n") // text that begins as a packed file
	if _, err := r.run(t.Context()); err == nil || !strings.Contains(err.Error(), `no column "id"; there are BZh, user, at`) {
		t.Error(err)
	}
}

// A table beside the input may be packed by any of them.
func TestPacked_Lookup(t *testing.T) {
	t.Parallel()
	r := newFixture(t, `
source: s
lookups: {names: {file: names.csv, key: id, by: "{user}"}}
time: {value: "{at}", unit: s}
member: {id: 1}
activities: {a: {id: 1}}
link: "{names.name}"
`, "user,at\nu,1300000000\n")
	for _, name := range []string{"names.csv.xz", "names.csv.zst"} {
		text := through(t, "id,name\nu,Found\n", map[string]func(io.Writer) (io.WriteCloser, error){"names.csv.xz": xzOf, "names.csv.zst": zstdOf}[name])
		r.write(name, text)
		r.options.FromStart = true
		r.must()
		if got := dataOf(t, &r.log.messages[len(r.log.messages)-1]).Link; got != "Found" {
			t.Errorf("%s: %q", name, got)
		}
		if err := os.Remove(r.path(name)); err != nil {
			t.Fatal(err)
		}
	}
}

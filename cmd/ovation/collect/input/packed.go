package input

import (
	"archive/zip"
	"bufio"
	"bytes"
	"cmp"
	"compress/bzip2"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/klauspost/compress/zstd"
	"github.com/therootcompany/xz"
	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/unicode"
	"golang.org/x/text/transform"
)

// A packing is a form of file that is no text, by how it begins. Those without unpack are told.
type packing struct {
	name   string
	magic  string
	at     int // of the magic
	unpack func(*file) (io.Reader, error)
}

var packings = []packing{
	{"gzip", "\x1f\x8b", 0, func(f *file) (io.Reader, error) { return gzip.NewReader(f.reader) }},
	{"bzip2", "BZh", 0, func(f *file) (io.Reader, error) { return bzip2.NewReader(f.reader), nil }},
	{"xz", "\xfd7zXZ\x00", 0, func(f *file) (io.Reader, error) { return xz.NewReader(f.reader, maxWindow) }},
	{"zstd", "\x28\xb5\x2f\xfd", 0, unpackZstd},
	{"zip", "PK\x03\x04", 0, unpackZip},
	{"zip", "PK\x05\x06", 0, unpackZip}, // an empty one
	{"7z", "7z\xbc\xaf\x27\x1c", 0, nil},
	{"rar", "Rar!\x1a\x07", 0, nil},
	{"lz4", "\x04\x22\x4d\x18", 0, nil},
	{"compress", "\x1f\x9d", 0, nil},
	{"lzip", "LZIP", 0, nil},
	{"Parquet", "PAR1", 0, nil},
	{"Avro", "Obj\x01", 0, nil},
	{"SQLite", "SQLite format 3\x00", 0, nil},
	{"PDF", "%PDF-", 0, nil},
	{"tar", "ustar", 257, nil},
}

// extensions are those of packed files that are read. A file is the same with and without them.
var extensions = []string{".gz", ".bz2", ".xz", ".zst", ".zip"}

// unpack puts what unpacks the file in front of it, where it is packed.
func (f *file) unpack() error {
	for range 2 { // what was packed may be an archive
		p := f.packing()
		switch {
		case p == nil:
			return nil
		case p.unpack == nil || f.packed:
			return fmt.Errorf("a %s file: it must be text (CSV, JSON or lines), as it is or packed once by "+
				"gzip, bzip2, xz, zstd or zip", p.name)
		}
		r, err := p.unpack(f)
		if err != nil {
			return fmt.Errorf("%s: %w", p.name, explained(err))
		}
		f.packed = true
		f.reader = bufio.NewReaderSize(explaining{r}, 256<<10)
	}
	return nil
}

// maxMagic is how many bytes of a file tell its form.
const maxMagic = 512

// packing is the form of the file; nil: text. A file that begins with the mark of UTF-8 is a text.
func (f *file) packing() *packing {
	head, _ := f.reader.Peek(maxMagic)
	if bytes.HasPrefix(head, []byte(UTF8Mark)) {
		return nil
	}
	for i := range packings {
		p := &packings[i]
		if len(head) >= p.at && bytes.HasPrefix(head[p.at:], []byte(p.magic)) && !p.mayBeText(head) {
			return p
		}
	}
	return nil
}

// mayBeText reports a beginning that a text may have too: the rest of a packed file is no text.
func (p *packing) mayBeText(head []byte) bool {
	return p.name == "bzip2" && (len(head) < 10 || !bytes.Equal(head[4:10], []byte("1AY&SY")) && !bytes.Equal(head[4:10], []byte("\x17\x72\x45\x38\x50\x90"))) ||
		(p.name == "Parquet" || p.name == "lzip" || p.name == "tar") && bytes.IndexByte(head, 0) < 0
}

// maxWindow is how far back a packed file may refer: what unpacks it keeps so much in memory.
const maxWindow = 16 << 20

// advice is an error that says what to do.
type advice string

// Error is what to do.
func (a advice) Error() string { return string(a) }

// errWindow is what to do with a file that refers back farther.
func errWindow(unpack string) error {
	return advice(fmt.Sprintf("packed with a window of more than %d MiB, which is kept in memory: unpack it before (%s FILE | ovation collect file … -)",
		maxWindow>>20, unpack))
}

// errCut says that a packed file has no end, or other bytes than were packed.
const errCut = advice("it is cut or damaged: download or copy it again")

// explained is the error of a decompressor as advice; an error of reading the file stays as it is.
func explained(err error) error {
	_, says := errors.AsType[advice](err)
	_, ofFile := errors.AsType[*fs.PathError](err)
	switch {
	case errors.Is(err, xz.ErrMemlimit):
		return errWindow("xz -dc")
	case errors.Is(err, zstd.ErrWindowSizeExceeded):
		return errWindow("zstd -dc --long=31")
	case err == nil, err == io.EOF, says, ofFile:
		return err
	}
	return errCut
}

// explaining reads what is unpacked, and explains its errors.
type explaining struct{ io.Reader }

// Read reads.
func (r explaining) Read(p []byte) (int, error) {
	n, err := r.Reader.Read(p)
	return n, explained(err)
}

func unpackZstd(f *file) (io.Reader, error) {
	d, err := zstd.NewReader(f.reader, zstd.WithDecoderConcurrency(1), zstd.WithDecoderLowmem(true), zstd.WithDecoderMaxWindow(maxWindow))
	if err != nil {
		return nil, err
	}
	f.onClose = d.Close
	return d, nil
}

// unpackZip is the named file in a zip archive, or the one that there is.
func unpackZip(f *file) (io.Reader, error) {
	if f.size == 0 {
		return nil, advice("an archive is read from its end: name the file, in place of standard input")
	}
	z, err := zip.NewReader(counted{f}, f.size)
	if err != nil {
		return nil, err
	}
	found := entries(z, func(name string) bool { return f.entry == "" || name == f.entry })
	switch {
	case len(found) == 0 && f.entry == "":
		return nil, advice("there is no file in it")
	case len(found) != 1 && f.entry != "":
		return nil, advice(fmt.Sprintf("there is no one file %s in it", f.entry))
	case len(found) != 1:
		return nil, advice(fmt.Sprintf("there are %d files in it, not one: name some of them by a pattern, such as '%s/*.json'",
			len(found), filepath.Base(f.f.Name())))
	case found[0].Flags&1 != 0:
		return nil, advice("it is encrypted: unpack it")
	}
	f.passed = 0 // the directory of the archive does not count
	r, err := found[0].Open()
	if err != nil {
		return nil, err
	}
	f.onClose = func() { _ = r.Close() }
	return r, nil
}

// entries are the files of an archive whose names f wants. What a Mac adds is none.
func entries(z *zip.Reader, f func(name string) bool) (found []*zip.File) {
	for _, entry := range z.File {
		if entry.FileInfo().Mode().IsRegular() && !strings.HasPrefix(entry.Name, "__MACOSX/") && path.Base(entry.Name) != ".DS_Store" && f(entry.Name) {
			found = append(found, entry)
		}
	}
	return found
}

// archived cuts ARCHIVE.zip/FILE. A path that is no file of an archive is all archive.
func archived(name string) (archive, entry string) {
	at := strings.Index(strings.ToLower(name), ".zip/")
	if at < 0 {
		return name, ""
	}
	archive, entry = name[:at+len(".zip")], name[at+len(".zip/"):]
	if info, err := os.Stat(archive); err != nil || !info.Mode().IsRegular() {
		return name, ""
	}
	return archive, entry
}

// InArchive are the files of a zip archive that ARCHIVE.zip/PATTERN names, each as ARCHIVE.zip/FILE. A pattern without a
// slash is of names in any folder. A name that is of no archive gives none.
func InArchive(name string) (files []string, err error) {
	archive, pattern := archived(name)
	if pattern == "" {
		return nil, nil
	}
	z, err := zip.OpenReader(archive)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", archive, err)
	}
	defer z.Close()
	for _, entry := range entries(&z.Reader, func(name string) bool {
		is := name == pattern
		if !is {
			is, err = path.Match(pattern, name)
		}
		if !is && err == nil && !strings.Contains(pattern, "/") {
			is, err = path.Match(pattern, path.Base(name))
		}
		return is
	}) {
		files = append(files, archive+"/"+entry.Name)
	}
	if files == nil {
		return nil, fmt.Errorf("%s: %w", name, cmp.Or(err, errors.New("no file of the archive is named so")))
	}
	slices.Sort(files)
	return files, nil
}

// counted reads the file anywhere, and counts.
type counted struct{ f *file }

// ReadAt reads the file at a place.
func (c counted) ReadAt(p []byte, at int64) (int, error) {
	n, err := c.f.f.ReadAt(p, at)
	c.f.passed += int64(n)
	return n, err
}

// UTF8Mark is the byte order mark, with which a file in UTF-8 may begin.
const UTF8Mark = "\xef\xbb\xbf"

// inUTF16 reports that a file that begins so is UTF-16.
func inUTF16(head []byte) bool {
	return bytes.HasPrefix(head, []byte("\xff\xfe")) || bytes.HasPrefix(head, []byte("\xfe\xff"))
}

// HeadBefore is the head of a file whose first row is given: where the bytes could be taken for those of a packed file,
// or of one in UTF-16, the mark of UTF-8 comes before them, unless
// the head begins with it. A mark that is the row's own is kept likewise.
func HeadBefore(head, row []byte) []byte {
	if bytes.HasPrefix(head, []byte(UTF8Mark)) {
		return head
	}
	begin := slices.Concat(head, row)
	packed := slices.ContainsFunc(packings, func(p packing) bool {
		return len(begin) >= p.at && bytes.HasPrefix(begin[p.at:], []byte(p.magic))
	})
	if packed || inUTF16(begin) || len(head) == 0 && bytes.HasPrefix(row, []byte(UTF8Mark)) {
		return slices.Concat([]byte(UTF8Mark), head)
	}
	return head
}

// decode puts what makes UTF-8 of the file in front of it: of what the first bytes say, else of the encoding that is
// named.
func (f *file) decode(named encoding.Encoding) {
	head, _ := f.reader.Peek(len(UTF8Mark))
	switch {
	case string(head) == UTF8Mark:
		named = nil
	case inUTF16(head):
		named = unicode.UTF16(unicode.LittleEndian, unicode.UseBOM)
	}
	if named != nil {
		f.reader = bufio.NewReaderSize(transform.NewReader(f.reader, named.NewDecoder()), 64<<10)
	}
}

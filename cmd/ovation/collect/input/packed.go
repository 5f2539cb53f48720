package input

import (
	"archive/zip"
	"bufio"
	"bytes"
	"cmp"
	"compress/bzip2"
	"compress/gzip"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/klauspost/compress/zstd"
	"github.com/ulikunitz/xz"
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
	{"xz", "\xfd7zXZ\x00", 0, unpackXZ},
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
			return fmt.Errorf("%s: %w", p.name, err)
		}
		f.packed = true
		f.reader = bufio.NewReaderSize(r, 256<<10)
	}
	return nil
}

// packing is the form of the file; nil: text.
func (f *file) packing() *packing {
	head, _ := f.reader.Peek(512)
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

// unpackXZ also looks at the end of the file, which the library does not miss where a block ends.
func unpackXZ(f *file) (io.Reader, error) {
	end := &xzEnd{from: f.reader}
	r, err := xz.NewReader(end)
	if err != nil {
		return nil, err
	}
	end.unpacked = r
	return end.checked(), nil
}

// xzEnd is the last bytes of an xz file: the footer of a stream, and any number of zeros after it.
type xzEnd struct {
	from     io.Reader
	unpacked io.Reader
	last     []byte // as many as a footer has
	zeros    int    // after them
}

// xzFooter is how long a footer is.
const xzFooter = 12

// Read reads the packed file.
func (e *xzEnd) Read(p []byte) (int, error) {
	n, err := e.from.Read(p)
	end := bytes.TrimRight(p[:n], "\x00")
	if len(end) > 0 {
		e.last = append(e.last, make([]byte, min(e.zeros, xzFooter))...)
		e.last = append(e.last, end[max(0, len(end)-xzFooter):]...)
		e.last = append(e.last[:0], e.last[max(0, len(e.last)-xzFooter):]...)
		e.zeros = 0
	}
	e.zeros += n - len(end)
	return n, err
}

// checked is what is unpacked, and an error at its end where the file is cut.
func (e *xzEnd) checked() io.Reader {
	return readerFunc(func(p []byte) (int, error) {
		n, err := e.unpacked.Read(p)
		if err == io.EOF && !e.whole() {
			err = io.ErrUnexpectedEOF
		}
		return n, err
	})
}

// whole reports that the file ends with a footer: the checksum of six bytes, these, and two letters.
func (e *xzEnd) whole() bool {
	_, _ = io.Copy(io.Discard, e) // what the library has not read
	return len(e.last) == xzFooter && string(e.last[10:]) == "YZ" &&
		crc32.ChecksumIEEE(e.last[4:10]) == binary.LittleEndian.Uint32(e.last)
}

// readerFunc reads by a function.
type readerFunc func([]byte) (int, error)

// Read reads.
func (f readerFunc) Read(p []byte) (int, error) { return f(p) }

// maxWindow is how far back a zstd file may refer, as by zstd --long=27.
const maxWindow = 128 << 20

func unpackZstd(f *file) (io.Reader, error) {
	d, err := zstd.NewReader(f.reader, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxWindow(maxWindow))
	if err != nil {
		return nil, err
	}
	f.onClose = d.Close
	return d, nil
}

// unpackZip is the named file in a zip archive, or the one that there is.
func unpackZip(f *file) (io.Reader, error) {
	if f.size == 0 {
		return nil, errors.New("an archive is read from its end: name the file, in place of standard input")
	}
	z, err := zip.NewReader(counted{f}, f.size)
	if err != nil {
		return nil, err
	}
	found := entries(z, func(name string) bool { return f.entry == "" || name == f.entry })
	switch {
	case len(found) != 1 && f.entry != "":
		return nil, fmt.Errorf("there is no one file %s in it", f.entry)
	case len(found) != 1:
		return nil, fmt.Errorf("there are %d files in it, not one: name some of them by a pattern, such as '%s/*.json'",
			len(found), filepath.Base(f.f.Name()))
	case found[0].Flags&1 != 0:
		return nil, errors.New("it is encrypted: unpack it")
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

// utf8Mark is how a file may begin that is UTF-8.
const utf8Mark = "\xef\xbb\xbf"

// decode puts what makes UTF-8 of the file in front of it: of what the first bytes say, else of the encoding that is
// named.
func (f *file) decode(named encoding.Encoding) {
	head, _ := f.reader.Peek(len(utf8Mark))
	switch {
	case string(head) == utf8Mark:
		named = nil
	case bytes.HasPrefix(head, []byte("\xff\xfe")) || bytes.HasPrefix(head, []byte("\xfe\xff")):
		named = unicode.UTF16(unicode.LittleEndian, unicode.UseBOM)
	}
	if named != nil {
		f.reader = bufio.NewReaderSize(transform.NewReader(f.reader, named.NewDecoder()), 64<<10)
	}
}

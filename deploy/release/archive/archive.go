package archive

import (
	"archive/tar"
	"bytes"
	"cmp"
	"compress/gzip"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// Entry is a file of an archive, or a directory: then its Name ends with a slash.
type Entry struct {
	Name  string
	Mode  int64
	Owner int // the number of the user and of its group
	Data  []byte
}

// Tar is the archive of entries, all of one time.
func Tar(at time.Time, entries ...Entry) ([]byte, error) {
	var out bytes.Buffer
	w := tar.NewWriter(&out)
	sorted := slices.SortedFunc(slices.Values(entries), func(a, b Entry) int { return cmp.Compare(a.Name, b.Name) })
	for _, e := range sorted {
		h := tar.Header{Name: e.Name, Mode: e.Mode, Uid: e.Owner, Gid: e.Owner, Size: int64(len(e.Data)), ModTime: at, Typeflag: tar.TypeReg}
		if strings.HasSuffix(e.Name, "/") {
			h.Typeflag = tar.TypeDir
		}
		if err := w.WriteHeader(&h); err != nil {
			return nil, err
		}
		if _, err := w.Write(e.Data); err != nil {
			return nil, err
		}
	}
	err := w.Close()
	return out.Bytes(), err
}

// TarGz is Tar, packed.
func TarGz(at time.Time, entries ...Entry) ([]byte, error) {
	text, err := Tar(at, entries...)
	if err != nil {
		return nil, err
	}
	var out bytes.Buffer
	w, err := gzip.NewWriterLevel(&out, gzip.BestCompression)
	if err != nil {
		return nil, err
	}
	if _, err := w.Write(text); err != nil {
		return nil, err
	}
	err = w.Close()
	return out.Bytes(), err
}

// Files are the regular files below a directory, as entries below a name; those that may be run keep that.
func Files(dir, below string) (all []Entry, err error) {
	err = filepath.WalkDir(dir, func(name string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() {
			return err
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(dir, name)
		if err != nil {
			return err
		}
		data, err := os.ReadFile(name)
		all = append(all, Entry{Name: path.Join(below, filepath.ToSlash(rel)), Mode: modeOf(info), Data: data})
		return err
	})
	return all, err
}

// modeOf is 0755 of what its owner may run, else 0644.
func modeOf(info fs.FileInfo) int64 {
	if info.Mode()&0o100 != 0 {
		return 0o755
	}
	return 0o644
}

package mappings

import (
	"embed"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"slices"
	"strings"

	"github.com/ovation-analytics/ovation/cmd/ovation/collect/input"
)

//go:embed *.yaml
var files embed.FS

// Ready is a mapping that is ready to use.
type Ready struct {
	Name  string
	About string // what the file is
	Text  []byte // the mapping file
}

// All are the mappings, by name.
func All() []Ready {
	entries, _ := fs.ReadDir(files, ".") // of an embedded folder: cannot fail
	list := make([]Ready, len(entries))
	for i, e := range entries {
		text, _ := files.ReadFile(e.Name())
		about, _, _ := strings.Cut(string(text), "\n")
		list[i] = Ready{strings.TrimSuffix(e.Name(), ".yaml"), strings.TrimPrefix(about, "# "), text}
	}
	return list
}

// Find is the mapping of a name.
func Find(name string) (Ready, error) {
	all := All()
	i := slices.IndexFunc(all, func(r Ready) bool { return r.Name == name })
	if i < 0 {
		return Ready{}, fmt.Errorf("there is no mapping %q; there are %s", name, strings.Join(namesOf(all), ", "))
	}
	return all[i], nil
}

func namesOf(list []Ready) []string {
	names := make([]string, len(list))
	for i := range list {
		names[i] = list[i].Name
	}
	return names
}

// guessed is how many rows of a file are read to guess its mapping.
const guessed = 200

// Guess is the mapping that fits the first rows of a file: of those that map most of the rows that they do not
// pass over, the one that maps the most.
func Guess(path string) (Ready, error) {
	var best []Ready
	rows := 0
	for _, r := range All() {
		n, err := r.fits(path)
		switch {
		case err != nil:
			return Ready{}, err
		case n == 0 || n < rows:
		case n > rows:
			best, rows = []Ready{r}, n
		default:
			best = append(best, r)
		}
	}
	switch len(best) {
	case 1:
		return best[0], nil
	case 0:
		return Ready{}, fmt.Errorf("%s: no ready mapping fits its rows: write a mapping, or name one of %s by --as", path, strings.Join(namesOf(All()), ", "))
	}
	return Ready{}, fmt.Errorf("%s: its rows fit %s: name one of them by --as", path, strings.Join(namesOf(best), " and "))
}

// fits is how many of the first rows are mapped; 0: too few. An error is one of reading the file at all.
func (r Ready) fits(path string) (rows int, err error) {
	m, err := input.ParseMapping(r.Text)
	if err != nil {
		return 0, err
	}
	if m.Member.Given {
		if err := m.SetMember("spotify:guess"); err != nil {
			return 0, err
		}
	}
	s, err := input.OpenFile(m, path, func(string, int64, error) {})
	if err != nil {
		if _, isPath := errors.AsType[*fs.PathError](err); isPath {
			return 0, err
		}
		return 0, nil // another format
	}
	defer s.Close()
	bad := 0
	for rows+bad < guessed {
		row, err := s.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return 0, nil
		}
		if row.Err != nil {
			bad++
		} else {
			rows++
		}
	}
	if bad > rows/4 {
		return 0, nil
	}
	return rows, nil
}

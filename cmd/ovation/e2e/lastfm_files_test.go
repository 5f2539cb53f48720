package e2e

import (
	"bufio"
	"compress/gzip"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/ovation-analytics/ovation/actors/domain"
)

// lastfm is the lastfm-2k set (HetRec 2011): who tagged which artist with what, on
// which day.
type lastfm struct {
	users    []int          // in order of appearance
	artists  []artist       // of the list, then those that only taggings name
	byArtist map[int]int32  // artist's id → index in artists
	byUser   map[int]int32  // user's id → index in users
	tags     map[int]string // tag's id → what it says
	taggings []tagging
}

type artist struct {
	id   int
	name string
}

// tagging is a row: user and artist are indexes, at is the day's first second.
type tagging struct {
	user, artist int32
	tag          int
	at           int64
}

// lastfmFolder finds the set beside the project, or where LASTFM_2K says.
func lastfmFolder(t testing.TB) string {
	t.Helper()
	if dir := os.Getenv("LASTFM_2K"); dir != "" {
		return dir
	}
	for _, pattern := range []string{"*/data/lastfm-2k", "*/*/data/lastfm-2k"} {
		found, err := filepath.Glob(filepath.Join("..", "..", "..", "..", pattern))
		if err != nil {
			t.Fatal(err)
		}
		if len(found) > 0 {
			return found[0]
		}
	}
	t.Skip("the lastfm-2k set is not here: no folder data/lastfm-2k beside the project, and LASTFM_2K is not set")
	return ""
}

func readLastfm(t testing.TB) *lastfm {
	t.Helper()
	dir := lastfmFolder(t)
	l := &lastfm{byArtist: map[int]int32{}, byUser: map[int]int32{}, tags: map[int]string{}}
	l.rows(t, dir, "artists.dat.gz", 2, func(f []string) { l.artist(atoi(t, f[0]), strings.ToValidUTF8(f[1], "?")) })
	l.rows(t, dir, "tags.dat.gz", 2, func(f []string) { l.tags[atoi(t, f[0])] = latin1(f[1]) })
	l.rows(t, dir, "user_taggedartists.dat.gz", 6, func(f []string) {
		n := make([]int, 6)
		for i := range n {
			n[i] = atoi(t, f[i])
		}
		user, known := l.byUser[n[0]]
		if !known {
			user = int32(len(l.users))
			l.users = append(l.users, n[0])
			l.byUser[n[0]] = user
		}
		at := time.Date(n[5], time.Month(n[4]), n[3], 0, 0, 0, 0, time.UTC)
		l.taggings = append(l.taggings, tagging{user, l.artist(n[1], fmt.Sprint("artist ", n[1])), n[2], at.Unix()})
	})
	return l
}

// artist is the index of an artist, who gets the name if there was none.
func (l *lastfm) artist(id int, name string) int32 {
	i, known := l.byArtist[id]
	if !known {
		i = int32(len(l.artists))
		l.artists = append(l.artists, artist{id, name})
		l.byArtist[id] = i
	}
	return i
}

// rows calls f with the columns of every row but the line that names them.
func (l *lastfm) rows(t testing.TB, dir, name string, columns int, f func([]string)) {
	t.Helper()
	file, err := os.Open(filepath.Join(dir, name))
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	z, err := gzip.NewReader(file)
	if err != nil {
		t.Fatal(err)
	}
	for s := bufio.NewScanner(z); ; {
		if !s.Scan() {
			if s.Err() != nil {
				t.Fatal(s.Err())
			}
			return
		}
		cells := strings.Split(s.Text(), "\t")
		if len(cells) < columns {
			t.Fatalf("%s: a row of %d columns", name, len(cells))
		}
		if c := cells[0][0]; '0' <= c && c <= '9' {
			f(cells)
		}
	}
}

func atoi(t testing.TB, s string) int {
	t.Helper()
	n, err := strconv.Atoi(s)
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// latin1 is a text of ISO 8859-1 in UTF-8.
func latin1(s string) string {
	out := make([]rune, 0, len(s))
	for _, b := range []byte(s) {
		out = append(out, rune(b))
	}
	return string(out)
}

// second spreads the taggings of a day over it, so that a range to the second separates
// them; the same row has always the same.
func (g *tagging) second(row int) int64 { return g.at + int64(row*7919%86400) }

// definition says which of lastfmDefinitions a tagging is: it hangs on the tag.
func (g *tagging) definition() int32 {
	switch {
	case g.tag%7 == 0:
		return 2
	case g.tag%3 == 1:
		return 1
	}
	return 0
}

var lastfmDefinitions = []definition{
	{name: "tagged {brand}", kind: "Social", service: domain.LastFM, value: 1, brand: -1},
	{name: "described {brand}", kind: "Listened", service: domain.Custom, value: 2, brand: -1},
	{name: "has a favourite: {brand}", kind: "social", service: domain.YouTube, value: 10, brand: -1, oneTime: true},
}

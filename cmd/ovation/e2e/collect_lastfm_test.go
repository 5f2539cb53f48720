package e2e

import (
	"crypto/sha256"
	"fmt"
	"math/big"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/ovation-analytics/ovation/actors/domain"
)

// The mapping files of the lastfm-2k set, as definitions of the model: which tags mean
// more than a tagging.
var (
	collectedDefinitions = []definition{
		{name: "tagged {brand}", kind: "Social", service: domain.LastFM, value: 2, brand: -1},
		{name: "saw {brand} live", kind: "Visited", service: domain.Custom, value: 20, brand: -1},
		{name: "has a favourite in {brand}", kind: "Social", service: domain.LastFM, value: 10, brand: -1, oneTime: true},
		{name: "listened to {brand}", kind: "Listened", service: domain.LastFM, value: 1, brand: -1},
	}
	collectedSegments = []segment{
		{name: "Taggers", definitions: []int32{0, 2}, brand: everyBrand},
		{name: "Concerts", definitions: []int32{1, 3}, own: map[int32]int{1: 1000}, brand: everyBrand},
		{name: "Collectors", definitions: []int32{0, 1, 2}, brand: everyBrand, rule: true, least: 100},
		{name: "Then", definitions: []int32{0, 3}, own: map[int32]int{3: 0}, brand: everyBrand, rule: true, least: 20, period: amount{16, "Year"}},
	}
	favouriteTags = []string{"favorites", "favourites", "favourite", "favorite", "my favorites", "love"}
)

func taggingDefinition(tag string) int32 {
	switch {
	case tag == "seen live":
		return 1
	case slices.Contains(favouriteTags, tag):
		return 2
	}
	return 0
}

// listen is a row of the set's other file: user and artist are indexes.
type listen struct {
	user, artist int32
	count        int64
}

// readListens reads it; users and artists that no tagging has come after the others.
func (l *lastfm) readListens(t testing.TB, dir string) (rows []listen) {
	l.rows(t, dir, "user_artists.dat.gz", 3, func(f []string) {
		number := atoi(t, f[0])
		user, known := l.byUser[number]
		if !known {
			user = int32(len(l.users))
			l.users = append(l.users, number)
			l.byUser[number] = user
		}
		artist := atoi(t, f[1])
		rows = append(rows, listen{user, l.artist(artist, fmt.Sprint("Artist ", artist)), int64(atoi(t, f[2]))})
	})
	return rows
}

// spreadListens makes actions of the listens, total in all: the first n listens of the file
// give ⌊n·total/sum⌋ of them, each at a time that hangs on its name.
func spreadListens(rows []listen, total int64, f func(row int, k int64, at int64)) {
	sum := int64(0)
	for _, r := range rows {
		sum += r.count
	}
	upTo := func(n int64) int64 {
		v := new(big.Int).Mul(big.NewInt(n), big.NewInt(total))
		return v.Div(v, big.NewInt(sum)).Int64()
	}
	from := time.Date(2010, 1, 1, 0, 0, 0, 0, time.UTC).Unix()
	year := big.NewInt(365 * day)
	before := int64(0)
	for i, r := range rows {
		for k := range upTo(before+r.count) - upTo(before) {
			hash := sha256.Sum256(fmt.Appendf(nil, "2011/user_artists.dat:%d-%d", i+2, k+1))
			h := new(big.Int).SetBytes(hash[:8])
			f(i, k+1, from+h.Mod(h, year).Int64())
		}
		before += r.count
	}
}

// collectedPeople is the set as the mapping files make it, with so many listens.
func (l *lastfm) collectedPeople(t testing.TB, rnd *rand.Rand, dir string, total int64) (p *model, bad int) {
	listens := l.readListens(t, dir)
	p = l.model(rnd)
	p.name, p.definitions = "lastfm collected", collectedDefinitions
	for i, g := range l.taggings {
		a := act{id: fmt.Sprint("tagging ", i), at: g.at, fan: g.user, definition: taggingDefinition(l.tags[g.tag]), brand: g.artist}
		if a.at < int64(domain.FirstSecond) {
			bad++
			continue
		}
		p.note(a)
	}
	spreadListens(listens, total, func(row int, k, at int64) {
		r := listens[row]
		p.note(act{id: fmt.Sprintf("listen %d-%d", row, k), at: at, fan: r.user, definition: 3, brand: r.artist})
	})
	return p, bad
}

// TestCollect_LastFMMatchesItsFiles publishes the lastfm-2k set by ovation
// collect and the mapping files of the repository, and asks random questions of every
// kind: every answer equals a recount of the files, which shares no code with the
// collector.
func TestCollect_LastFMMatchesItsFiles(t *testing.T) {
	t.Parallel()
	onEitherLog(t, questionsOverLastFM)
}

func questionsOverLastFM(t *testing.T, on site) {
	const seed = 2011
	questions, listens := randomQuestions(on), int64(200_000-186_479)
	if full {
		listens = 1_000_000
	}
	rnd := rand.New(rand.NewPCG(seed, 2))
	dir := lastfmFolder(t)
	if absolute, err := filepath.Abs(dir); err == nil {
		dir = absolute
	}
	l := readLastfm(t)
	p, bad := l.collectedPeople(t, rnd, dir, listens)
	n := on.start(t)
	number, key := n.account(p.name)
	account, folder := domain.AccountID(number), t.TempDir()
	for _, c := range []struct {
		mapping, input, says string
		code                 int
	}{
		{"taggings.yaml", "user_taggedartists.dat.gz", fmt.Sprintf("%d bad rows", bad), 3},
		{"listens.yaml", "user_artists.dat.gz", "actions published from 92,834 rows", 0},
	} {
		t0 := time.Now()
		mapping := lastfmMapping(t, folder, c.mapping, listens)
		said := startCollect(n, folder, key, account, "--rejects", "rejects", mapping, filepath.Join(dir, c.input)).ends(c.code)
		t.Logf("%5.1f s  %s: %s", time.Since(t0).Seconds(), c.mapping, strings.TrimSpace(said))
		if !strings.Contains(said, c.says) {
			t.Errorf("%s: want %q", c.mapping, c.says)
		}
	}
	if got := published(t, folder); got != int64(len(p.acts)) {
		t.Fatalf("%d actions published, the files have %d", got, len(p.acts))
	}
	n.settled(int64(len(p.acts)))
	requireServing(n)
	p.complete(n)
	named := map[string]int32{}
	for i, a := range l.artists {
		named[fmt.Sprint("lastfm-", a.id)] = int32(i)
	}
	p.meet(n, account, key, "Slug", named)
	p.known()
	p.segments = collectedSegments
	for i := range p.fans {
		if i%8 == 0 {
			p.fans[i].optsIn, p.fans[i].optsOut = optIns(rnd)
		}
	}
	p.optIn(t, p.api(n), 16)
	years := span{time.Date(2003, 1, 1, 0, 0, 0, 0, time.UTC).Unix(), time.Date(2011, 12, 31, 0, 0, 0, 0, time.UTC).Unix()}
	p.askAll(t, seed, p.api(n), rnd, years, questions)
}

// lastfmMapping is a mapping file of the repository, with so many listens.
func lastfmMapping(t testing.TB, folder, name string, listens int64) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("..", "collect", "lastfm", name))
	if err != nil {
		t.Fatal(err)
	}
	const million = "total: 1000000"
	if strings.Contains(name, "listens") && !strings.Contains(string(text), million) {
		t.Fatalf("%s does not say %q", name, million)
	}
	path := filepath.Join(folder, name)
	if err := os.WriteFile(path, []byte(strings.Replace(string(text), million, fmt.Sprint("total: ", listens), 1)), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

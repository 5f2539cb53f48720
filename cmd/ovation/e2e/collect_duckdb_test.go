package e2e

import (
	"encoding/json"
	"fmt"
	"io"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/api/client"
)

// TestCollect_LastFMRecountedByDuckDB imports listeners, artists, taggings and listens by the mappings of the
// repository, exports all actions, and has DuckDB count files and export: every tagging on its day, with its tag, every
// listener's listens to an artist, every artist's name, and the totals of the API, are what the files say. The sample is
// made up, and has what is awkward in the set: names that differ in case, punctuation or the form of Unicode, artists of
// no list, tags in Latin-1, days before 2000.
func TestCollect_LastFMRecountedByDuckDB(t *testing.T) {
	t.Parallel()
	requireDuckDB(t)
	t.Run("sample", func(t *testing.T) {
		t.Parallel()
		recountByDuckDB(t, filepath.Join("testdata", "lastfm"), "", 4_000)
	})
	t.Run("lastfm-2k", func(t *testing.T) {
		t.Parallel()
		if !full {
			t.Skip("the whole set is recounted by DuckDB with -tags=full: TestCollect_LastFMMatchesItsFiles does it by Go")
		}
		recountByDuckDB(t, lastfmFolder(t), ".gz", 1_000_000)
	})
}

// recountByDuckDB imports the set of a folder, with so many listens, and compares.
func recountByDuckDB(t *testing.T, dir, packed string, listens int64) {
	dir, err := filepath.Abs(dir)
	if err != nil {
		t.Fatal(err)
	}
	n := embedded.start(t)
	number, key := n.account("lastfm")
	api, folder := n.api(key), t.TempDir()
	for mapping, file := range map[string]string{"taggings.yaml": "user_taggedartists.dat", "listens.yaml": "user_artists.dat"} {
		code := 0
		if mapping == "taggings.yaml" {
			code = 3 // of the days before 2000
		}
		path := lastfmMapping(t, folder, mapping, listens)
		startCollect(n, folder, key, domain.AccountID(number), "--rejects", "rejects", path, filepath.Join(dir, file+packed)).ends(code)
	}
	n.settled(published(t, folder))
	startExport(n, folder, key, "actions", "--format", "parquet", "--personal").must()
	brands := writeBrands(t, api, folder)
	file := func(name string, columns ...string) string {
		return lastfmRows(filepath.Join(dir, name+packed), name == "tags.dat", columns)
	}
	views := []string{
		"CREATE TABLE artists AS " + file("artists.dat", "artist", "name", "url", "picture"),
		"CREATE TABLE tags AS " + file("tags.dat", "tag", "word"),
		"CREATE TABLE taggings AS SELECT fan, artist, make_date(year::INT, month::INT, day::INT) AS day, word," +
			" CASE WHEN word = 'seen live' THEN 'saw' WHEN word IN (" + quotedList(favouriteTags) + ") THEN 'favourite' ELSE 'tagged' END AS kind" +
			" FROM (" + file("user_taggedartists.dat", "fan", "artist", "tag", "day", "month", "year") + ") JOIN tags USING (tag)",
		"CREATE TABLE listens AS " + strings.Replace(file("user_artists.dat", "fan", "artist", "weight"), "SELECT ", "SELECT row_number() OVER () AS line, ", 1),
		// A listener's share of the listens: of the first so many of the file, less those before.
		fmt.Sprintf("CREATE TABLE shares AS SELECT fan, artist, (upto * %[1]d) // total - ((upto - weight) * %[1]d) // total AS n FROM"+
			" (SELECT fan, artist, weight::HUGEINT AS weight, sum(weight::BIGINT) OVER (ORDER BY line) AS upto,"+
			" sum(weight::BIGINT) OVER () AS total FROM listens)", listens),
		// What is done once counts at its first time.
		"CREATE TABLE expected AS SELECT fan, artist, kind, day, word, count(*) AS n FROM taggings WHERE day >= '2000-01-01' AND kind <> 'favourite' GROUP BY ALL" +
			" UNION ALL SELECT fan, artist, kind, min(day), NULL, 1 FROM taggings WHERE day >= '2000-01-01' AND kind = 'favourite' GROUP BY fan, artist, kind" +
			" UNION ALL SELECT fan, artist, 'listened', NULL, NULL, n FROM shares WHERE n > 0",
		"CREATE TABLE actions AS SELECT a.*, substr(b.Slug, length('lastfm-') + 1) AS artist FROM read_parquet(" +
			quoted(filepath.Join(folder, "actions-*.parquet")) + ") a JOIN read_json(" + quoted(brands) + ") b ON a.BrandID = b.ID",
		// What was done elsewhere than at last.fm has no id of last.fm.
		"CREATE TABLE fans AS SELECT MemberID, max(ServiceUserID) AS fan FROM actions GROUP BY MemberID",
		"CREATE TABLE stored AS SELECT fan, artist," +
			" CASE (ActivityType, ServiceType, Value) WHEN ('Social', 'lastfm', 2) THEN 'tagged' WHEN ('Visited', 'custom', 20) THEN 'saw'" +
			" WHEN ('Social', 'lastfm', 10) THEN 'favourite' WHEN ('Listened', 'lastfm', 1) THEN 'listened' END AS kind," +
			" CASE WHEN kind <> 'listened' THEN CompleteDate::DATE END AS day," +
			" CASE WHEN kind IN ('tagged', 'saw') THEN Content->>'$.Tag' END AS word, count(*) AS n FROM fans JOIN actions USING (MemberID) GROUP BY ALL",
	}
	ask := func(sql string) [][]*string { return askDuckDB(t, append(views, sql)...) }
	for what, sql := range map[string]string{
		"lost":                "FROM expected EXCEPT FROM stored",
		"made up":             "FROM stored EXCEPT FROM expected",
		"twice":               "SELECT ID, count(*) FROM actions GROUP BY ID HAVING count(*) > 1",
		"out of the year":     "FROM actions WHERE ActivityType = 'Listened' AND year(CompleteDate) <> 2010",
		"of another name":     "SELECT DISTINCT artist, BrandName FROM actions LEFT JOIN artists USING (artist) WHERE BrandName IS DISTINCT FROM nfc_normalize(coalesce(artists.name, 'Artist ' || artist))",
		"without their brand": "SELECT DISTINCT Name FROM actions WHERE NOT contains(Name, BrandName)",
		"artists not there": "SELECT artist FROM expected WHERE artist NOT IN (SELECT substr(Slug, length('lastfm-') + 1) FROM read_json(" +
			quoted(brands) + ", columns = {Slug: 'VARCHAR'}))",
	} {
		rows := ask(sql)
		for _, row := range rows[:min(5, len(rows))] {
			t.Errorf("%s, 1 of %d: %s", what, len(rows), inWords(row))
		}
	}
	var of []string
	for _, row := range ask("SELECT strftime(CompleteDate, '%Y-%m-%d'), count(*), count(DISTINCT MemberID) FROM actions GROUP BY 1 ORDER BY 1") {
		of = append(of, inWords(row))
	}
	var days []string
	for year := 2000; year <= time.Now().UTC().Year(); year++ {
		daily, _, err := client.Do(ctx(t), api, client.CountDaily{
			StartDate: fmt.Sprintf("%d-01-01", year), EndDate: fmt.Sprintf("%d-12-31", year), IncludeOneTime: true,
		})
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range daily.Items {
			if d.Count != "0" {
				days = append(days, fmt.Sprintf("%s | %s | %s", d.Date, d.Count, d.DistinctMembers))
			}
		}
	}
	if d := cmp.Diff(of, days); d != "" {
		t.Errorf("by days:\n%s", d)
	}
	sums := inWords(ask("SELECT sum(n), (SELECT count(DISTINCT fan) FROM expected) FROM expected")[0])
	t.Logf("actions and listeners: %s", sums)
}

// lastfmRows reads the rows of a file of the set: a line that does not begin with a number names the columns.
func lastfmRows(path string, latin1 bool, columns []string) string {
	encoding := "utf-8"
	if latin1 {
		encoding = "latin-1"
	}
	return fmt.Sprintf("SELECT * FROM read_csv(%s, delim = '\t', quote = '', escape = '', header = false, auto_detect = false, strict_mode = false,"+
		" encoding = '%s', columns = {%s: 'VARCHAR'}) WHERE regexp_full_match(%s, '[0-9]+')",
		quoted(path), encoding, strings.Join(columns, ": 'VARCHAR', "), columns[0])
}

func quotedList(list []string) string {
	var all []string
	for _, s := range list {
		all = append(all, quoted(s))
	}
	return strings.Join(all, ", ")
}

// writeBrands writes the brands of an account to a file.
func writeBrands(t testing.TB, api *client.Client, folder string) (path string) {
	t.Helper()
	return write(t, folder, "brands.ndjson", func(w io.Writer) {
		const page = 1000
		for from, more := 0, true; more; from += page {
			list, _, err := client.Do(ctx(t), api, client.ListBrands{Limit: fmt.Sprintf("%d,%d", from, page)})
			if err != nil {
				t.Fatal(err)
			}
			for _, b := range list.Items {
				if err := json.NewEncoder(w).Encode(map[string]any{"ID": b.ID, "Slug": b.Fields["Slug"]}); err != nil {
					t.Fatal(err)
				}
			}
			more = len(list.Items) == page
		}
	})
}

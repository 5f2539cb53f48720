package peers

import (
	"context"
	"encoding/csv"
	"encoding/json"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/ovation-analytics/ovation/actors/domain"
)

const testShards = 8

// someScene is small; its brands and members have ids in another order than the scene's.
func someScene(seed uint64) *Scene {
	c := NewScene(Sizes{Rows: 10_000, Members: 400, Brands: 60, Seed: seed}, 20_700*86400+45_000)
	c.Account = 7
	for i := range c.Members {
		n := len(c.Members) - 1 - i
		c.Members[i].ID = domain.MemberIDOf(uint64(1+n/domain.Slots), domain.Slot(n*2654435761%domain.Slots))
	}
	for i := range c.Brands {
		c.Brands[i] = domain.BrandID(len(c.Brands) - i)
	}
	for i := range c.Definitions {
		c.Definitions[i].ID = domain.FirstDefinition + domain.DefinitionID(i)
	}
	c.Index()
	return c
}

// someQuestions are all that can be asked.
func someQuestions() (out []Question) {
	shapes := []domain.Shape{
		domain.ShapeTally, domain.ShapeTimeline, domain.ShapeLocation, domain.ShapeLeaders, domain.ShapeCrossover, domain.ShapeFeed,
	}
	for _, shape := range shapes {
		for _, brand := range []int{0, 3, 55, Everywhere} {
			for _, days := range []int{7, 180} {
				for _, f := range []Filter{Unfiltered, ByService, ByMember} {
					out = append(out, Question{Shape: shape, Brand: brand, Days: days, Filter: f})
					if shape == domain.ShapeFeed {
						out = append(out, Question{Shape: shape, Brand: brand, Days: days, Filter: f, Every: true})
					}
				}
			}
		}
	}
	return out
}

func TestEngine_AnswersAsTheModel(t *testing.T) {
	for seed := range uint64(3) {
		c := someScene(seed)
		g, err := NewEngine(c, testShards, 2)
		if err != nil {
			t.Fatal(err)
		}
		n, counted := newNaive(c, testShards), int64(0)
		for _, q := range someQuestions() {
			got, _, err := g.Answers(&q)
			if err != nil {
				t.Fatal(err)
			}
			want := n.answer(&q)
			if d := got.Differs(want); d != "" {
				t.Errorf("seed %d, %s, brand %d: %s", seed, q.Name(), q.Brand, d)
			}
			counted += want.Rows(q.Shape)
		}
		if counted == 0 {
			t.Error("nothing was counted")
		}
		g.Close()
	}
}

// TestPeers_AnswerAsTheModel needs the other engines' packages where a run of
// the bench has put them.
func TestPeers_AnswerAsTheModel(t *testing.T) {
	cache, err := os.UserCacheDir()
	if err != nil {
		t.Skip("no directory for the other engines:", err)
	}
	packages := filepath.Join(cache, "ovation-bench", "peers")
	if !installed(packages) {
		t.Skip("the other engines are not installed: go run ./deploy/bench --only peers --quick")
	}
	c, dir := someScene(1), t.TempDir()
	file := filepath.Join(dir, "rows.csv")
	if err := c.WriteCSV(file, testShards); err != nil {
		t.Fatal(err)
	}
	var questions []Question
	for _, q := range someQuestions() { // some of many rows, and some of hardly any
		if q.Filter != ByService && (q.Brand == 3 || q.Brand == Everywhere) && q.Days == 180 || q.Filter == ByService && q.Brand == 55 && q.Days == 7 {
			questions = append(questions, q)
		}
	}
	for _, word := range []string{Frequent, Rare, "ARTIST 3", "nothing"} {
		questions = append(questions, Question{Shape: domain.ShapeFeed, Days: 180, Keyword: strings.ToLower(word), Every: true},
			Question{Shape: domain.ShapeFeed, Days: 180, Keyword: strings.ToLower(word), Brand: Everywhere})
	}
	n := newNaive(c, testShards)
	for _, name := range []string{NameDuckDB, NameClickHouse} {
		s, err := Start(context.Background(), name, "python3", packages, dir, 2)
		if err != nil {
			t.Fatal(err)
		}
		if err := s.Load(file); err != nil {
			t.Fatal(err)
		}
		for _, q := range questions {
			runs, err := s.Ask(c, &q, 0, 1)
			if err != nil {
				t.Fatal(err)
			}
			want := n.answer(&q)
			for _, r := range runs {
				if d := r.Answer.Differs(want); d != "" || len(r.Millis) != 1 {
					t.Errorf("%s, %s, brand %d: %s\n%s", name, q.Name(), q.Brand, d, r.Form.SQL)
				}
			}
		}
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	}
}

func TestScene_SameSeedSameRows(t *testing.T) {
	a, b := someScene(5), someScene(5)
	if d := cmp.Diff(a.Rows, b.Rows); d != "" {
		t.Error(d)
	}
	if cmp.Equal(a.Rows, someScene(6).Rows) {
		t.Error("two seeds gave the same")
	}
}

func TestScene_HotBrandAndLateRows(t *testing.T) {
	c := someScene(1)
	hot, late, last := 0, 0, domain.Second(0)
	for i := range c.Rows {
		r := &c.Rows[i]
		if r.Time >= c.End || r.Time < c.End-Days*86400 {
			t.Fatalf("row %d is of %d, the scene ends at %d", i, r.Time, c.End)
		}
		if r.Brand == 0 {
			hot++
		}
		if r.Time < last {
			late++
		}
		last = max(last, r.Time)
	}
	if share := float64(hot) / float64(len(c.Rows)); share < 0.17 || share > 0.19 {
		t.Errorf("the first brand has %.3f", share)
	}
	if share := float64(late) / float64(len(c.Rows)); share < 0.01 || share > 0.06 {
		t.Errorf("%.3f of the rows come late", share)
	}
}

func TestScene_Number(t *testing.T) {
	c := someScene(1)
	last := domain.MemberID(0)
	for n, i := range c.byID {
		id := c.Members[i].ID
		if id <= last || c.Number(id) != int64(n) {
			t.Fatalf("member %d after %d has number %d, want %d", id, last, c.Number(id), n)
		}
		last = id
	}
	if n := c.Number(last + 1); n != -1 {
		t.Errorf("a stranger has number %d", n)
	}
}

func TestTitles_Keywords(t *testing.T) {
	frequent, rare := 0, 0
	for i := range titles {
		text := strings.ToLower(titles[i])
		if strings.Contains(text, Frequent) {
			frequent++
		}
		if strings.Contains(text, Rare) {
			rare++
		}
	}
	if frequent < Songs/12-1 || frequent > Songs/12+1 || rare != 1 {
		t.Errorf("%d songs have the frequent word, %d the rare one", frequent, rare)
	}
}

func TestRow_TextIsTheValuesOfTheContent(t *testing.T) {
	c := someScene(1)
	c.Rows[0] = Row{Song: 5, Brand: 17}
	_, message := c.Message(c.Activity(0))
	var record struct {
		Content struct{ TrackName, TrackArtist, ISRC string }
	}
	if err := json.Unmarshal(message.Value, &record); err != nil {
		t.Fatal(err)
	}
	content := record.Content
	want := content.TrackName + " " + content.TrackArtist + " " + content.ISRC
	if got := string(c.Rows[0].text(nil)); got != want || !strings.HasSuffix(content.TrackName, " Lanterns") {
		t.Errorf("%q, want %q", got, want)
	}
}

func TestScene_WriteCSV(t *testing.T) {
	c, path := someScene(2), filepath.Join(t.TempDir(), "rows.csv")
	if err := c.WriteCSV(path, testShards); err != nil {
		t.Fatal(err)
	}
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	rows, err := csv.NewReader(f).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	if len(rows) != len(c.Rows) || len(rows[0]) != len(columns) {
		t.Fatalf("%d rows of %d columns", len(rows), len(rows[0]))
	}
	seen := map[string]bool{}
	for i, row := range rows {
		r := &c.Rows[i]
		p := &c.Members[r.Member]
		member, _ := strconv.ParseInt(row[2], 10, 64)
		id, _ := strconv.ParseUint(row[8], 10, 64)
		if row[0] != strconv.Itoa(int(c.Brands[r.Brand])) || member != c.Number(p.ID) || domain.Slot(id&4095) != p.ID.Slot() || (row[7] == "1") != p.Paid || seen[row[8]] {
			t.Fatalf("row %d is %v of %+v", i, row, p)
		}
		seen[row[8]] = true
	}
}

func TestAnswer_Differs(t *testing.T) {
	a := Answer{{1, 2}, {3, 4}}
	for _, c := range []struct {
		b    Answer
		says string
	}{
		{Answer{{1, 2}, {3, 4}}, ""},
		{Answer{{1, 2}, {3, 5}}, "row 1 is [3 4]"},
		{Answer{{1, 2}}, "the other has none"},
		{Answer{{1, 2}, {3, 4}, {5, 6}}, "row 2 is missing"},
	} {
		if got := a.Differs(c.b); (got == "") != (c.says == "") || !strings.Contains(got, c.says) {
			t.Errorf("%v: %q, want %q", c.b, got, c.says)
		}
	}
}

// TestServer_Fails has a shell script instead of Python.
func TestServer_Fails(t *testing.T) {
	dir := t.TempDir()
	script := filepath.Join(dir, "python")
	text := "#!/bin/sh\n" + `echo '{"version": "Paper 1"}'
read line; echo '{}'
read line; echo '{"ms": [1, 2], "rows": [[[0, 5, 3], [100, 5, 3]]]}'
read line; echo '{"error": "no such table"}'
`
	if err := os.WriteFile(script, []byte(text), 0o755); err != nil {
		t.Fatal(err)
	}
	s, err := Start(context.Background(), NameDuckDB, script, dir, dir, 2)
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Load("rows.csv"); err != nil || s.Version != "Paper 1" {
		t.Fatalf("%q, %v", s.Version, err)
	}
	f := Form{[]string{"SELECT"}, asTally}
	if r, err := s.Run(&f, 0, 2); err != nil || r.Answer.Differs(Answer{{0, 5, 3}, {100, 5, 3}}) != "" || len(r.Millis) != 2 {
		t.Errorf("%+v, %v", r, err)
	}
	if _, err := s.Run(&f, 0, 2); err == nil || !strings.Contains(err.Error(), "no such table") {
		t.Errorf("%v", err)
	}
	if _, err := s.Run(&f, 0, 2); err == nil || !strings.Contains(err.Error(), "the peer ended") {
		t.Errorf("%v", err)
	}
	_ = s.Close()
}

func TestInstall(t *testing.T) {
	dir := t.TempDir()
	script := filepath.Join(dir, "python")
	if err := os.WriteFile(script, []byte("#!/bin/sh\necho no way to the index\nexit 1\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	packages := filepath.Join(dir, "packages")
	if err := Install(context.Background(), script, packages); err == nil || !strings.Contains(err.Error(), "no way to the index") || installed(packages) {
		t.Errorf("%v, installed: %v", err, installed(packages))
	}
	if err := os.WriteFile(script, []byte("#!/bin/sh\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := Install(context.Background(), script, packages); err != nil || !installed(packages) {
		t.Errorf("%v, installed: %v", err, installed(packages))
	}
}

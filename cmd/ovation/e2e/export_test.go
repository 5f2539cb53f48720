package e2e

import (
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/parquet-go/parquet-go"
	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/api/client"
	"github.com/ovation-analytics/ovation/api/wire"
	"github.com/ovation-analytics/ovation/cmd/ovation/export"
	"github.com/ovation-analytics/ovation/cmd/ovation/export/state"
)

// startExport starts ovation export in a folder, where its state and its files are.
func startExport(n *node, folder, key string, args ...string) *collectRun {
	n.t.Helper()
	return startIn(n, folder, key, append([]string{"export"}, append(args, "--api", "http://"+n.HTTP)...)...)
}

// exportedAction is what of an action never changes.
type exportedAction struct {
	ID           int64   `parquet:"ID"`
	CompleteDate int64   `parquet:"CompleteDate,timestamp(millisecond)"`
	ActivityID   int64   `parquet:"ActivityID"`
	BrandID      *int64  `parquet:"BrandID,optional"`
	Value        int64   `parquet:"Value"`
	Content      string  `parquet:"Content,json"`
	ServiceType  string  `parquet:"ServiceType"`
	Link         *string `parquet:"Link,optional"`
}

// partsOf are the files of a table in a folder.
func partsOf(t testing.TB, folder, pattern string) []string {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(folder, pattern))
	if err != nil {
		t.Fatal(err)
	}
	return files
}

// exportedIn are the actions of the Parquet files of a folder, by ID. One that is there twice is an error.
func exportedIn(t testing.TB, folder string) map[int64]exportedAction {
	t.Helper()
	out := map[int64]exportedAction{}
	for _, file := range partsOf(t, folder, "actions-*.parquet") {
		rows, err := parquet.ReadFile[exportedAction](file)
		if err != nil {
			t.Fatalf("%s: %v", file, err)
		}
		for _, row := range rows {
			if _, twice := out[row.ID]; twice {
				t.Errorf("%s: action %d is exported twice", file, row.ID)
			}
			out[row.ID] = row
		}
	}
	return out
}

// halfYears calls f with the start and the end of each from 2000 on.
func halfYears(f func(start, end string)) {
	for from := time.Date(2000, 1, 1, 0, 0, 0, 0, time.UTC); from.Before(time.Now().Add(time.Hour)); from = from.AddDate(0, 6, 0) {
		f(from.Format(time.DateTime), from.AddDate(0, 6, 0).Format(time.DateTime))
	}
}

// wholeFeed is every action of an account that a feed shows, by ID.
func wholeFeed(t testing.TB, api *client.Client) map[int64]wire.FeedItem {
	t.Helper()
	out := map[int64]wire.FeedItem{}
	halfYears(func(start, end string) {
		next := client.Params{"start_date": start, "end_date": end, "all_member_actions": "1", "includeOneTime": "1", "limit": "1000", "cursor": ""}
		for next != nil {
			var page wire.Feed
			meta, err := api.Get(ctx(t), "/v1.1/activity/feed", next, &page)
			if err != nil {
				t.Fatal(err)
			}
			for _, item := range page.Items {
				out[int64(number(t, item.ID))] = item
			}
			next = meta.Next
		}
	})
	return out
}

// ofFeed is an item as it is exported.
func ofFeed(t testing.TB, item *wire.FeedItem) exportedAction {
	t.Helper()
	at, err := time.Parse(time.DateTime, item.CompleteDate)
	if err != nil {
		t.Fatal(err)
	}
	a := exportedAction{
		ID: int64(number(t, item.ID)), CompleteDate: at.UnixMilli(), ActivityID: int64(number(t, item.ActivityID)), Value: int64(number(t, item.Value)),
		Content: string(item.Content), ServiceType: item.ServiceType, Link: item.Link,
	}
	if item.BrandID != nil {
		a.BrandID = new(int64(number(t, *item.BrandID)))
	}
	return a
}

// An export that is killed at any moment, while actions arrive, late ones too, are deleted, and members are merged and
// parted, has each action of the feed once, as the feed shows it. What it has beside was deleted after it was written, or
// is a one-time action that another one precedes.
func TestExport_EachActionOnceOverKills(t *testing.T) {
	t.Parallel()
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	rnd := rand.New(rand.NewPCG(seed, 0))
	n := embedded.start(t)
	p := newModel(rnd, "warehouse", sizes{brands: 4, fans: 30})
	p.enter(n, 4)
	api, folder := n.api(p.keys[n]), t.TempDir()
	to := n.publisher()
	defer to.close()
	acted := 0
	publish := func(count int) {
		var records []*kgo.Record
		for range count {
			a := p.act(rnd, fmt.Sprint("a", acted), last(20))
			if rnd.IntN(5) == 0 { // late
				a.at = time.Date(2001, 1, 1, 0, 0, 0, 0, time.UTC).Unix() + rnd.Int64N(20*365*24*3600)
			}
			acted++
			records = append(records, p.anyRecord(rnd, &a))
		}
		to.publish(t, records...)
	}
	w := &warehoused{t: t, rnd: rnd, api: api, p: p, deleted: map[int64]bool{}}
	kills, merges := 0, 0
	publish(2500)
	n.settled(to.end(t))
	w.feed = wholeFeed(t, api)
	for range 10 {
		c := startExport(n, folder, p.keys[n], "actions", "--format", "parquet", "--part-rows", "700")
		timer := time.AfterFunc(time.Duration(rnd.IntN(900))*time.Millisecond, func() { c.End(syscall.SIGKILL) })
		for range 4 {
			publish(rnd.IntN(60))
			merges += w.change()
		}
		if c.Wait() != 0 {
			kills++
		}
		timer.Stop()
		if rnd.IntN(3) > 0 {
			continue
		}
		n.settled(to.end(t))
		startExport(n, folder, p.keys[n], "actions", "--format", "parquet", "--part-rows", "700").must()
		w.check(folder)
	}
	n.settled(to.end(t))
	startExport(n, folder, p.keys[n], "actions", "--format", "parquet", "--part-rows", "700").must()
	w.check(folder)
	t.Logf("%d kills, %d merges or partings, %d actions in the feed, %d deleted", kills, merges, len(w.feed), len(w.deleted))
	if kills == 0 || merges == 0 || len(w.deleted) == 0 {
		t.Error("nothing was killed, merged or deleted")
	}
	if said := startExport(n, folder, p.keys[n], "actions", "--format", "parquet").must(); said != "actions: 0 new rows, 0 new files\n" {
		t.Errorf("again: %s", said)
	}
	startExport(n, folder, p.keys[n], "actions", "--format", "csv").ends(2)
	startExport(n, folder, "wrong", "actions", "--format", "parquet").ends(1)
}

// warehoused is an account whose actions are exported.
type warehoused struct {
	t       *testing.T
	rnd     *rand.Rand
	api     *client.Client
	p       *model
	feed    map[int64]wire.FeedItem // as it was looked at last
	deleted map[int64]bool
	merged  [][2]domain.MemberID
}

// change deletes an action, or merges or parts two members; it reports the latter as 1.
func (w *warehoused) change() int {
	w.t.Helper()
	var err error
	changed := 0
	switch w.rnd.IntN(4) {
	case 0:
		ids := slices.Sorted(maps.Keys(w.feed))
		item := w.feed[ids[w.rnd.IntN(len(ids))]]
		action := number(w.t, item.ID)
		_, _, err = client.Do(ctx(w.t), w.api, client.DeleteMemberActivity{
			MemberID: domain.MemberID(number(w.t, item.MemberID)), ActionID: domain.ActionID(action),
		})
		if err == nil {
			w.deleted[int64(action)] = true
		}
	case 1:
		into, from := pick(w.rnd, w.p.fans).id, pick(w.rnd, w.p.fans).id
		var e wire.Envelope
		if e, _, err = client.Do(ctx(w.t), w.api, client.GetMember{MemberID: from}); err == nil && into != from {
			_, _, err = client.Do(ctx(w.t), w.api, client.MergeMembers{MemberID: into, From: from, AccessToken: e.Data.AccessToken})
			if err == nil {
				changed, w.merged = 1, append(w.merged, [2]domain.MemberID{into, from})
			}
		}
	case 2:
		if k := len(w.merged); k > 0 {
			pair := w.merged[k-1]
			_, _, err = client.Do(ctx(w.t), w.api, client.UnmergeMembers{MemberID: pair[0], From: pair[1]})
			changed, w.merged = 1, w.merged[:k-1]
		}
	}
	e, answered := errors.AsType[*client.Error](err)
	if err != nil && (!answered || !slices.Contains([]domain.Code{domain.Gone, domain.Conflict, domain.NotFound, domain.PlanLimit}, e.Code)) {
		w.t.Fatal(err)
	}
	return changed
}

// check compares what is exported with the feed.
func (w *warehoused) check(folder string) {
	w.t.Helper()
	w.feed = wholeFeed(w.t, w.api)
	have := exportedIn(w.t, folder)
	oneTime := map[int64]bool{}
	for _, d := range w.p.definitions {
		oneTime[int64(d.id)] = d.oneTime
	}
	missing := 0
	for id, item := range w.feed {
		row, ok := have[id]
		if !ok {
			missing++
			continue
		}
		if d := cmp.Diff(ofFeed(w.t, &item), row); d != "" {
			w.t.Errorf("action %d: %s", id, d)
		}
	}
	if missing > 0 {
		w.t.Errorf("%d of %d actions of the feed are not exported", missing, len(w.feed))
	}
	for id, row := range have {
		if _, ok := w.feed[id]; !ok && !w.deleted[id] && !oneTime[row.ActivityID] {
			w.t.Errorf("action %d is exported and not in the feed", id)
		}
	}
}

// The formats hold the same rows; personal columns are there only with --personal, which the log says, and no token ever is.
func TestExport_Formats(t *testing.T) {
	t.Parallel()
	n := embedded.start(t)
	_, key := n.account("formats")
	api, folder := n.api(key), t.TempDir()
	many, _, err := client.Do(ctx(t), api, client.RegisterMembers{Records: []client.RegisterMembersRecord{
		{Service: "spotify", UID: "uid-secret", AuthToken: "token-secret", FirstName: "Ann-secret", Surname: "=1+1", Email: "ann@secret.example", Country: "DE", Gender: "F"},
	}})
	if err != nil || many.Rejected > 0 {
		t.Fatalf("%v %+v", err, many)
	}
	member := domain.MemberID(number(t, many.Items[0].ID))
	brand, _, err := client.Do(ctx(t), api, client.CreateBrand{Name: `@SUM(1,2) "quoted"`, Type: "Music"})
	if err != nil {
		t.Fatal(err)
	}
	activity, _, err := client.Do(ctx(t), api, client.CreateActivity{Name: "played {brand}", Type: "Listened", Service: "spotify"})
	if err != nil {
		t.Fatal(err)
	}
	markers := []string{"=cmd|' /C calc'!A0", "plain", "a,b", "line\nend", "  +1", "-5", "\tx", "＝1", "q\"q"}
	for i, marker := range markers {
		_, _, err := client.Do(ctx(t), api, client.RecordActivity{
			ActivityID: domain.DefinitionID(number(t, activity.ID)), ID: member, BrandID: domain.BrandID(brand.ID), Marker: marker,
			Content: fmt.Sprintf(`{"TrackName":"=%d, \u0000 ü"}`, i), Async: new(false),
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	for _, format := range []string{"ndjson", "csv", "parquet"} {
		for _, args := range [][]string{nil, {"--personal"}} {
			out := filepath.Join(folder, format+strings.Join(args, ""))
			for _, what := range []string{"actions", "members"} {
				c := startExport(n, folder, key, append([]string{what, "--format", format, "--out", out, "--state", out + "-state", "--output", "json"}, args...)...)
				var sum export.Summary
				if err := json.Unmarshal([]byte(c.must()), &sum); err != nil || sum.Table != what || len(sum.Parts) != 1 || len(sum.Personal) > 0 != (args != nil) {
					t.Errorf("%s %v: %+v %v", format, args, sum, err)
				}
				if said := strings.Contains(c.Log(), "personal columns are written"); said != (args != nil) {
					t.Errorf("%s %v: the log says %q", format, args, c.Log())
				}
			}
		}
	}
	for _, personal := range []string{"", "--personal"} {
		lines := ndjsonRows(t, filepath.Join(folder, "ndjson"+personal, "actions-000001.ndjson"))
		fields := csvRows(t, filepath.Join(folder, "csv"+personal, "actions-000001.csv"))
		packed, err := parquet.ReadFile[exportedAction](filepath.Join(folder, "parquet"+personal, "actions-000001.parquet"))
		if err != nil || len(lines) != len(markers) || len(fields) != len(markers) || len(packed) != len(markers) {
			t.Fatalf("%d, %d and %d rows, %v", len(lines), len(fields), len(packed), err)
		}
		for i := range lines {
			if _, has := lines[i]["MemberEmail"]; has != (personal != "") {
				t.Errorf("%q: %v", personal, lines[i])
			}
			marker := lines[i]["Marker"].(string)
			want := marker
			if strings.ContainsAny(strings.TrimSpace(marker)[:1], "=+-@") || marker[0] == '\t' || strings.HasPrefix(marker, "＝") {
				want = "'" + marker
			}
			if fields[i]["Marker"] != want || !slices.Contains(markers, marker) {
				t.Errorf("marker %q is %q in CSV", marker, fields[i]["Marker"])
			}
			if got := fields[i]["BrandName"]; got != "'"+lines[i]["BrandName"].(string) {
				t.Errorf("the brand's name is %q", got)
			}
			if id := int64(lines[i]["ID"].(float64)); packed[i].ID != id || fields[i]["ID"] != strconv.FormatInt(id, 10) {
				t.Errorf("ids %d, %s and %d", id, fields[i]["ID"], packed[i].ID)
			}
			content, _ := json.Marshal(lines[i]["Content"])
			if string(content) != packed[i].Content || fields[i]["Content"] != packed[i].Content {
				t.Errorf("contents %s, %s and %s", content, fields[i]["Content"], packed[i].Content)
			}
		}
	}
	for _, file := range append(partsOf(t, folder, "*/*.ndjson"), partsOf(t, folder, "*/*.csv")...) {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		personal := strings.Contains(file, "--personal")
		if strings.Contains(string(text), "token-secret") || !personal && strings.Contains(string(text), "secret") {
			t.Errorf("%s: %s", file, text)
		}
		if personal && !strings.Contains(string(text), "Ann-secret") {
			t.Errorf("%s has no name", file)
		}
		if strings.HasSuffix(file, ".csv") && strings.Contains(string(text), "\x00") {
			t.Errorf("%s has a NUL", file)
		}
	}
}

// A member is exported again when a column changed, and not when nothing changed.
// While another process has the state the command ends, and says so.
func TestExport_MembersThatChanged(t *testing.T) {
	t.Parallel()
	n := embedded.start(t)
	_, key := n.account("members")
	api, folder := n.api(key), t.TempDir()
	ids := registerFans(t, api, 600)
	run := func() string {
		return startExport(n, folder, key, "members", "--personal", "--part-rows", "300").must()
	}
	if said := run(); !strings.HasSuffix(said, "members: 600 new rows, 2 new files\n") {
		t.Fatalf("first: %s", said)
	}
	if said := run(); said != "members: 0 new rows, 0 new files\n" {
		t.Errorf("again: %s", said)
	}
	for _, id := range ids[:3] {
		_, _, err := client.Do(ctx(t), api, client.UpdateMember{MemberID: domain.MemberID(number(t, id)), FirstName: "Renamed"})
		if err != nil {
			t.Fatal(err)
		}
	}
	if said := run(); !strings.HasSuffix(said, "members: 3 new rows, 1 new files\n") {
		t.Errorf("after three updates: %s", said)
	}
	rows := ndjsonRows(t, filepath.Join(folder, "members-000003.ndjson"))
	for i, row := range rows {
		if row["FirstName"] != "Renamed" {
			t.Errorf("row %d: %v", i, row)
		}
	}
	of := state.Of{Table: "members", Account: "1", Format: "ndjson", Personal: true}
	app, _, err := client.Do(ctx(t), api, client.GetApplication{})
	if err != nil {
		t.Fatal(err)
	}
	of.Account = app.Account.ID
	s, err := state.Open(filepath.Join(folder, "export-state", "members"), of)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	c := startExport(n, folder, key, "members", "--personal")
	if c.ends(1); !strings.Contains(c.Log(), "another export is running with this --state") {
		t.Error(c.Log())
	}
}

func ndjsonRows(t testing.TB, file string) (rows []map[string]any) {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(text)) {
		var row map[string]any
		if err := json.Unmarshal([]byte(line), &row); err != nil {
			t.Fatalf("%s: %v", line, err)
		}
		rows = append(rows, row)
	}
	return rows
}

func csvRows(t testing.TB, file string) (rows []map[string]string) {
	t.Helper()
	f, err := os.Open(file)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	all, err := csv.NewReader(f).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	for _, fields := range all[1:] {
		row := map[string]string{}
		for i, name := range all[0] {
			row[name] = fields[i]
		}
		rows = append(rows, row)
	}
	return rows
}

package export

import (
	"bufio"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/ovation-analytics/ovation/api/client"
	"github.com/ovation-analytics/ovation/api/wire"
	"github.com/ovation-analytics/ovation/cmd/ovation/export/state"
	"github.com/ovation-analytics/ovation/cmd/ovation/export/table"
)

// kept is an action as the model of an engine has it.
type kept struct {
	id                  uint64
	completed, recorded time.Time
	first               time.Time // when it was recorded first
	hidden, deleted     bool
}

// member is a member as the model of an engine has it.
type member struct {
	gender  string
	changed time.Time
}

// engine answers as the API does, from lists. It changes while it is read, and stops the reader at some request.
type engine struct {
	t       *testing.T
	rnd     *rand.Rand
	now     time.Time
	rows    []kept
	members []member
	merges  int // or partings
	stops   int // requests until the reader is stopped; below 0: it is not
	stop    context.CancelFunc
	changes bool
}

// record adds actions, some of which were completed years ago.
func (e *engine) record(n int) {
	for range n {
		at := e.now.Add(-time.Duration(e.rnd.IntN(3)) * time.Second).Truncate(time.Second)
		if e.rnd.IntN(4) == 0 {
			at = at.Add(-time.Duration(e.rnd.Int64N([]int64{1, 25}[e.rnd.IntN(2)]*365*24)) * time.Hour)
		}
		e.rows = append(e.rows, kept{id: uint64(len(e.rows) + 1), completed: at, recorded: e.now, first: e.now})
	}
}

// change deletes actions, or merges or parts members: some actions are recorded again, some hidden, and some that were are shown.
func (e *engine) change() {
	if e.rnd.IntN(2) == 0 {
		e.rows[e.rnd.IntN(len(e.rows))].deleted = true
		return
	}
	e.merges++
	for i := range e.rows {
		r := &e.rows[i]
		switch e.rnd.IntN(20) {
		case 0:
			r.recorded = e.now
		case 1:
			r.hidden = !r.hidden
			r.recorded = r.first
		}
	}
}

func (e *engine) ServeHTTP(w http.ResponseWriter, req *http.Request) {
	if e.stops--; e.stops == 0 {
		e.stop()
	}
	if e.changes && e.rnd.IntN(8) == 0 {
		e.record(e.rnd.IntN(4))
	}
	if e.changes && e.rnd.IntN(60) == 0 {
		e.change()
	}
	w.Header().Set("X-Position", "p")
	w.Header().Set("X-Lag-Ms", "0")
	q := req.URL.Query()
	minute := e.now.Truncate(time.Minute).Add(time.Minute).Format(time.DateTime)
	switch {
	case req.URL.Path == "/v1.1/app/info":
		fmt.Fprint(w, `{"Account":{"ID":"1"}}`)
	case req.URL.Path == "/v1.1/members":
		e.memberPage(w, q)
	case q.Get("limit") == "0":
		w.Header().Set("X-Range", minute+"/"+minute)
		fmt.Fprint(w, `{"totalSize":"0","items":[]}`)
	default:
		e.page(w, q)
	}
}

// page answers with a page of at most 7 actions.
func (e *engine) page(w http.ResponseWriter, q url.Values) {
	recorded, since := q.Get("order_by_recorded") == "1", q.Get("recorded_since")
	byRecorded := recorded || since != ""
	key := func(r *kept) string {
		at := r.completed
		if byRecorded {
			at = r.recorded
		}
		return at.Format(time.DateTime) + fmt.Sprintf(" %09d", r.id)
	}
	after, merges, bound := strings.Cut(q.Get("cursor"), "|")
	if bound && merges != strconv.Itoa(e.merges) {
		w.WriteHeader(http.StatusBadRequest)
		fmt.Fprint(w, `{"detail":"begin again","parameter":"cursor","error":{"code":4}}`)
		return
	}
	var list []*kept
	for i := range e.rows {
		r := &e.rows[i]
		at := r.completed.Format(time.DateTime)
		if at >= q.Get("start_date") && at < q.Get("end_date") && !r.hidden && !r.deleted && key(r) > after && r.recorded.Format(time.DateTime) >= since {
			list = append(list, r)
		}
	}
	slices.SortFunc(list, func(a, b *kept) int { return cmp.Compare(key(a), key(b)) })
	limit := 7
	if q.Get("limit") == "1" {
		limit = 1
	}
	w.Header().Set("X-Range", q.Get("start_date")+"/"+q.Get("end_date"))
	if len(list) > limit {
		last, next := list[limit-1], list[limit]
		cursor := key(last)
		if since == "" && (byRecorded || last.completed.Equal(next.completed)) {
			cursor += "|" + strconv.Itoa(e.merges)
		}
		q.Set("cursor", cursor)
		w.Header().Set("Link", "<http://engine/v1.1/activity/feed?"+q.Encode()+`>; rel="next"`)
		list = list[:limit]
	}
	out := wire.Feed{TotalSize: "0", Items: []wire.FeedItem{}}
	for _, r := range list {
		out.Items = append(out.Items, wire.FeedItem{
			ID: wire.Number(r.id), CompleteDate: r.completed.Format(time.DateTime), MemberID: "1", ActivityID: "100", Value: "1", Content: json.RawMessage("{}"),
		})
	}
	_ = json.NewEncoder(w).Encode(&out)
}

// memberPage answers with a page of at most 7 members, whose IDs count from 1.
func (e *engine) memberPage(w http.ResponseWriter, q url.Values) {
	after, _ := strconv.Atoi(q.Get("cursor"))
	out := wire.Members{TotalSize: "0", Items: []wire.MemberItem{}}
	for id := after + 1; id <= len(e.members); id++ {
		m := &e.members[id-1]
		if m.changed.Format(time.DateTime) < q.Get("updated_since") {
			continue
		}
		if len(out.Items) == 7 {
			q.Set("cursor", out.Items[6].ID)
			w.Header().Set("Link", "<http://engine/v1.1/members?"+q.Encode()+`>; rel="next"`)
			break
		}
		out.Items = append(out.Items, wire.MemberItem{ID: wire.Number(uint64(id)), Gender: &m.gender, Services: []wire.ServiceRecord{}})
	}
	_ = json.NewEncoder(w).Encode(&out)
}

// exported is how often each action is in the files.
func exported(t *testing.T, dir string) map[uint64]int {
	t.Helper()
	out := map[uint64]int{}
	files, _ := filepath.Glob(filepath.Join(dir, "actions-*"))
	for _, name := range files {
		f, err := os.Open(name)
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		for lines := bufio.NewScanner(f); lines.Scan(); {
			var row struct{ ID uint64 }
			if err := json.Unmarshal(lines.Bytes(), &row); err != nil {
				t.Fatal(err)
			}
			out[row.ID]++
		}
	}
	return out
}

// run exports actions once; it reports that it was not stopped.
func (e *engine) run(dir string) bool { return e.export(dir, Actions, (*Export).Actions) }

// export exports a table once; it reports that it was not stopped.
func (e *engine) export(dir string, of table.Table, do func(*Export, context.Context) error) bool {
	ctx, stop := context.WithCancel(e.t.Context())
	defer stop()
	e.stop = stop
	server := httptest.NewServer(e)
	defer server.Close() // it waits for the request that the reader has left
	store, err := state.Open(filepath.Join(dir, "state"), state.Of{Table: of.Name, Account: "1"})
	if err != nil {
		e.t.Fatal(err)
	}
	defer store.Close() // what is not committed is lost, as when it is killed
	x := New(Options{
		API: NewAPI(client.New(server.URL, "key")), Store: store, Table: of.Clear(), PartRows: 20,
		Parts: table.Options{Dir: dir, Format: "ndjson"}, Tell: func(int64, int64) {},
	})
	err = do(x, ctx)
	if err != nil && ctx.Err() == nil {
		e.t.Fatal(err)
	}
	return err == nil
}

// Runs that are hours apart, and stopped at random requests, have each action once that stays, whatever is recorded late,
// recorded again, hidden, shown and deleted between them and while they read. Of a merge during a run the next one learns.
func TestActions_Model(t *testing.T) {
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	stops, merges := 0, 0 // of all rounds
	for round := range uint64(6) {
		e := &engine{t: t, rnd: rand.New(rand.NewPCG(seed, round)), now: time.Date(2026, 3, 1, 1, 0, 0, 0, time.UTC)}
		dir := t.TempDir()
		e.record(60)
		stopped := 0
		for range 12 {
			e.changes, e.stops = true, e.rnd.IntN(120)
			if !e.run(dir) {
				stopped++
			}
			e.now = e.now.Add(time.Duration(e.rnd.IntN(8*3600)) * time.Second)
			e.record(e.rnd.IntN(15))
			if e.rnd.IntN(3) == 0 {
				e.change()
			}
		}
		e.changes, e.stops = false, -1
		for range 2 {
			e.now = e.now.Add(6 * time.Hour)
			if !e.run(dir) {
				t.Fatal("it was stopped")
			}
		}
		have := exported(t, dir)
		for i := range e.rows {
			r := &e.rows[i]
			if n := have[r.id]; n > 1 || n == 0 && !r.hidden && !r.deleted {
				t.Fatalf("round %d: action %d of %d is exported %d times, after %d merges and %d stops: %+v", round, r.id, len(e.rows), n, e.merges, stopped, *r)
			}
		}
		stops += stopped
		merges += e.merges
	}
	if stops == 0 || merges == 0 {
		t.Errorf("%d stops, %d merges", stops, merges)
	}
}

// An export that ends has what was recorded before it began, also when it goes on with a run that was stopped: in pages
// that this one had read, too.
func TestActions_EndAStoppedRunAndReadWhatIsNew(t *testing.T) {
	e := &engine{t: t, rnd: rand.New(rand.NewPCG(1, 1)), now: time.Date(2026, 3, 1, 1, 0, 0, 0, time.UTC), stops: -1}
	dir := t.TempDir()
	e.record(200)
	e.stops = 45 // after many pages, the last ones not
	if e.run(dir) {
		t.Fatal("it was not stopped")
	}
	written := len(exported(t, dir))
	if written == 0 || written == len(e.rows) {
		t.Fatalf("%d of %d actions were written when it was stopped", written, len(e.rows))
	}
	e.record(200)
	e.stops = -1
	if !e.run(dir) {
		t.Fatal("it was stopped")
	}
	have := exported(t, dir)
	for i := range e.rows {
		if r := &e.rows[i]; have[r.id] != 1 {
			t.Errorf("action %d, completed %s, is exported %d times", r.id, r.completed, have[r.id])
		}
	}
}

// Likewise a member that changed after its page was read, and before the run went on.
func TestMembers_EndAStoppedRunAndReadWhatChanged(t *testing.T) {
	e := &engine{t: t, rnd: rand.New(rand.NewPCG(1, 1)), now: time.Date(2026, 3, 1, 1, 0, 0, 0, time.UTC)}
	dir := t.TempDir()
	for range 60 {
		e.members = append(e.members, member{"F", e.now})
	}
	e.stops = 7 // two requests, and five of the nine pages
	if e.export(dir, Members, (*Export).Members) {
		t.Fatal("it was not stopped")
	}
	e.now = e.now.Add(time.Hour)
	e.members[0] = member{"M", e.now}
	e.stops = -1
	if !e.export(dir, Members, (*Export).Members) {
		t.Fatal("it was stopped")
	}
	genders := map[uint64]string{}
	files, _ := filepath.Glob(filepath.Join(dir, "members-*"))
	for _, name := range files {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		for line := range strings.Lines(string(text)) {
			var row struct {
				ID     uint64
				Gender string
			}
			if err := json.Unmarshal([]byte(line), &row); err != nil {
				t.Fatal(err)
			}
			genders[row.ID] += row.Gender
		}
	}
	for id := uint64(1); id <= 60; id++ {
		if want := map[bool]string{true: "FM", false: "F"}[id == 1]; genders[id] != want {
			t.Errorf("member %d is exported as %q, want %q", id, genders[id], want)
		}
	}
}

package e2e

import (
	"fmt"
	"io"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/api/client"
	"github.com/ovation-analytics/ovation/cmd/ovation/collect/runs"
)

// startUndo starts ovation collect undo of runs in a folder.
func startUndo(n *node, folder, key string, ids ...string) *collectRun {
	n.t.Helper()
	return startIn(n, folder, key, append([]string{"collect", "undo", "--api", "http://" + n.HTTP}, ids...)...)
}

// runsIn are the runs of a folder's state, the oldest first.
func runsIn(t testing.TB, folder string) (list []*runs.Run, ids []string) {
	t.Helper()
	list, err := runs.In(filepath.Join(folder, "collect-state")).List()
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range list {
		ids = append(ids, r.ID)
	}
	return list, ids
}

// numbersOf is what an account's answers say of its actions: every feed item, and the numbers of stats.
func numbersOf(t testing.TB, api *client.Client) (all []string) {
	t.Helper()
	every := client.Params{"start_date": "2000-01-01", "includeOneTime": "1", "cursor": ""}
	items := client.Params{"all_member_actions": "1", "limit": "1000", "start_date": "2000-01-01", "includeOneTime": "1", "cursor": ""}
	for items != nil {
		var page struct {
			Items []struct{ ID, Marker, CompleteDate, MemberID string }
		}
		meta, err := api.Get(ctx(t), "/v1.1/activity/feed", items, &page)
		if err != nil {
			t.Fatal(err)
		}
		for _, item := range page.Items {
			all = append(all, fmt.Sprintf("%+v", item))
		}
		items = meta.Next
	}
	delete(every, "cursor")
	for _, path := range []string{"/v1.1/members/stats/activity", "/v1.1/activity/count/daily", "/v1.1/activity/count/services"} {
		var text any
		if _, err := api.Get(ctx(t), path, every, &text); err != nil {
			t.Fatalf("%s: %v", path, err)
		}
		all = append(all, fmt.Sprint(path, text))
	}
	slices.Sort(all)
	return all
}

// An undo that is killed at any moment goes on, and takes back what its run published and nothing else: not what
// another run had published before of the same rows, nor what has the same time, brand and marker.
func TestCollect_UndoAfterKills(t *testing.T) {
	t.Parallel()
	seed := rand.Uint64()
	rnd := rand.New(rand.NewPCG(seed, 0))
	t.Logf("seed %d", seed)
	n := embedded.start(t)
	account, key := n.account("undo")
	api := client.New("http://"+n.HTTP, key)
	to := n.publisher()
	defer to.close()
	folder := t.TempDir()
	const rows, before = 3000, 700
	write := func(name string, n int) string {
		return write(t, folder, name, func(w io.Writer) {
			fmt.Fprintln(w, "id,user,at")
			for i := range n {
				fmt.Fprintf(w, "a%d,u%d,%d\n", i, i%9, 1_700_000_000+i/2)
			}
		})
	}
	mapping := func(name, source, marker string) string {
		return writeFile(t, folder, name, "source: "+source+"\nid: \"{id}\"\ntime: {value: \"{at}\", unit: s}\nmember: {service: spotify, uid: \"{user}\"}\n"+
			"brand: {create: {name: B, type: Music}}\nactivities: {play: {name: played, type: Listened, service: spotify}}\n"+marker)
	}
	load := func(m, in string, more ...string) {
		startCollect(n, folder, key, domain.AccountID(account), append([]string{m, in}, more...)...).must()
		n.settled(to.end(t))
	}
	plain := mapping("m.yaml", "shop", "")
	load(plain, write("in.csv", before))
	load(mapping("other.yaml", "other", "marker: other\n"), write("other.csv", before))
	was := numbersOf(t, api)
	load(plain, write("in.csv", rows), "--from-start") // the first rows are there already
	load(mapping("given.yaml", "given", "marker: \"m-{id}\"\n"), write("given.csv", before))
	list, ids := runsIn(t, folder)
	if len(list) != 4 || list[2].Published != rows || list[3].Published != before || !list[3].Given {
		t.Fatalf("%+v", list)
	}
	kills := 0
	for ; kills < 6; kills++ {
		c := startUndo(n, folder, key, ids[2:]...)
		timer := time.AfterFunc(time.Duration(rnd.IntN(600))*time.Millisecond, func() { c.End(syscall.SIGKILL) })
		code := c.Wait()
		timer.Stop()
		if code == 0 {
			break
		}
	}
	startUndo(n, folder, key, ids[2:]...).must()
	list, _ = runsIn(t, folder)
	if got := []int64{list[2].Undo.Taken, list[3].Undo.Taken}; !cmp.Equal(got, []int64{rows - before, before}) {
		t.Errorf("after %d kills %d are taken back", kills, got)
	}
	if d := cmp.Diff(was, numbersOf(t, api)); d != "" {
		t.Errorf("after %d kills: %s", kills, d)
	}
	if said := startUndo(n, folder, key, ids[3]).must(); !strings.Contains(said, "700 of 700 published actions taken back") {
		t.Errorf("again: %s", said)
	}
	startUndo(n, folder, key, "20260101-000000-aaaa").ends(2)
	startUndo(n, folder, "wrong", ids[0]).ends(1)
}

// writeFile writes a text of the test's folder.
func writeFile(t testing.TB, folder, name, text string) string {
	t.Helper()
	return write(t, folder, name, func(w io.Writer) { _, _ = io.WriteString(w, text) })
}

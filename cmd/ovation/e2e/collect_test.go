package e2e

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/api/client"
	"github.com/ovation-analytics/ovation/deploy/harness"
)

// collectRun is a running command that reads or writes files of a folder.
type collectRun struct {
	*harness.Process
	t   testing.TB
	out strings.Builder
}

// startCollect starts ovation collect file in a folder, where its state is, against the node.
func startCollect(n *node, folder, key string, account domain.AccountID, args ...string) *collectRun {
	n.t.Helper()
	return startIn(n, folder, key, append([]string{
		"collect", "file", "--create", "--kafka", n.Kafka, "--topic-prefix", n.Prefix, "--account", id(account), "--api", "http://" + n.HTTP,
	}, args...)...)
}

// startIn starts the program in a folder, with the key of an account.
func startIn(n *node, folder, key string, args ...string) *collectRun {
	n.t.Helper()
	c := &collectRun{t: n.t}
	cmd := exec.Command(program(n.t), args...)
	cmd.Dir = folder
	cmd.Env = append(append(os.Environ(), "OVATION_KEY="+key), n.Env...)
	cmd.Stdout = &c.out
	var err error
	if c.Process, _, err = harness.StartProcess(n.t.Context(), cmd, nil); err != nil {
		n.t.Fatal(err)
	}
	n.t.Cleanup(c.kill)
	return c
}

// kill ends it as a power cut would.
func (c *collectRun) kill() { c.End(syscall.SIGKILL) }

// must waits until it ended well, and gives its last line.
func (c *collectRun) must() string {
	c.t.Helper()
	return c.ends(0)
}

// ends waits until it ended with an exit code, and gives its last line.
func (c *collectRun) ends(want int) string {
	c.t.Helper()
	if code := c.Wait(); code != want {
		c.t.Fatalf("collect ended with %d, want %d:\n%s", code, want, c.Log())
	}
	return c.out.String()
}

// published is how many actions the positions in the folder's state name.
func published(t testing.TB, folder string) (sum int64) {
	t.Helper()
	found, err := filepath.Glob(filepath.Join(folder, "collect-state", "*.position.json"))
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range found {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		var p struct{ Published int64 }
		if err := json.Unmarshal(text, &p); err != nil {
			t.Fatalf("a position that is none: %v: %q", err, text)
		}
		sum += p.Published
	}
	return sum
}

// killedAt waits until the log has so many records, and more than the position says,
// kills, and reports that it was still running.
func (c *collectRun) killedAt(end func() int64, folder string, records int64) bool {
	c.t.Helper()
	for deadline := time.Now().Add(patience); ; {
		select {
		case <-c.Ended():
			return false
		default:
		}
		if is := end(); is >= records && is > published(c.t, folder) {
			c.kill()
			return true
		}
		if time.Now().After(deadline) {
			c.t.Fatalf("collect does not come to %d records:\n%s", records, c.Log())
		}
	}
}

// write writes a file of the test's folder.
func write(t testing.TB, folder, name string, fill func(w io.Writer)) string {
	t.Helper()
	path := filepath.Join(folder, name)
	f, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	w := bufio.NewWriter(f)
	fill(w)
	if err := w.Flush(); err != nil {
		t.Fatal(err)
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	return path
}

// meet finds the ids of what a collector made: brands by a key, definitions by their
// names, members by registering again, which also adds what the collector did not send.
func (p *model) meet(n *node, account domain.AccountID, key string, brandKey string, named map[string]int32) {
	t := n.t
	t.Helper()
	p.account, p.keys[n] = account, key
	api := p.api(n)
	for from := 0; ; from += 1000 {
		list, _, err := client.Do(ctx(t), api, client.ListBrands{Limit: fmt.Sprintf("%d,1000", from)})
		if err != nil {
			t.Fatal(err)
		}
		for _, b := range list.Items {
			i, known := named[b.Fields[brandKey]]
			if !known || p.brands[i].id != 0 {
				t.Fatalf("a brand that nobody wanted, or twice: %v", b)
			}
			p.brands[i].id, p.brands[i].name = b.ID, b.Fields["Name"]
		}
		if len(list.Items) < 1000 {
			break
		}
	}
	defs, _, err := client.Do(ctx(t), api, client.ListActivities{Limit: "1000"})
	if err != nil || len(defs.Items) != len(p.definitions) {
		t.Fatalf("%d definitions, want %d: %v", len(defs.Items), len(p.definitions), err)
	}
	for _, d := range defs.Items {
		for i := range p.definitions {
			if e := &p.definitions[i]; e.name == d.Name && e.service.String() == d.ServiceType && e.kind == d.Type {
				e.id = domain.DefinitionID(number(t, d.ID))
			}
		}
	}
	p.register(t, api, 32)
}

// known leaves brands of the model that were not created out of all questions: a brand is
// created when the first row names it.
func (p *model) known() {
	var brands []brand
	var byBrand [][]int32
	place := make([]int32, len(p.brands))
	for i, b := range p.brands {
		if b.id != 0 {
			place[i] = int32(len(brands))
			brands, byBrand = append(brands, b), append(byBrand, p.byBrand[i])
		}
	}
	for i := range p.acts {
		p.acts[i].brand = place[p.acts[i].brand]
	}
	p.brands, p.byBrand = brands, byBrand
}

// complete requires that the node has the model's actions, no more and no fewer, and
// refused none.
func (p *model) complete(n *node) {
	n.t.Helper()
	st := n.status()
	if st.Rows() != p.living() || st.Letters() != 0 {
		n.t.Errorf("%d rows, %d actions count; %d dead letters", st.Rows(), p.living(), st.Letters())
	}
}

// generated is a made-up input: a CSV of what people do, with everything that a row
// can say in columns.
func generated(rnd *rand.Rand, brands, fans int) *model {
	p := newModel(rnd, "collected", sizes{brands: brands, fans: fans})
	p.definitions = p.definitions[:len(allDefinitions)] // a mapping's definitions are for any brand
	for i := range p.fans {
		f := &p.fans[i]
		f.gender, f.born = "", "" // rows do not say it
		f.optsIn, f.optsOut = [toSegments + 4]bool{}, [toSegments + 4]bool{}
	}
	return p
}

const generatedMapping = `
source: e2e/generated
id: "{id}"
time: {value: "{at}", layout: datetime, zone: Europe/Berlin}
member:
  service: "{service}"
  uid: "{uid}"
  register: {country: "{country}", paidaccount: "{paid}", authtoken: token}
brand: {create: {name: "{brand}", type: Music}}
activity: "{deed}"
content: {TrackName: "{track}"}
activities:
`

// mapping is the mapping file of what people do.
func (p *model) mapping(w io.Writer) {
	fmt.Fprint(w, generatedMapping)
	for i, d := range p.definitions {
		fmt.Fprintf(w, "  d%d: {name: %q, type: %s, service: %s, value: %d, onetime: %v}\n", i, d.name, d.kind, d.service, d.value, d.oneTime)
	}
}

// rows are n actions as rows; the model notes them.
func (p *model) rows(w io.Writer, rnd *rand.Rand, n int, s span) {
	berlin, err := time.LoadLocation("Europe/Berlin")
	if err != nil {
		panic(err)
	}
	fmt.Fprintln(w, "id,at,service,uid,country,paid,brand,deed,track")
	for i := range n {
		a := p.act(rnd, fmt.Sprintf("row-%d", i), s)
		if a.brand == 0 { // not all for the first
			a.brand = int32(skewed(rnd, len(p.brands)))
		}
		at := time.Unix(a.at, 0).In(berlin)
		text := at.Format(time.DateTime)
		if back, _ := time.ParseInLocation(time.DateTime, text, berlin); back.Unix() != a.at {
			a.at = back.Unix() // an hour that a clock shows twice
		}
		p.note(a)
		f := &p.fans[a.fan]
		fmt.Fprintf(w, "%s,%s,%s,%s,%s,%s,\"%s\",d%d,\"Track \"\"%d\"\", live\"\n",
			a.id, text, f.service, f.uid, f.country, flag(f.paid), p.brands[a.brand].name, a.definition, i)
	}
}

// TestCollect_ResumesAfterAKill publishes a generated input by ovation collect,
// which is killed while it makes brands and members and again and again while it
// publishes. Started again it goes on, and every number equals a naive count.
func TestCollect_ResumesAfterAKill(t *testing.T) {
	t.Parallel()
	onBothLogs(t, killedCollector)
}

func killedCollector(t *testing.T, on site) {
	actions, questions, brands, fans := on.some(200_000), 60, on.some(1_500), on.some(1_000)
	if full {
		actions, questions, brands, fans = 186_479+1_000_000, 200, 17_632, 1_892
	}
	seed := rand.Uint64()
	rnd := rand.New(rand.NewPCG(seed, 0))
	t.Logf("seed %d", seed)
	p, s := generated(rnd, brands, fans), last(5*365+200)
	folder := t.TempDir()
	mapping := write(t, folder, "mapping.yaml", p.mapping)
	input := write(t, folder, "input.csv", func(w io.Writer) { p.rows(w, rnd, actions, s) })
	n := on.start(t)
	number, key := n.account(p.name)
	account := domain.AccountID(number)

	c := startCollect(n, folder, key, account, mapping, input)
	n.eventually("brand that is made", func() bool {
		info, err := os.Stat(filepath.Join(folder, "collect-state", "known.ndjson"))
		return err == nil && info.Size() > 2_000
	})
	c.kill()
	kills, log := 1, n.publisher()
	defer log.close()
	end := func() int64 { return log.end(t) }
	for at := int64(1); ; at = end() + int64(actions/6) {
		if c = startCollect(n, folder, key, account, mapping, input); !c.killedAt(end, folder, at) {
			break
		}
		kills++
	}
	startCollect(n, folder, key, account, mapping, input).must()
	if got := published(t, folder); got != int64(actions) {
		t.Fatalf("the position says %d of %d actions", got, actions)
	}
	if kills < 4 {
		t.Errorf("only %d kills hit a running collector", kills)
	}
	n.settled(end())
	t.Logf("%d kills, %d records for %d actions", kills, end(), actions)
	if end() == int64(actions) {
		t.Error("no kill made a repeat")
	}
	requireServing(n)
	p.complete(n)
	named := map[string]int32{}
	for i := range p.brands {
		named[p.brands[i].name] = int32(i)
	}
	p.meet(n, account, key, "Name", named)
	p.known()
	p.askAll(t, seed, p.api(n), rnd, s, questions)
	if said := startCollect(n, folder, key, account, mapping, input).must(); !strings.HasPrefix(said, "0 actions") {
		t.Errorf("once more: %s", said)
	}
}

package e2e

import (
	"cmp"
	"encoding/json"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"net/http"
	"path/filepath"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/api/client"
	"github.com/ovation-analytics/ovation/ingest/kafka"
)

// model is the set as a model: users are fans, with countries and paid accounts made
// up, artists are brands. The actions come later.
func (l *lastfm) model(rnd *rand.Rand) *model {
	p := &model{name: "lastfm-2k", took: map[claim]int{}, first: map[pair]int{}, closed: map[pair]bool{}, keys: map[*node]string{}, definitions: append([]definition(nil), lastfmDefinitions...)}
	for _, a := range l.artists {
		p.brands = append(p.brands, brand{name: a.name})
	}
	p.byBrand = make([][]int32, len(p.brands))
	for _, user := range l.users {
		p.fans = append(p.fans, fan{service: domain.LastFM, uid: fmt.Sprint(user), country: pick(rnd, countriesOfAll), paid: rnd.IntN(4) == 0})
	}
	return p
}

// enter makes the account on a node, the brands side by side, which model.enter does
// one by one.
func (l *lastfm) enter(n *node, p *model) {
	t := n.t
	t.Helper()
	account, key := n.account(p.name)
	p.account, p.keys[n] = domain.AccountID(account), key
	api := p.api(n).Over(&http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: 64}})
	for i := range p.definitions {
		p.definitions[i].id = createDefinition(t, api, p.definitionParams(i))
	}
	var wg sync.WaitGroup
	var next atomic.Int64
	var failed atomic.Pointer[error]
	for range 64 {
		wg.Go(func() {
			for i := int(next.Add(1) - 1); i < len(p.brands) && failed.Load() == nil; i = int(next.Add(1) - 1) {
				// Two artists of one name have the same slug otherwise.
				b, _, err := client.Do(ctx(t), api, client.CreateBrand{Name: p.brands[i].name, Type: "Music", Slug: fmt.Sprint("lastfm-", l.artists[i].id)})
				if err != nil {
					err = fmt.Errorf("brand %q: %w", p.brands[i].name, err)
					failed.Store(&err)
				}
				p.brands[i].id = domain.BrandID(b.ID)
			}
		})
	}
	wg.Wait()
	if err := failed.Load(); err != nil {
		t.Fatal(*err)
	}
	p.register(t, api, 32)
}

// said is the content of a tagging.
type said struct{ Tag, TagID string }

// messages are the taggings as a collector publishes them, by partition; the model
// notes those that can count.
func (l *lastfm) messages(p *model) (out [][]kafka.Message, rows [][]int, bad int) {
	out, rows = make([][]kafka.Message, partitions), make([][]int, partitions)
	for row := range l.taggings {
		g := &l.taggings[row]
		a := act{id: fmt.Sprint(row + 1), at: g.second(row), fan: g.user, definition: g.definition(), brand: g.artist}
		if a.at < int64(domain.FirstSecond) {
			bad++
		} else {
			p.note(a)
		}
		value := encoded(event{ID: a.id, Source: "lastfm-2k", Time: rfc3339(a.at), data: &data{
			Account: p.account, Service: "lastfm", UID: p.fans[a.fan].uid, Activity: p.definitions[a.definition].id, Brand: p.brands[a.brand].id,
			Content: said{l.tags[g.tag], fmt.Sprint(g.tag)},
		}})
		at := row % partitions
		out[at] = append(out[at], kafka.Message{Key: []byte(p.fans[a.fan].uid), Value: value})
		rows[at] = append(rows[at], row)
	}
	return out, rows, bad
}

// TestLastFM_TaggingsMatchTheirFiles publishes the lastfm-2k set and asks about
// it; every answer equals a naive recount of the files. After a kill it still does.
func TestLastFM_TaggingsMatchTheirFiles(t *testing.T) {
	t.Parallel()
	onEitherLog(t, realTaggings)
}

func realTaggings(t *testing.T, on site) {
	const seed = 2011
	rnd := rand.New(rand.NewPCG(seed, 1))
	l := readLastfm(t)
	p := l.model(rnd)
	n := on.start(t)
	t0 := time.Now()
	step := func(format string, args ...any) {
		t.Logf("%6.2f s  "+format, append([]any{time.Since(t0).Seconds()}, args...)...)
	}
	l.enter(n, p)
	step("seed %d: %d brands, %d members", seed, len(p.brands), len(p.fans))
	messages, rows, bad := l.messages(p)
	step("%d taggings read, %d of them before 2000", len(l.taggings), bad)
	published := time.Now()
	o := rawClientAt(n)
	places := o.publish(messages, 512<<10, kafka.LZ4)
	step("published")
	n.settled(int64(len(l.taggings)))
	step("applied: %.0f records/s from the first published to the last applied", float64(len(l.taggings))/time.Since(published).Seconds())
	requireServing(n)

	letters := o.byOrigin(o.letters())
	for i := range places {
		for j, at := range places[i] {
			row := rows[i][j]
			old := l.taggings[row].at < int64(domain.FirstSecond)
			if letter, found := letters[at]; found != old || found && (letter.reason != "bad_time" || string(letter.value) != string(messages[i][j].Value)) {
				t.Errorf("row %d, dead letter %v: %+v", row+1, found, letter)
			}
		}
	}
	if len(letters) != bad {
		t.Errorf("%d dead letters, %d rows before 2000", len(letters), bad)
	}
	l.weigh(n, p)
	years := span{time.Date(2005, 1, 1, 0, 0, 0, 0, time.UTC).Unix(), time.Date(2011, 12, 31, 0, 0, 0, 0, time.UTC).Unix()}
	p.askAll(t, seed, p.api(n), rnd, years, 160)
	step("160 questions equal the recount")
	n.Kill()
	n.start()
	p.askAll(t, seed, p.api(n), rnd, years, 80)
	step("80 more after a kill")
	l.weigh(n, p)
}

// weigh says how much disk the node takes, by what it says itself and by the files'
// sizes, and that it holds the rows that count.
func (l *lastfm) weigh(n *node, p *model) {
	t := n.t
	t.Helper()
	rows := n.rows()
	if rows != p.living() {
		t.Errorf("%d living rows, %d taggings count", rows, p.living())
	}
	var st struct{ Store json.RawMessage }
	n.ask("/status", nil, &st)
	t.Logf("%d living rows; /status: %s", rows, st.Store)
	sizes := map[string]int64{}
	err := filepath.WalkDir(n.Data, func(path string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		info, err := e.Info()
		if err != nil {
			return nil // it was there when the folder was read
		}
		top, _ := filepath.Rel(n.Data, filepath.Dir(path))
		sizes[cmp.Or(top, ".")] += info.Size()
		return nil
	})
	if err != nil {
		t.Logf("the data directory moves: %v", err)
	}
	t.Logf("bytes by folder: %v", sizes)
}

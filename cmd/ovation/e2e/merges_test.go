package e2e

import (
	"encoding/json"
	"errors"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/api/client"
	"github.com/ovation-analytics/ovation/api/wire"
)

// Members who are merged in pairs and parted again, with kills of the node between: while merged each
// pair counts once with the actions of both, and afterwards each answer is as before, byte for byte. A
// replay gives what is stored.
func TestMerges_OverKills(t *testing.T) {
	onBothLogs(t, mergedOverKills)
}

// couple is a member and the one that is merged into it.
type couple struct {
	into, from string
	token      string // access token of from
}

func mergedOverKills(t *testing.T, on site) {
	t.Parallel()
	members, pairs := on.some(400), 9
	if full {
		members, pairs = 100_000, 500
	}
	n := on.start(t, "--shards", "3", "--base-url", "http://merges.example") // of pictures
	_, key := n.account("merges")
	api := n.api(key)
	ids := registerFans(t, api, members)
	recordEach(t, api, ids)
	m := &merging{t: t, n: n, key: key, pairs: pairsOf(ids, pairs), now: time.Now()}
	_, meta, err := client.Do(ctx(t), api, client.RegisterMember{More: registrant(0)})
	if err != nil {
		t.Fatal(err)
	}
	m.at = meta.Position
	for i := range m.pairs {
		c := &m.pairs[i]
		c.token = m.member(c.from).Data.AccessToken
	}
	before := m.answers()
	page, next := m.page(client.Params{"cursor": "", "limit": "150"})
	_, recorded := m.recorded(client.Params{"cursor": "", "limit": "30", "all_member_actions": "1", "order_by_recorded": "1"})
	m.each("/merge", func(c *couple) client.Params { return client.Params{"from": c.from, "accesstoken": c.token} })
	m.checkMerged(members)
	m.checkWalk(ids, page, next)
	m.checkRecorded(members, recorded)
	for _, c := range m.pairs[3:] { // each survivor's show is another one
		what := questionOf("/v1.1/member/"+c.into, shown)
		if b := m.poll(what, before[what].tag); b == nil {
			t.Errorf("%s is unchanged", what.path)
		}
	}
	m.each("/unmerge", func(c *couple) client.Params { return client.Params{"from": c.from} })
	for what, now := range m.answers() {
		was := before[what]
		if now.body != was.body {
			t.Errorf("%s is\n%s\nand was\n%s", what, now.body, was.body)
		}
		if what.explained() { // its further page has another address each time
			continue
		}
		if b := m.poll(what, was.tag); b != nil {
			t.Errorf("%s is not what it was: %s", what.path, b)
		}
	}
	m.verifyAtOnce(ids)
	m.verifyOverKills(ids[:len(ids)-12])
	if v := n.verify(0); v.Differences != 0 {
		t.Errorf("%+v", v)
	}
}

// pairsOf are pairs of members, apart from each other, but for a chain of the first three: a member
// into which two are merged, and that is merged itself.
func pairsOf(ids []string, n int) (out []couple) {
	step := len(ids) / (n + 1)
	for i := range n {
		out = append(out, couple{into: ids[i*step], from: ids[i*step+1]})
	}
	out[1].into = out[0].into
	out[2].from = out[0].into
	return out
}

// merging is an installation whose members are merged.
type merging struct {
	t     *testing.T
	n     *node
	key   string
	pairs []couple
	at    string // position that is waited for
	now   time.Time
}

func (m *merging) api() *client.Client { return m.n.api(m.key).At(m.at) }

// each sends a request of each pair, of the last pair first where merges are taken back. Some are
// sent again after a kill, and change nothing then.
func (m *merging) each(path string, params func(*couple) client.Params) {
	m.t.Helper()
	var took time.Duration
	for i := range m.pairs {
		c := &m.pairs[i]
		if path == "/unmerge" {
			c = &m.pairs[len(m.pairs)-1-i]
		}
		target, began := "/v1.1/member/"+c.into+path, time.Now()
		var first, again json.RawMessage
		meta, err := m.n.api(m.key).With("Idempotency-Key", path+c.from).Post(ctx(m.t), target, params(c), &first)
		if err != nil {
			m.t.Fatalf("%s %+v: %v", target, params(c), err)
		}
		took += time.Since(began)
		m.at = meta.Position
		if i%(len(m.pairs)/2) != 1 {
			continue
		}
		m.n.Kill()
		m.n.start()
		meta, err = m.n.api(m.key).With("Idempotency-Key", path+c.from).Post(ctx(m.t), target, params(c), &again)
		if err != nil || !meta.Replayed || withoutJWT(again) != withoutJWT(first) {
			m.t.Fatalf("the repeat of %s is %s %+v, the first was %s: %v", target, again, meta, first, err)
		}
	}
	m.t.Logf("%s of %d pairs, %v each", path, len(m.pairs), took/time.Duration(len(m.pairs)))
}

// jwts are tokens of envelopes; positions and further pages of explanations, too, are each answer's own.
var jwts = regexp.MustCompile(`"(jwt|position|next)":"[^"]+"`)

func withoutJWT(b json.RawMessage) string { return jwts.ReplaceAllString(string(b), "") }

// polledAbout is a request of an answer.
type polledAbout struct{ path, params string }

func questionOf(path string, p client.Params) polledAbout {
	v := url.Values{}
	for name, value := range p {
		v.Set(name, value)
	}
	return polledAbout{path, v.Encode()}
}

func (q polledAbout) explained() bool { return strings.Contains(q.params, "explain") }

// polled is an answer.
type polled struct{ body, tag string }

// poll asks again; nil: the answer is the one of the tag.
func (m *merging) poll(q polledAbout, tag string) json.RawMessage {
	m.t.Helper()
	var body json.RawMessage
	if _, err := m.api().With("If-None-Match", tag).Get(ctx(m.t), q.path, paramsOf(m.t, q.params), &body); err != nil {
		m.t.Fatalf("%+v: %v", q, err)
	}
	return body
}

func paramsOf(t *testing.T, query string) client.Params {
	t.Helper()
	v, err := url.ParseQuery(query)
	if err != nil {
		t.Fatal(err)
	}
	p := client.Params{}
	for name := range v {
		p[name] = v.Get(name)
	}
	return p
}

// shown is what is asked of a member.
var shown = client.Params{"showposition": "1", "showactions": "1", "extended": "1"}

// answers are answers about all members, and about those of the pairs.
func (m *merging) answers() map[polledAbout]polled {
	m.t.Helper()
	out := map[polledAbout]polled{}
	ask := func(path string, p client.Params) {
		m.t.Helper()
		var body json.RawMessage
		meta, err := m.api().Get(ctx(m.t), path, p, &body)
		if err != nil {
			m.t.Fatalf("%s %+v: %v", path, p, err)
		}
		out[questionOf(path, p)] = polled{withoutJWT(body), meta.ETag}
	}
	ranged := func(p client.Params) client.Params {
		p["start_date"] = m.now.AddDate(0, -1, 0).UTC().Format(time.DateTime)
		p["end_date"] = m.now.AddDate(0, 0, 1).UTC().Format(time.DateTime)
		return p
	}
	ask("/v1.1/members", client.Params{"limit": "1000"})
	ask("/v1.1/members/stats/activity", ranged(client.Params{"limit": "1000"}))
	ask("/v1.1/members/stats/visits", ranged(client.Params{"limit": "1000"}))
	ask("/v1.1/brand/1/stats/activity", ranged(client.Params{"explain": "1"}))
	ask("/v1.1/brand/1/stats/location", ranged(client.Params{}))
	ask("/v1.1/login/stats/totals", ranged(client.Params{}))
	ask("/v1.1/activity/feed", ranged(client.Params{"limit": "1000", "all_member_actions": "1"}))
	for i := range m.pairs {
		for _, id := range [2]string{m.pairs[i].into, m.pairs[i].from} {
			ask("/v1.1/member/"+id, shown)
			ask("/v1.1/member/"+id+"/domains/logins", client.Params{})
		}
	}
	return out
}

// page is a page of members by cursor, and the next one; nil: there is none.
func (m *merging) page(p client.Params) (ids []string, next client.Params) {
	m.t.Helper()
	list, meta, err := client.Do(ctx(m.t), m.api(), client.ListMembers{More: p})
	if err != nil {
		m.t.Fatal(err)
	}
	for i := range list.Items {
		ids = append(ids, list.Items[i].ID)
	}
	return ids, meta.Next
}

// checkWalk goes on with a walk by cursor that began before the merges: it meets each member that is
// left once, and none twice.
func (m *merging) checkWalk(all, seen []string, next client.Params) {
	m.t.Helper()
	for next != nil {
		var ids []string
		ids, next = m.page(next)
		seen = append(seen, ids...)
	}
	slices.Sort(seen)
	met := len(seen)
	if seen = slices.Compact(seen); len(seen) != met {
		m.t.Errorf("%d of %d members are met twice", met-len(seen), met)
	}
	for _, id := range all {
		merged := slices.ContainsFunc(m.pairs, func(c couple) bool { return c.from == id })
		if _, met := slices.BinarySearch(seen, id); !met && !merged {
			m.t.Errorf("%s is not met", id)
		}
	}
}

// recorded is the ids of a page of actions, and the next page.
func (m *merging) recorded(p client.Params) (ids []string, next client.Params) {
	m.t.Helper()
	list, meta, err := client.Do(ctx(m.t), m.api(), client.GetFeed{More: p})
	if err != nil {
		m.t.Fatal(err)
	}
	for i := range list.Items {
		ids = append(ids, list.Items[i].ID)
	}
	return ids, meta.Next
}

// checkRecorded goes on with a walk in order of recording that began before the merges, which recorded
// actions once more: it has to begin again. One that begins after them returns each action once.
func (m *merging) checkRecorded(members int, next client.Params) {
	m.t.Helper()
	var refused *client.Error
	if _, _, err := client.Do(ctx(m.t), m.api(), client.GetFeed{More: next}); !errors.As(err, &refused) || refused.Code != domain.InvalidParameter || refused.Parameter != "cursor" {
		m.t.Errorf("the walk goes on over merges: %v", err)
	}
	var all, ids []string
	for next = (client.Params{"cursor": "", "limit": "1000", "all_member_actions": "1", "order_by_recorded": "1"}); next != nil; {
		ids, next = m.recorded(next)
		all = append(all, ids...)
	}
	slices.Sort(all)
	if n := len(slices.Compact(all)); n != members*eachOf || len(all) != n {
		m.t.Errorf("%d actions are met, %d of them once, want %d", len(all), n, members*eachOf)
	}
}

// member is the envelope of a member.
func (m *merging) member(id string) wire.Envelope {
	m.t.Helper()
	e, _, err := client.Do(ctx(m.t), m.api(), client.GetMember{MemberID: memberID(m.t, id)})
	if err != nil {
		m.t.Fatal(err)
	}
	return e
}

// checkMerged holds the answers against what is merged.
func (m *merging) checkMerged(members int) {
	t, api := m.t, m.api()
	left := strconv.Itoa(members - len(m.pairs))
	list, _, err := client.Do(ctx(t), api, client.ListMembers{Limit: "1"})
	if err != nil || list.TotalSize != left {
		t.Fatalf("%s members are left, want %s: %v", list.TotalSize, left, err)
	}
	totals, _, err := client.Do(ctx(t), api, client.GetMemberTotals{Period: "1 Year", Limit: "1"})
	if want := strconv.Itoa(members * eachOf); err != nil || totals.TotalActivities != want || totals.TotalMembers != left {
		t.Fatalf("%s actions of %s members, want %s of %s: %v", totals.TotalActivities, totals.TotalMembers, want, left, err)
	}
	root := map[string]string{}
	for _, c := range m.pairs {
		root[c.from] = c.into
	}
	parts := map[string]int{}
	for id := range root {
		parts[rootOf(root, id)]++
	}
	for id := range root {
		into := rootOf(root, id)
		m.checkGone(id, into)
		e := m.member(into)
		if len(e.Services) != 1+parts[into] {
			t.Errorf("%s has %d services, and %d are merged into it", into, len(e.Services), parts[into])
		}
		feed, _, err := client.Do(ctx(t), api, client.GetFeed{Members: id, AllActions: true, Limit: "1000"})
		if err != nil || len(feed.Items) != (1+parts[into])*eachOf || feed.Items[0].MemberID != into {
			t.Errorf("%d actions of %s, %d members, under the id %s: %v", len(feed.Items), into, 1+parts[into], id, err)
		}
	}
}

// rootOf is the member that one stands for.
func rootOf(into map[string]string, id string) string {
	for into[id] != "" {
		id = into[id]
	}
	return id
}

// checkGone requires that a merged member's id is gone, and names the survivor.
func (m *merging) checkGone(id, into string) {
	m.t.Helper()
	_, _, err := client.Do(ctx(m.t), m.api(), client.GetMember{MemberID: memberID(m.t, id)})
	if refused, ok := errors.AsType[*client.Error](err); !ok || refused.Code != domain.Gone {
		m.t.Fatalf("%s is merged into %s: %v", id, into, err)
	}
	res, err := http.Get("http://" + m.n.HTTP + "/v1.1/member/" + id + "?apiKey=" + m.key)
	if err != nil {
		m.t.Fatal(err)
	}
	_ = res.Body.Close()
	if got := res.Header.Get("Location"); res.StatusCode != http.StatusGone || got != "/v1.1/member/"+into {
		m.t.Errorf("%s: %d, Location %q, want that of %s", id, res.StatusCode, got, into)
	}
}

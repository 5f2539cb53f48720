package e2e

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"math/rand/v2"
	"net/http"
	"strings"
	"testing"
	"time"

	gocmp "github.com/google/go-cmp/cmp"
	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/api/client"
	"github.com/ovation-analytics/ovation/api/wire"
)

// TestExport_ImportGivesTheSameFeedAndStatistics exports every member of an installation and imports
// the lines into another one by members/register and ovation collect, the actions twice: feed and
// statistics of activity are the same. Each value that member show, domains/logins and the feed show
// of a member is in its export.
func TestExport_ImportGivesTheSameFeedAndStatistics(t *testing.T) {
	t.Parallel()
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	rnd := rand.New(rand.NewPCG(seed, 0))
	from := embedded.start(t)
	p := newModel(rnd, "exported", sizes{brands: 3, fans: 50})
	p.enter(from, 4)
	log := from.publisher()
	defer log.close()
	var records []*kgo.Record
	for i := range 1500 {
		a := p.act(rnd, fmt.Sprint("act-", i), last(20))
		records = append(records, p.anyRecord(rnd, &a))
	}
	log.publish(t, records...)
	from.settled(log.end(t))
	x := &exporting{t: t, model: p, node: from, key: p.keys[from]}
	x.special()

	file := x.all()
	into := embedded.start(t)
	account, key := into.account("imported")
	y := &exporting{t: t, node: into, key: key}
	y.register(file, wire.ServiceLine)
	folder := t.TempDir()
	path := write(t, folder, "export.ndjson", func(w io.Writer) { _, _ = w.Write(file) })
	to := into.publisher()
	defer to.close()
	for _, again := range [][]string{nil, {"--from-start"}} {
		args := append([]string{"--as", "ovation-export", path}, again...)
		if out := startCollect(into, folder, key, domain.AccountID(account), args...).must(); strings.Contains(out, "bad") {
			t.Error(out)
		}
		into.settled(to.end(t))
	}
	y.register(file, wire.SharingLine)
	if a, b := from.rows(), into.rows(); a == 0 || b == 0 {
		t.Errorf("%d rows, and %d of the import", a, b)
	}
	if st := into.status(); st.Letters() != 0 {
		t.Errorf("%d dead letters of the import", st.Letters())
	}
	feed := x.feed()
	if d := gocmp.Diff(feed, y.feed()); d != "" || len(feed) < 1000 {
		t.Errorf("of %d items: %s", len(feed), d)
	}
	if d := gocmp.Diff(x.statistics(), y.statistics()); d != "" {
		t.Error(d)
	}
}

// exporting is an account on a node.
type exporting struct {
	t     *testing.T
	model *model
	node  *node
	key   string
}

func (x *exporting) api() *client.Client { return x.node.api(x.key) }

// passwordHash is that of members by email: what no export has.
const passwordHash = "$2a$04$EJUlD45qOpAs1odwwPz/HO0/4GQDwxArIFWgPs8WBgNF4rVmbNOE."

// special makes members and actions that the model has not: by email alone, of several networks and
// domains, one that shares nothing any more, markers and places, actions that are deleted.
func (x *exporting) special() {
	t, api := x.t, x.api()
	t.Helper()
	many, _, err := client.Do(ctx(t), api, client.RegisterMembers{Records: []client.RegisterMembersRecord{
		{Service: "email", Email: "solo@example.com", PasswordHash: passwordHash, FirstName: "Solo", Country: "DE", Domain: "moons.example"},
		{Service: "email", Email: "half@example.com", PasswordHash: passwordHash, Code: "acme", Username: "half"},
		{
			Service: "deezer", UID: "multi", AuthToken: "t-1", AuthSecret: "s-1", FirstName: "Multi", Surname: "Ple", Username: "multi",
			Email: "multi@example.com", Gender: "F", Birthdate: "24-12-1990", City: "Köln", Domain: "one.example", Followers: new(int64(7)), Expires: "2030-01-01",
			IP: "192.0.2.7", UserAgent: "Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X)", WebPath: "https://one.example/a?b=c", Visitor: "v-7",
			Referrer: "https://search.example/?q=moons",
		},
		{Service: "deezer", UID: "multi", AuthToken: "t-2", Domain: "two.example"},
		{Service: "spotify", UID: "closed", AuthToken: "t"},
	}})
	if err != nil || many.Rejected > 0 {
		t.Fatalf("%v %+v", err, many)
	}
	ids := func(i int) domain.MemberID { return domain.MemberID(number(t, many.Items[i].ID)) }
	for _, p := range []client.Params{
		{"service": "email", "email": "login@example.com", "password": secretPassword, "username": "multi"},
		{"service": "tumblr", "uid": "multi-t", "authtoken": "t", "username": "multi", "userurl": "https://tumblr.example/multi", "paidaccount": "1", "email": "multi@example.com"},
	} {
		if _, _, err := client.Do(ctx(t), api, client.AttachService{MemberID: ids(2), More: p}); err != nil {
			t.Fatal(err)
		}
	}
	update := client.Params{
		"bio": "Plays the organ", "address": "Domkloster 4", "homephone": "+49 221 1", "mobilephone": "+49 170 1", "website": "https://multi.example/",
		"extended": `{"tier":"gold","deep":{"er":[1,"two"]}}`,
	}
	if _, _, err := client.Do(ctx(t), api, client.UpdateMember{MemberID: ids(2), More: update}); err != nil {
		t.Fatal(err)
	}
	var position string
	for i := range 40 {
		who := ids([]int{0, 1, 2, 4}[i%4])
		at := time.Unix(last(20).from+int64(i)*3607, 0).UTC().Format(time.DateTime)
		a := client.Params{
			"id": id(who), "activityid": id(x.model.definitions[i%4].id), "brandid": id(x.model.brands[i%3].id), "timestamp": at,
			"async": "0", "content": fmt.Sprintf(`{"TrackName":"Ünder %d","Deep":{"N":[%d]}}`, i, i), "country": "FR", "city": "Rennes",
		}
		if i%2 == 0 {
			a["marker"], a["link"], a["content"] = fmt.Sprint("marker ", i), fmt.Sprint("https://play.example/", i), "plain text"
		}
		item, meta, err := client.Do(ctx(t), api, client.RecordActivity{Async: new(false), More: a})
		if err != nil {
			t.Fatal(err)
		}
		position = meta.Position
		if i%10 == 9 {
			if _, meta, err = client.Do(ctx(t), api, client.DeleteMemberActivity{MemberID: who, ActionID: domain.ActionID(number(t, item.ID))}); err != nil {
				t.Fatal(err)
			}
			position = meta.Position
		}
	}
	_, meta, err := client.Do(ctx(t), api, client.UpdateMember{MemberID: ids(4), Sharing: new(false)})
	if err != nil {
		t.Fatal(err)
	}
	x.node.eventually("what was recorded", func() bool {
		_, _, err := client.Do(ctx(t), api.At(position), client.ListBrands{})
		_, _, again := client.Do(ctx(t), api.At(meta.Position), client.ListBrands{})
		return err == nil && again == nil
	})
}

// all is the exports of all members, one after the other, each of which has what other answers show.
func (x *exporting) all() []byte {
	x.t.Helper()
	var out bytes.Buffer
	members := 0
	for from := 0; ; from += 1000 {
		list, _, err := client.Do(ctx(x.t), x.api(), client.ListMembers{Limit: fmt.Sprintf("%d,1000", from), Fields: "ID"})
		if err != nil {
			x.t.Fatal(err)
		}
		for _, item := range list.Items {
			members++
			who := domain.MemberID(number(x.t, item.ID))
			var own bytes.Buffer
			end, _, err := x.api().Export(ctx(x.t), client.ExportMember{MemberID: who}, func(_ string, line []byte) error {
				own.Write(line)
				return own.WriteByte('\n')
			})
			if err != nil {
				x.t.Fatal(err)
			}
			x.complete(who, own.Bytes(), int(end.Activities))
			out.Write(own.Bytes())
		}
		if len(list.Items) < 1000 {
			break
		}
	}
	x.t.Logf("%d members, %d bytes", members, out.Len())
	if strings.Contains(out.String(), passwordHash) || strings.Contains(out.String(), "argon2") {
		x.t.Error("an export has a hash")
	}
	return out.Bytes()
}

// complete requires that each value that answers show of a member is in its export.
func (x *exporting) complete(who domain.MemberID, export []byte, actions int) {
	x.t.Helper()
	has := map[string]bool{}
	d := json.NewDecoder(bytes.NewReader(export))
	d.UseNumber()
	for d.More() {
		var line any
		if err := d.Decode(&line); err != nil {
			x.t.Fatal(err)
		}
		leaves(line, func(text string) { has[text] = true })
	}
	month := client.Params{"start_date": daysFromNow(-80), "end_date": daysFromNow(2), "limit": "1000"}
	feed := client.Params{"members": id(who), "all_member_actions": "1", "includeOneTime": "1"}
	maps.Copy(feed, month)
	items := 0
	for path, params := range map[string]client.Params{
		"/v1.1/member/" + id(who): {"extended": "1"}, "/v1.1/member/" + id(who) + "/domains/logins": month, "/v1.1/activity/feed": feed,
	} {
		var body []byte
		if _, err := x.api().Get(ctx(x.t), path, params, &body); err != nil {
			x.t.Fatal(err)
		}
		var answer map[string]any
		d := json.NewDecoder(bytes.NewReader(body))
		d.UseNumber()
		if err := d.Decode(&answer); err != nil {
			x.t.Fatal(err)
		}
		for _, beside := range []string{"jwt", "total", "totalSize"} {
			delete(answer, beside)
		}
		list, _ := answer["items"].([]any)
		items += len(list)
		leaves(answer, func(text string) {
			if !has[text] {
				x.t.Errorf("member %d: the export lacks %q of %s", who, text, path)
			}
		})
	}
	if items != actions {
		x.t.Errorf("member %d: %d actions, the feed has %d", who, actions, items)
	}
}

// daysFromNow is a time so many days from now.
func daysFromNow(n int) string {
	return time.Unix(thisHour, 0).UTC().AddDate(0, 0, n).Format(time.DateTime)
}

// leaves calls f with each text and number within a value.
func leaves(v any, f func(string)) {
	switch v := v.(type) {
	case map[string]any:
		for _, e := range v {
			leaves(e, f)
		}
	case []any:
		for _, e := range v {
			leaves(e, f)
		}
	case string:
		f(v)
	case json.Number:
		f(v.String())
	}
}

// register posts the lines of a type to members/register, as they are but for the hash of an email's password,
// and from the second line of a member on its id.
func (x *exporting) register(export []byte, kind string) {
	x.t.Helper()
	var rounds [][]string // the first lines of all members, then the second ones
	var owner [][]int
	members, n := -1, 0
	for line := range strings.Lines(string(export)) {
		switch {
		case strings.HasPrefix(line, `{"type":"`+wire.MemberLine):
			members, n = members+1, 0
		case strings.HasPrefix(line, `{"type":"`+kind+`","service":"email"`):
			line = strings.Replace(line, "{", `{"password_hash":"`+passwordHash+`",`, 1)
			fallthrough
		case strings.HasPrefix(line, `{"type":"`+kind+`"`):
			if n == len(rounds) {
				rounds, owner = append(rounds, nil), append(owner, nil)
			}
			rounds[n], owner[n] = append(rounds[n], line), append(owner[n], members)
			n++
		}
	}
	ids := map[int]string{}
	for n, lines := range rounds {
		for i, member := range owner[n] {
			if n > 0 {
				lines[i] = strings.Replace(lines[i], "{", `{"id":"`+ids[member]+`",`, 1)
			}
		}
		out := x.post(strings.Join(lines, ""))
		for i, member := range owner[n] {
			ids[member] = out.Items[i].ID
		}
	}
}

// post registers many.
func (x *exporting) post(body string) (out wire.RegisteredMany) {
	x.t.Helper()
	res, err := http.Post("http://"+x.node.HTTP+"/v1.1/members/register?apiKey="+x.key, "application/x-ndjson", strings.NewReader(body))
	if err != nil {
		x.t.Fatal(err)
	}
	defer res.Body.Close()
	if err := json.NewDecoder(res.Body).Decode(&out); err != nil || out.Rejected > 0 || len(out.Items) == 0 {
		x.t.Fatalf("%v %+v", err, out)
	}
	return out
}

package e2e

import (
	"fmt"
	"strings"
	"testing"

	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/api/client"
)

// What looks alike is the same, whichever of Unicode's forms it has: names, identities, contents and keywords, over HTTP, in
// records and in files.
func TestComposed_OneNameInEachForm(t *testing.T) {
	t.Parallel()
	n := embedded.start(t)
	account, key := n.account("forms")
	api := client.New("http://"+n.HTTP, key)
	const apart, whole = "Moto\u0308rhead", "Mot\u00f6rhead"
	const escaped = `Moto\u0308rhead`
	brand := createBrand(t, api, apart)
	member := registerMember(t, api, "zoe\u0308", nil)
	again := registerMember(t, api, "zo\u00eb", nil)
	if again != member {
		t.Errorf("registered as members %d and %d", member, again)
	}
	var played []domain.DefinitionID // one for each way to give a content
	of := func(way int) domain.DefinitionID {
		if way == len(played) {
			played = append(played, createDefinition(t, api, client.Params{"name": fmt.Sprint("played ", way), "type": "Listened", "service": "lastfm"}))
		}
		return played[way]
	}
	to := n.publisher()
	defer to.close()
	record := `{"id":"%d","source":"s","account":%d,"service":"lastfm","serviceUserID":"%s","activityID":%d,"brandID":%d,"content":%s}`
	actions := 0
	for _, uid := range []string{"zoe\u0308", "zo\u00eb", `zoe\u0308`, `zo\u00eb`} {
		for way, content := range []string{
			`{"TrackName":"` + apart + `"}`, `{"TrackName":"` + whole + `"}`, `{"TrackName":"` + escaped + `"}`, `"` + apart + `"`, `"` + escaped + `"`,
		} {
			actions++
			to.publish(t, &kgo.Record{Value: fmt.Appendf(nil, record, actions, account, uid, of(way), brand, content)})
		}
	}
	for _, content := range []string{apart, `{"TrackName":"` + apart + `"}`, `{"TrackName":"` + escaped + `"}`} {
		actions++
		in := client.RecordActivity{ID: member, ActivityID: of(len(played)), BrandID: brand, Content: content}
		if _, _, err := client.Do(ctx(t), api, in); err != nil {
			t.Fatal(err)
		}
	}
	mapping := writeFile(t, t.TempDir(), "m.yaml", `source: own
time: {value: "{at}", unit: s}
member: {service: lastfm, uid: "{who}"}
brand: {create: {name: "{artist}", type: Music}}
activities: {play: {name: "listened to {brand}", type: Listened, service: lastfm}}
content: {TrackName: "{artist}"}
`)
	file := writeFile(t, t.TempDir(), "rows.csv", "at,who,artist\n1700000000,zoe\u0308,"+apart+"\n1700000100,zo\u00eb,"+whole+"\n")
	startCollect(n, t.TempDir(), key, domain.AccountID(account), mapping, file).must()
	actions += 2
	n.settled(to.end(t))
	if st := n.status(); st.Letters() != 0 || int(n.rows()) != actions {
		t.Errorf("%d dead letters, %d of %d actions", st.Letters(), n.rows(), actions)
	}
	for _, keyword := range []string{apart, whole, strings.ToUpper(apart)} {
		brands, _, err := client.Do(ctx(t), api, client.ListBrands{Keyword: keyword})
		if err != nil || brands.TotalSize != "1" || brands.Items[0].Fields["Name"] != whole {
			t.Errorf("brands of %+q: %+v %v", keyword, brands, err)
		}
		for way := range played {
			feed, _, err := client.Do(ctx(t), api, client.GetFeed{Keyword: keyword, ActivityID: id(played[way]), StartDate: "2020-01-01"})
			if err != nil || feed.TotalSize != "1" {
				t.Errorf("actions with %+q in way %d: %+v %v", keyword, way, feed, err)
			}
		}
	}
}

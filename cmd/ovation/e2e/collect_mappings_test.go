package e2e

import (
	"bytes"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/api/client"
	"github.com/ovation-analytics/ovation/cmd/ovation/collect/mappings"
)

// Each ready mapping imports its sample with all that is missing, and the second time nothing new. After its runs are
// undone every number is as before.
func TestCollect_ReadyMappingsTwice(t *testing.T) {
	t.Parallel()
	n := embedded.start(t)
	account, key := n.account("history")
	api := client.New("http://"+n.HTTP, key)
	if _, _, err := client.Do(ctx(t), api, client.RegisterMember{Service: "spotify", UID: "ann", AuthToken: "t"}); err != nil {
		t.Fatal(err)
	}
	for _, user := range []string{"u1", "u2"} { // of the sites' samples
		r := client.RegisterMember{Service: "spotify", UID: "site-" + user, AuthToken: "t", Code: "site", SourceUID: user}
		if _, _, err := client.Do(ctx(t), api, r); err != nil {
			t.Fatal(err)
		}
	}
	to := n.publisher()
	defer to.close()
	own := writeFile(t, t.TempDir(), "own.yaml", "source: own\ntime: {value: \"{at}\", unit: s}\nmember: {service: spotify, uid: of-spotify}\n"+
		"brand: {create: {name: The Moons, type: Music}}\nactivities: {play: {name: \"listened to {brand}\", type: Listened, service: spotify}}\n")
	startCollect(n, t.TempDir(), key, domain.AccountID(account), own, writeFile(t, t.TempDir(), "own.csv", "at\n1700000000\n1709287200\n")).must()
	n.settled(to.end(t))
	was := numbersOf(t, api)
	total, folder := int(n.rows()), t.TempDir()
	for _, again := range [][]string{nil, {"--from-start"}} {
		counted := 0
		for _, ready := range mappings.All() {
			found, err := filepath.Glob("../collect/mappings/testdata/" + ready.Name + ".*")
			if err != nil || len(found) != 1 {
				t.Fatal(ready.Name, found, err)
			}
			path, err := filepath.Abs(found[0])
			if err != nil {
				t.Fatal(err)
			}
			args := append([]string{"--as", ready.Name, path}, again...)
			if bytes.Contains(ready.Text, []byte("given: true")) {
				args = append(args, "--member", "spotify:of-"+ready.Name)
			}
			startCollect(n, folder, key, domain.AccountID(account), args...).must()
			n.settled(to.end(t))
			is := int(n.rows())
			if again == nil && is != total+samples[ready.Name] || again != nil && is != total {
				t.Errorf("%s %v: %d actions, %d before", ready.Name, again, is, total)
			}
			total, counted = is, counted+1
		}
		if counted != len(samples) {
			t.Errorf("%d mappings", counted)
		}
	}
	_, ids := runsIn(t, folder)
	startUndo(n, folder, key, ids...).must()
	if d := cmp.Diff(was, numbersOf(t, api)); d != "" {
		t.Error(d)
	}
	if st := n.status(); st.Letters() != 0 {
		t.Errorf("%d dead letters", st.Letters())
	}
}

// samples are the actions in the sample of each ready mapping.
var samples = map[string]int{
	"access-log": 2, "apple-music": 2, "cloudevents": 2, "deezer": 2, "facebook-likes": 2, "ga4": 2, "instagram-likes": 2, "kafka-connect": 2, "lastfm": 2, "lastfm-plain": 2, "listenbrainz": 2,
	"ovation-export": 2, "segment": 2, "snowplow": 2, "spotify": 3, "spotify-short": 2, "youtube": 2, "youtube-music": 2,
}

package mappings

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/ovation-analytics/ovation/cmd/ovation/collect/input"
)

// sample is the file of made-up rows.
func sample(t *testing.T, name string) string {
	t.Helper()
	found, err := filepath.Glob("testdata/" + name + ".*")
	if err != nil || len(found) != 1 {
		t.Fatalf("%s: %v %v", name, found, err)
	}
	return found[0]
}

// mapped is what the mapping makes of its sample, an action a line.
func mapped(t *testing.T, r Ready, path string) (lines []string, ids map[string]bool) {
	t.Helper()
	m, err := input.ParseMapping(r.Text)
	if err != nil {
		t.Fatalf("%s: %v", r.Name, err)
	}
	if m.Member.Given {
		if _, err := input.OpenFile(m, path, nil); err == nil || !strings.Contains(err.Error(), "--member") {
			t.Errorf("%s without a member: %v", r.Name, err)
		}
		if err := m.SetMember("spotify:ann"); err != nil {
			t.Fatal(err)
		}
	} else if err := m.SetMember("spotify:ann"); err == nil {
		t.Errorf("%s: a member of its own and --member", r.Name)
	}
	s, err := input.OpenFile(m, path, nil)
	if err != nil {
		t.Fatalf("%s: %v", r.Name, err)
	}
	defer s.Close()
	ids = map[string]bool{}
	for {
		row, err := s.Next()
		if errors.Is(err, io.EOF) {
			return lines, ids
		}
		if err != nil || row.Err != nil {
			t.Fatalf("%s: line %d: %v %v", r.Name, row.Line, err, row.Err)
		}
		a := row.Action
		ids[a.ID] = true
		if m.Member.Given && !strings.HasPrefix(a.ID, "spotify:ann/") {
			t.Errorf("%s: id %s of any member", r.Name, a.ID)
		}
		where, _ := json.Marshal(a.Where())
		lines = append(lines, fmt.Sprintf("%s %s %s %s/%s %s %s %s", a.Member.Key(), time.Unix(int64(a.Time), 0).UTC().Format(time.RFC3339),
			a.Activity.Name, a.Brand.Create["type"], a.Brand.Create["name"], a.Content, a.Link, where))
	}
}

func TestMappings_OfTheirSamples(t *testing.T) {
	t.Parallel()
	want := map[string][]string{
		"spotify": {
			`spotify:ann 2024-03-01T10:00:00Z spotify/repeated/Listened/listened to {brand} Music/The Moons {"AlbumName":"Night","Seconds":184,"TrackName":"Lantern"} https://open.spotify.com/track/4cOdK2wGLETKBW3PvgPWqT {"country":"DE"}`,
			`spotify:ann 2024-03-01T10:05:04Z spotify/repeated/Listened/listened to {brand} Music/The Moons {"AlbumName":"Night","Seconds":0,"TrackName":"Tide"} https://open.spotify.com/track/1cOdK2wGLETKBW3PvgPWqT null`,
			`spotify:ann 2024-03-02T19:29:59Z spotify/repeated/Listened/listened to {brand} Podcast/Radio Nuit {"Seconds":1800.5,"TrackName":"On drums"} https://open.spotify.com/episode/5cOdK2wGLETKBW3PvgPWqT {"country":"FR"}`,
		},
		"spotify-short": {
			`spotify:ann 2023-01-02T09:59:56Z spotify/repeated/Listened/listened to {brand} Music/The Moons {"Seconds":184,"TrackName":"Lantern"}  null`,
			`spotify:ann 2023-01-02T10:03:17Z spotify/repeated/Listened/listened to {brand} Music/Motörhead {"Seconds":222.333,"TrackName":"Bomber"}  null`,
		},
		"lastfm": {
			`spotify:ann 2024-01-01T00:00:00Z lastfm/repeated/Listened/listened to {brand} Music/The Moons {"AlbumName":"Night","TrackName":"Lantern"}  null`,
			`spotify:ann 2024-01-01T00:05:00Z lastfm/repeated/Listened/listened to {brand} Music/Motörhead {"TrackName":"Bomber, live"}  null`,
		},
		"lastfm-plain": {
			`spotify:ann 2018-01-14T12:34:00Z lastfm/repeated/Listened/listened to {brand} Music/The Moons {"AlbumName":"Night","TrackName":"Lantern"}  null`,
			`spotify:ann 2018-02-04T01:02:00Z lastfm/repeated/Listened/listened to {brand} Music/Motörhead {"TrackName":"Bomber, live"}  null`,
		},
		"listenbrainz": {
			`spotify:ann 2024-01-01T00:00:00Z custom/repeated/Listened/listened to {brand} Music/The Moons {"AlbumName":"Night","ISRC":"DEA123456789","TrackName":"Lantern"}  null`,
			`spotify:ann 2024-01-01T00:05:00Z custom/repeated/Listened/listened to {brand} Music/Motörhead {"TrackName":"Bomber"}  null`,
		},
		"apple-music": {
			`spotify:ann 2024-01-01T00:00:00Z custom/repeated/Listened/listened to {brand} Music/The Moons {"AlbumName":"Night","Seconds":184,"TrackName":"Lantern"}  {"country":"DE"}`,
			`spotify:ann 2024-01-02T00:00:00Z custom/repeated/Listened/listened to {brand} Music/Motörhead {"AlbumName":"Bomber","Seconds":0,"TrackName":"Bomber"}  {"country":"FR"}`,
		},
		"deezer": {
			`spotify:ann 2024-01-01T00:00:00Z deezer/repeated/Listened/listened to {brand} Music/The Moons {"AlbumName":"Night","ISRC":"DEA123456789","Seconds":"184","TrackName":"Lantern"}  null`,
			`spotify:ann 2024-01-02T00:00:00Z deezer/repeated/Listened/listened to {brand} Music/Motörhead {"AlbumName":"Bomber","ISRC":"GBA123456789","Seconds":"222","TrackName":"Bomber"}  null`,
		},
		"youtube": {
			`spotify:ann 2025-11-21T14:03:11Z youtube/repeated/Watched/watched {brand} Channel/The Moons {"ChannelURL":"https://www.youtube.com/channel/UCA","Title":"The Moons - Lantern"} https://www.youtube.com/watch?v=AAAAAAAAAAA null`,
			`spotify:ann 2025-11-20T14:03:11Z youtube/repeated/Watched/watched {brand} Channel/Night Radio {"ChannelURL":"https://www.youtube.com/channel/UCB","Title":"Tide"} https://www.youtube.com/watch?v=BBBBBBBBBBB null`,
		},
		"youtube-music": {
			`spotify:ann 2025-11-19T14:03:11Z youtube/repeated/Listened/listened to {brand} Music/Motörhead {"TrackName":"Bomber"} https://music.youtube.com/watch?v=CCCCCCCCCCC null`,
			`spotify:ann 2025-11-18T14:03:11Z youtube/repeated/Listened/listened to {brand} Music/The Moons {"TrackName":"Lantern"} https://music.youtube.com/watch?v=DDDDDDDDDDD null`,
		},
		"instagram-likes": {
			`spotify:ann 2024-01-01T00:00:00Z instagram/repeated/Social/liked a post of {brand} Account/the.moons  https://www.instagram.com/p/AAA/ null`,
			`spotify:ann 2024-01-01T00:05:00Z instagram/repeated/Social/liked a post of {brand} Account/motörhead  https://www.instagram.com/p/BBB/ null`,
		},
		"facebook-likes": {
			`spotify:ann 2024-01-01T00:00:00Z facebook/onetime/Social/liked {brand} Page/Motörhead   null`,
			`spotify:ann 2024-01-01T00:05:00Z facebook/onetime/Social/liked {brand} Page/The Moons   null`,
		},
		"access-log": {
			`site:u1 2024-01-01T00:00:00Z custom/repeated/Visited/viewed a page of {brand} Website/access-log.log {"Path":"/tour"}  null`,
			`site:u2 2024-01-01T00:05:00Z custom/repeated/Visited/viewed a page of {brand} Website/access-log.log {"Path":"/shop?a=1"}  null`,
		},
		"ga4": {
			`site:u1 2024-01-01T00:00:00Z custom/repeated/Visited/page_view Website/www.moons.example {"Title":"Tour"} https://www.moons.example/tour null`,
			`site:u2 2024-01-01T00:05:00Z custom/repeated/Visited/purchase Website/example.moons   null`,
		},
		"segment": {
			`site:u1 2024-01-01T00:00:00Z custom/repeated/Visited/Song Played Website/www.moons.example {"title": "Lantern", "seconds": 184} https://www.moons.example/listen null`,
			`site:u2 2024-01-01T00:05:00Z custom/repeated/Visited/Ticket Bought Website/Moons {"price": 30.5}  null`,
		},
		"snowplow": {
			`site:u1 2024-01-01T00:00:00Z custom/repeated/Visited/page_view Website/www.moons.example {"Title":"Tour"} https://www.moons.example/tour {"country":"DE","city":"Berlin"}`,
			`site:u2 2024-01-01T00:05:00Z custom/repeated/Visited/struct Website/www.moons.example {"Action":"add \"t-shirt\"","Category":"shop"} https://www.moons.example/shop null`,
		},
		"cloudevents": {
			`site:u1 2024-01-01T00:00:00Z custom/repeated/Visited/example.moons.song.played Website/www.moons.example {"userId": "u1", "title": "Lantern"}  null`,
			`site:u2 2024-01-01T00:05:00Z custom/repeated/Visited/example.moons.ticket.bought Website//moons/shop {"price": 30.5}  null`,
		},
		"kafka-connect": {
			`site:u1 2024-01-01T00:00:00Z custom/repeated/Visited/page_view Website/www.moons.example {"title":"Tour"} https://www.moons.example/tour null`,
			`site:u2 2024-01-01T00:05:00Z custom/repeated/Visited/signup Website/moons.events   null`,
		},
		"ovation-export": {
			`spotify:ann 2026-01-02T03:04:05Z custom/onetime/Visited/saw {brand} Music/The Moons {"A":[1]}  {"country":"DE"}`,
			`spotify:ann 2026-01-02T03:04:06Z lastfm/repeated/Listened/heard {brand} Music/Motörhead   null`,
		},
	}
	for _, r := range All() {
		got, ids := mapped(t, r, sample(t, r.Name))
		if d := cmp.Diff(want[r.Name], got); d != "" {
			t.Errorf("%s:\n%s", r.Name, d)
		}
		if len(ids) != len(got) {
			t.Errorf("%s: %d ids of %d actions", r.Name, len(ids), len(got))
		}
		if r.About == "" || strings.Contains(r.About, ": {") {
			t.Errorf("%s says %q", r.Name, r.About)
		}
	}
	if len(want) != len(All()) {
		t.Errorf("%d mappings", len(All()))
	}
}

// The mapping of a file is guessed by its rows, and where that is not sure, it says between which.
func TestGuess_ByTheFirstRows(t *testing.T) {
	t.Parallel()
	for _, r := range All() {
		got, err := Guess(sample(t, r.Name))
		if err != nil || got.Name != r.Name {
			t.Errorf("%s: %s %v", r.Name, got.Name, err)
		}
	}
	dir := t.TempDir()
	for text, says := range map[string]string{
		"a,b\n1,2\n": "no ready mapping fits",
		"":           "no ready mapping fits",
		`[{"header":"YouTube","title":"Watched A","titleUrl":"u","subtitles":[{"name":"A"}],"time":"2025-11-21T14:03:11.123Z"},` +
			`{"header":"YouTube Music","title":"Watched B","titleUrl":"v","subtitles":[{"name":"B"}],"time":"2025-11-21T14:03:11.123Z"}]`: "its rows fit youtube-music and youtube: name one of them by --as",
	} {
		path := filepath.Join(dir, "x")
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := Guess(path); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%q: %v", text, err)
		}
	}
	if _, err := Guess(filepath.Join(dir, "none")); !errors.Is(err, os.ErrNotExist) {
		t.Error(err)
	}
}

func TestFind_ByName(t *testing.T) {
	t.Parallel()
	if r, err := Find("spotify"); err != nil || r.Name != "spotify" {
		t.Error(r.Name, err)
	}
	if _, err := Find("spottify"); err == nil || !strings.Contains(err.Error(), "there are access-log, apple-music, cloudevents, deezer,") {
		t.Error(err)
	}
}

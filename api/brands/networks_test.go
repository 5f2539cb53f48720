package brands

import (
	"slices"
	"strings"
	"testing"

	"github.com/ovation-analytics/ovation/actors/domain"
)

// addresses are shapes of addresses as networks have them, with what is read out of each.
var addresses = []struct{ field, address, want string }{
	{"FacebookURL", "https://www.facebook.com/themoons", ""},
	{"FacebookURL", "https://m.facebook.com/profile.php?id=100012345678901&sk=about", "FacebookID=100012345678901"},
	{"FacebookURL", "https://www.facebook.com/profile/100012345678901/", "FacebookID=100012345678901"},
	{"FacebookURL", "HTTPS://WWW.FACEBOOK.COM/PAGES/The-Moons/123456?ref=ts", "FacebookID=123456"},
	{"FacebookURL", "https://www.facebook.com/pages/category/Musician-band/The-Moons-123456789/", "FacebookID=123456789"},
	{"FacebookURL", "https://www.facebook.com/people/The-Moons/100012345678901/", "FacebookID=100012345678901"},
	{"FacebookURL", "https://facebook.com/p/The-Moons-100012345678901/", "FacebookID=100012345678901"},
	{"FacebookURL", "https://www.facebook.com/pg/The-Moons-123456789/posts/", "FacebookID=123456789"},
	{"FacebookURL", "https://www.facebook.com/The-Moons-123456789/", "FacebookID=123456789"},
	{"FacebookURL", "https://fb.com/123456789", "FacebookID=123456789"},
	{"FacebookURL", "https://m.facebook.com/story.php?story_fbid=1015&id=123456789", "FacebookID=123456789"},
	{"FacebookURL", "https://www.facebook.com/themoons/posts/10158", ""},
	{"FacebookURL", "https://www.facebook.com/themoons/photos/a.1/10158/?type=3", ""},
	{"FacebookURL", "https://www.facebook.com/events/123456", ""},
	{"FacebookURL", "https://www.facebook.com/groups/123456/", ""},
	{"FacebookURL", "https://facebook.com.evil.example/123456", ""},
	{"FacebookURL", "https://facebook.com@evil.example/123456", ""},

	{"TwitterURL", "https://twitter.com/TheMoons", "TwitterScreenName=TheMoons"},
	{"TwitterURL", "https://x.com/TheMoons/", "TwitterScreenName=TheMoons"},
	{"TwitterURL", "http://MOBILE.TWITTER.COM/themoons?lang=de#top", "TwitterScreenName=themoons"},
	{"TwitterURL", "https://twitter.com/#!/themoons", "TwitterScreenName=themoons"},
	{"TwitterURL", "https://twitter.com/themoons/status/123?s=20", "TwitterScreenName=themoons"},
	{"TwitterURL", "https://twitter.com/intent/user?screen_name=themoons", "TwitterScreenName=themoons"},
	{"TwitterURL", "https://twitter.com/intent/user?user_id=4711", "TwitterID=4711"},
	{"TwitterURL", "https://x.com/i/user/4711", "TwitterID=4711"},
	{"TwitterURL", "https://x.com/i/lists/4711", ""},
	{"TwitterURL", "https://twitter.com/hashtag/moons", ""},
	{"TwitterURL", "https://twitter.com/search?q=moons", ""},
	{"TwitterURL", "https://twitter.com/the-moons", ""},

	{"InstagramURL", "https://www.instagram.com/the.moons_/?hl=de", "InstagramUsername=the.moons_"},
	{"InstagramURL", "HTTP://INSTAGRAM.COM/TheMoons", "InstagramUsername=TheMoons"},
	{"InstagramURL", "https://instagram.com/_u/moons/", "InstagramUsername=moons"},
	{"InstagramURL", "https://instagr.am/moons", "InstagramUsername=moons"},
	{"InstagramURL", "https://www.instagram.com/stories/moons/123/", "InstagramUsername=moons"},
	{"InstagramURL", "https://www.instagram.com/moons/p/Cx1/", "InstagramUsername=moons"},
	{"InstagramURL", "https://www.instagram.com/p/Cx1/", ""},
	{"InstagramURL", "https://www.instagram.com/reel/Cx1/", ""},
	{"InstagramURL", "https://www.instagram.com/explore/tags/moons/", ""},

	{"YouTubeURL", "https://www.youtube.com/channel/UC-9-kyTW8ZkZNDHQJ6FgpwQ", "YouTubeUsername=UC-9-kyTW8ZkZNDHQJ6FgpwQ"},
	{"YouTubeURL", "https://m.youtube.com/c/TheMoons/videos", "YouTubeUsername=TheMoons"},
	{"YouTubeURL", "https://www.youtube.com/@TheMoons/featured", "YouTubeUsername=TheMoons"},
	{"YouTubeURL", "HTTPS://YOUTUBE.COM/USER/TheMoons", "YouTubeUsername=TheMoons"},
	{"YouTubeURL", "https://music.youtube.com/channel/UCabc?feature=share", "YouTubeUsername=UCabc"},
	{"YouTubeURL", "https://www.youtube.com/TheMoons", "YouTubeUsername=TheMoons"},
	{"YouTubeURL", "https://www.youtube.com/profile?user=TheMoons", "YouTubeUsername=TheMoons"},
	{"YouTubeURL", "https://www.youtube.com/watch?v=dQw4", ""},
	{"YouTubeURL", "https://www.youtube.com/playlist?list=PL1", ""},
	{"YouTubeURL", "https://youtu.be/dQw4", ""},

	{"SpotifyURL", "https://open.spotify.com/artist/4dpARuHxo51G3z768sgnrY", "SpotifyID=4dpARuHxo51G3z768sgnrY"},
	{"SpotifyURL", "https://open.spotify.com/intl-pt/artist/4dpARuHxo51G3z768sgnrY?si=x&nd=1", "SpotifyID=4dpARuHxo51G3z768sgnrY"},
	{"SpotifyURL", "https://OPEN.SPOTIFY.COM/Artist/4dpARuHxo51G3z768sgnrY/discography/all", "SpotifyID=4dpARuHxo51G3z768sgnrY"},
	{"SpotifyURL", "https://play.spotify.com/artist/4dpARuHxo51G3z768sgnrY/", "SpotifyID=4dpARuHxo51G3z768sgnrY"},
	{"SpotifyURL", "https://open.spotify.com/embed/artist/4dpARuHxo51G3z768sgnrY", "SpotifyID=4dpARuHxo51G3z768sgnrY"},
	{"SpotifyURL", "spotify:artist:4dpARuHxo51G3z768sgnrY", "SpotifyID=4dpARuHxo51G3z768sgnrY"},
	{"SpotifyURL", "https://open.spotify.com/show/2hmkzUtix0qTqvtpPcMzEL", "SpotifyID=2hmkzUtix0qTqvtpPcMzEL"},
	{"SpotifyURL", "https://open.spotify.com/playlist/37i9dQZF1DX", "SpotifyID=37i9dQZF1DX"},
	{"SpotifyURL", "https://open.spotify.com/user/artist/playlist/37i9dQZF1DX", "SpotifyID=37i9dQZF1DX"},
	{"SpotifyURL", "spotify:user:moons:playlist:37i9dQZF1DX", "SpotifyID=37i9dQZF1DX"},
	{"SpotifyURL", "https://open.spotify.com/user/moons", ""},
	{"SpotifyURL", "https://open.spotify.com/artist/", ""},
	{"SpotifyURL", "https://open.spotify.com/search/artist", ""},
	{"SpotifyUserURL", "https://open.spotify.com/user/moons?si=1", "SpotifyUserID=moons"},
	{"SpotifyUserURL", "https://open.spotify.com/user/moons/playlist/37i9dQZF1DX", "SpotifyUserID=moons"},
	{"SpotifyUserURL", "https://open.spotify.com/user/the%20moons", "SpotifyUserID=the moons"},
	{"SpotifyUserURL", "SPOTIFY:user:moons", "SpotifyUserID=moons"},
	{"SpotifyUserURL", "https://open.spotify.com/playlist/37i9dQZF1DX", ""},

	{"DeezerURL", "https://www.deezer.com/artist/27", "DeezerID=27"},
	{"DeezerURL", "https://www.deezer.com/us/artist/27/top_track?utm_source=x", "DeezerID=27"},
	{"DeezerURL", "HTTP://DEEZER.COM/FR/ARTIST/27/", "DeezerID=27"},
	{"DeezerURL", "https://www.deezer.com/en/album/27", ""},
	{"DeezerURL", "https://deezer.page.link/abc", ""},
	{"DeezerUserURL", "https://www.deezer.com/de/profile/27/playlists", "DeezerUserID=27"},
	{"DeezerUserURL", "https://www.deezer.com/user/27", "DeezerUserID=27"},

	{"AppleMusicURL", "https://music.apple.com/de/artist/the-moons/12345?app=music", "AppleMusicID=12345 AppleMusicName=the-moons"},
	{"AppleMusicURL", "https://music.apple.com/us/artist/the-moons/12345/see-all?section=top-songs", "AppleMusicID=12345 AppleMusicName=the-moons"},
	{"AppleMusicURL", "https://music.apple.com/gb/artist/311/78741", "AppleMusicID=78741 AppleMusicName=311"},
	{"AppleMusicURL", "https://music.apple.com/fr/artist/beyonc%C3%A9/1419227", "AppleMusicID=1419227 AppleMusicName=beyoncé"},
	{"AppleMusicURL", "https://ITUNES.apple.com/artist/id12345", "AppleMusicID=12345"},
	{"AppleMusicURL", "https://geo.music.apple.com/us/artist/the-moons/12345/", "AppleMusicID=12345 AppleMusicName=the-moons"},
	{"AppleMusicURL", "https://music.apple.com/us/album/blue/12345", ""},

	{"NapsterURL", "https://play.napster.com/artist/art.9974", "NapsterID=art.9974"},
	{"NapsterURL", "https://app.napster.com/artist/the-moons/art.9974", "NapsterID=art.9974"},
	{"NapsterURL", "https://us.napster.com/artist/the-moons/album/blue", "NapsterID=the-moons"},
	{"NapsterURL", "http://www.rhapsody.com/artist/the-moons", "NapsterID=the-moons"},
	{"NapsterUserURL", "https://app.napster.com/profile/moons/", "NapsterUserID=moons"},
	{"NapsterUserURL", "http://www.rhapsody.com/members/moons", "NapsterUserID=moons"},

	{"SoundCloudURL", "https://soundcloud.com/the-moons/sets/blue?si=x", "SoundCloudUsername=the-moons"},
	{"SoundCloudURL", "HTTPS://M.SOUNDCLOUD.COM/the-moons/", "SoundCloudUsername=the-moons"},
	{"SoundCloudURL", "https://api.soundcloud.com/users/4711", "SoundCloudID=4711"},
	{"SoundCloudURL", "https://w.soundcloud.com/player/?url=https%3A//api.soundcloud.com/users/4711&color=ff5500", "SoundCloudID=4711"},
	{"SoundCloudURL", "https://w.soundcloud.com/player/?url=https%3A//evil.example/users/4711", ""},
	{"SoundCloudURL", "https://soundcloud.com/discover", ""},
	{"SoundCloudURL", "https://on.soundcloud.com/AbC", ""},

	{"GoogleURL", "https://plus.google.com/+TheMoons/posts", "GoogleID=+TheMoons"},
	{"GoogleURL", "https://plus.google.com/u/0/118000000000000000000", "GoogleID=118000000000000000000"},
	{"GoogleURL", "https://plus.google.com/118000000000000000000/about?hl=de", "GoogleID=118000000000000000000"},
	{"GoogleURL", "https://www.google.com/+TheMoons", "GoogleID=+TheMoons"},
	{"GoogleURL", "https://profiles.google.com/themoons", "GoogleID=themoons"},
	{"GoogleURL", "https://plus.google.com/communities/118", ""},
	{"GoogleURL", "https://www.google.com/search?q=moons", ""},

	// Networks of which a brand has the address alone.
	{"TumblrURL", "https://moons.tumblr.com/archive", ""},
	{"TumblrURL", "https://www.tumblr.com/moons", ""},
	{"TwitchURL", "https://m.twitch.tv/moons/videos", ""},
	{"DiscordServerURL", "https://discord.gg/moons", ""},
	{"DiscordServerURL", "https://discord.com/invite/moons", ""},
	{"RedditURL", "https://old.reddit.com/r/moons/", ""},
	{"TikTokURL", "https://www.tiktok.com/@moons?lang=de", ""},
	{"GroovesharkURL", "http://grooveshark.com/#!/artist/Moons/4711", ""},
	{"LastFMURL", "https://www.last.fm/de/music/The+Moons", ""},
	{"WikipediaURL", "https://de.m.wikipedia.org/wiki/Mond_(Band)", ""},
	{"SpotifyPodcastURL", "https://open.spotify.com/show/2hmkzUtix0qTqvtpPcMzEL", ""},
	{"SpotifyPodcastURL", "spotify:show:2hmkzUtix0qTqvtpPcMzEL", ""},
	// What no field can hold is left out.
	{"YouTubeURL", "https://www.youtube.com/c/%ff", ""},
	{"SpotifyUserURL", "https://open.spotify.com/user/a%0Ab", ""},
	{"AppleMusicURL", "https://music.apple.com/us/artist/" + strings.Repeat("m", 256) + "/12345", "AppleMusicID=12345"},

	{"OfficialWebsiteURL", "https://moons.example/?a=b#c", ""},
}

// Names and ids are read out of the addresses that networks have, and out of no other.
func TestDerive_RealAddresses(t *testing.T) {
	for _, c := range addresses {
		given := domain.BrandFields{c.field: c.address}
		derive(given)
		var got []string
		for name, v := range given {
			if name != c.field && v != "" {
				got = append(got, name+"="+v)
			}
		}
		slices.Sort(got)
		if strings.Join(got, " ") != c.want {
			t.Errorf("%s %s: %s, want %s", c.field, c.address, got, c.want)
		}
		if given[c.field] != c.address {
			t.Errorf("%s %s became %s", c.field, c.address, given[c.field])
		}
	}
}

// Each network of the interface has addresses in the table, and each field that can be read out
// of one is read.
func TestDerive_EachFieldIsRead(t *testing.T) {
	fields := map[string]bool{}
	for _, c := range addresses {
		fields[c.field] = true
		for pair := range strings.SplitSeq(c.want, " ") {
			name, _, _ := strings.Cut(pair, "=")
			fields[name] = true
		}
	}
	var in fieldsIn
	for _, urls := range []map[string]bool{keys(in.musicURLs.byField()), keys(in.socialURLs.byField())} {
		for name := range urls {
			if !fields[name] {
				t.Errorf("%s has no address in the table", name)
			}
		}
	}
	for _, l := range links {
		for _, name := range l.derived {
			if !fields[name] && name != "DeezerName" { // which no address has
				t.Errorf("%s is read out of no address of the table", name)
			}
		}
	}
}

func keys[V any](m map[string]V) map[string]bool {
	out := map[string]bool{}
	for name := range m {
		out[name] = true
	}
	return out
}

// An address of Spotify is one on the web or a URI of Spotify's, no other.
func TestSpotifyURL_Forms(t *testing.T) {
	for s, good := range map[string]bool{
		"https://open.spotify.com/artist/1": true, " spotify:artist:1 ": true, "spotify:user:moons:playlist:1": true, "Spotify:show:1": true,
		"spotify:": false, "spotify:artist": false, "spotify:artist:": false, "spotify://artist/1": false, "spotify:artist:<b>": false,
		"javascript:alert(1)": false, "notspotify:artist:1": false, "artist": false,
	} {
		var u spotifyURL
		if err := u.ParseParam(s); (err == nil) != good || good && string(u) != strings.TrimSpace(s) {
			t.Errorf("%q: %q %v", s, u, err)
		}
	}
}

// FuzzDerive_ReadsWhatIsThere holds that what is read out of an address is no longer than the address, and fits a
// field.
func FuzzDerive_ReadsWhatIsThere(f *testing.F) {
	for _, c := range addresses {
		f.Add(c.field, c.address)
	}
	f.Fuzz(func(t *testing.T, field, address string) {
		given := domain.BrandFields{field: address}
		derive(given)
		for name, v := range given {
			if name != field && (len(v) > len(address) || !storable(v)) {
				t.Errorf("%s: %q out of %q", name, v, address)
			}
		}
	})
}

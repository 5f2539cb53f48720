package brands

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"maps"
	"regexp"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/api/bind"
	"github.com/ovation-analytics/ovation/api/wire"
)

// fieldsIn are a brand's fields beside name and type.
type fieldsIn struct {
	Slug               *slug     `name:"slug" doc:"unique within the account; from the name where none is given" eg:"the-moons"`
	ImageURL           *bind.URL `name:"imageurl" doc:"address of a picture" eg:"https://example.com/moon.png"`
	HashTag            *string   `name:"hashtag" doc:"hash tag without #" eg:"moons"`
	OfficialWebsiteURL *bind.URL `name:"officialwebsiteurl" doc:"official web site" eg:"https://moons.example"`
	WikipediaURL       *bind.URL `name:"wikipediaurl" doc:"page on Wikipedia" eg:"https://en.wikipedia.org/wiki/Moon"`
	musicURLs
	socialURLs

	custom domain.BrandFields
}

// musicURLs are a brand's pages on services that play music.
type musicURLs struct {
	SpotifyURL        *spotifyURL `name:"spotifyurl" doc:"artist on Spotify; SpotifyID is read out of it" eg:"https://open.spotify.com/artist/4dpARuHxo51G3z768sgnrY"`
	SpotifyUserURL    *spotifyURL `name:"spotifyuserurl" doc:"owner of playlists, separate from the artist's profile" eg:"https://open.spotify.com/user/moons"`
	SpotifyPodcastURL *spotifyURL `name:"spotifypodcasturl" doc:"podcast on Spotify" eg:"https://open.spotify.com/show/1"`
	DeezerURL         *bind.URL   `name:"deezerurl" doc:"artist on Deezer; DeezerID is read out of it" eg:"https://www.deezer.com/en/artist/27"`
	DeezerUserURL     *bind.URL   `name:"deezeruserurl" doc:"profile on Deezer; DeezerUserID is read out of it" eg:"https://www.deezer.com/profile/5"`
	AppleMusicURL     *bind.URL   `name:"applemusicurl" doc:"artist on Apple Music; AppleMusicID and AppleMusicName are read out of it" eg:"https://music.apple.com/us/artist/moons/12345"`
	NapsterURL        *bind.URL   `name:"napsterurl" doc:"artist on Napster; NapsterID is read out of it" eg:"https://app.napster.com/artist/art.1"`
	NapsterUserURL    *bind.URL   `name:"napsteruserurl" doc:"profile on Napster; NapsterUserID is read out of it" eg:"https://app.napster.com/profile/moons"`
	SoundCloudURL     *bind.URL   `name:"soundcloudurl" doc:"profile on SoundCloud; SoundCloudUsername is read out of it" eg:"https://soundcloud.com/moons"`
	GroovesharkURL    *bind.URL   `name:"groovesharkurl" doc:"artist on Grooveshark" eg:"https://grooveshark.com/moons"`
	LastFMURL         *bind.URL   `name:"lastfmurl" doc:"artist on Last.fm" eg:"https://www.last.fm/music/Moons"`
}

// spotifyURL is an address of Spotify: on the web, or a URI such as spotify:artist:<id>.
type spotifyURL bind.URL

// Verbatim says that an address is not composed.
func (*spotifyURL) Verbatim() {}

// ParseParam reads an address.
func (u *spotifyURL) ParseParam(s string) error {
	s = strings.TrimSpace(s)
	if len(s) <= 255 && spotifyForm.MatchString(s) {
		*u = spotifyURL(s)
		return nil
	}
	if err := (*bind.URL)(u).ParseParam(s); err != nil {
		return errors.New("must be an http or https address, or a URI of Spotify")
	}
	return nil
}

// spotifyForm is the form of a URI of Spotify.
var spotifyForm = regexp.MustCompile(`^(?i:spotify)(:[A-Za-z0-9%._~-]+){2,5}$`)

func (u *musicURLs) byField() map[string]*bind.URL {
	return map[string]*bind.URL{
		"SpotifyURL": (*bind.URL)(u.SpotifyURL), "SpotifyUserURL": (*bind.URL)(u.SpotifyUserURL), "SpotifyPodcastURL": (*bind.URL)(u.SpotifyPodcastURL),
		"DeezerURL": u.DeezerURL, "DeezerUserURL": u.DeezerUserURL, "AppleMusicURL": u.AppleMusicURL,
		"NapsterURL": u.NapsterURL, "NapsterUserURL": u.NapsterUserURL, "SoundCloudURL": u.SoundCloudURL,
		"GroovesharkURL": u.GroovesharkURL, "LastFMURL": u.LastFMURL,
	}
}

// socialURLs are a brand's pages on networks.
type socialURLs struct {
	FacebookURL      *bind.URL `name:"facebookurl" doc:"page on Facebook; FacebookID is read out of it" eg:"https://www.facebook.com/pages/Moons/123456"`
	TwitterURL       *bind.URL `name:"twitterurl" doc:"profile on Twitter; TwitterScreenName is read out of it" eg:"https://twitter.com/moons"`
	InstagramURL     *bind.URL `name:"instagramurl" doc:"profile on Instagram; InstagramUsername is read out of it" eg:"https://www.instagram.com/moons/"`
	YouTubeURL       *bind.URL `name:"youtubeurl" doc:"channel on YouTube; YouTubeUsername is read out of it" eg:"https://www.youtube.com/@moons"`
	TumblrURL        *bind.URL `name:"tumblrurl" doc:"blog on Tumblr" eg:"https://moons.tumblr.com"`
	TwitchURL        *bind.URL `name:"twitchurl" doc:"channel on Twitch" eg:"https://www.twitch.tv/moons"`
	DiscordServerURL *bind.URL `name:"discordserverurl" doc:"server on Discord" eg:"https://discord.gg/moons"`
	RedditURL        *bind.URL `name:"redditurl" doc:"community on Reddit" eg:"https://www.reddit.com/r/moons"`
	TikTokURL        *bind.URL `name:"tiktokurl" doc:"profile on TikTok" eg:"https://www.tiktok.com/@moons"`
	GoogleURL        *bind.URL `name:"googleurl" doc:"profile on Google; GoogleID is read out of it" eg:"https://plus.google.com/+moons"`
}

func (u *socialURLs) byField() map[string]*bind.URL {
	return map[string]*bind.URL{
		"FacebookURL": u.FacebookURL, "TwitterURL": u.TwitterURL, "InstagramURL": u.InstagramURL,
		"YouTubeURL": u.YouTubeURL, "TumblrURL": u.TumblrURL, "TwitchURL": u.TwitchURL,
		"DiscordServerURL": u.DiscordServerURL, "RedditURL": u.RedditURL, "TikTokURL": u.TikTokURL,
		"GoogleURL": u.GoogleURL,
	}
}

// Take takes custom_<name>: an integer, empty to clear.
func (b *fieldsIn) Take(name, value string) (bool, error) {
	rest, ok := strings.CutPrefix(name, wire.CustomPrefix)
	if !ok {
		return false, nil
	}
	bad := func(r rune) bool { return r != '_' && (r < '0' || r > '9') && (r < 'a' || r > 'z') }
	if rest == "" || len(rest) > 32 || strings.ContainsFunc(rest, bad) {
		return true, errors.New("must be named by at most 32 letters, digits and _")
	}
	if value != "" {
		n, err := strconv.ParseInt(value, 10, 64)
		if err != nil || n > domain.MaxID || n < -domain.MaxID {
			return true, errors.New("must be an integer")
		}
		value = strconv.FormatInt(n, 10)
	}
	if b.custom == nil {
		b.custom = domain.BrandFields{}
	}
	b.custom[name] = value
	return true, nil
}

// given are the values given, by the names of the Brand object.
func (b *fieldsIn) given() domain.BrandFields {
	given := domain.BrandFields{}
	maps.Copy(given, b.custom)
	own := map[string]*bind.URL{"ImageURL": b.ImageURL, "OfficialWebsiteURL": b.OfficialWebsiteURL, "WikipediaURL": b.WikipediaURL}
	for _, urls := range [...]map[string]*bind.URL{own, b.musicURLs.byField(), b.socialURLs.byField()} {
		for name, v := range urls {
			if v != nil {
				given[name] = string(*v)
			}
		}
	}
	if b.Slug != nil {
		given["Slug"] = string(*b.Slug)
	}
	if b.HashTag != nil {
		given["HashTag"] = *b.HashTag
	}
	return given
}

// slug is a brand's name in addresses.
type slug string

// ParseParam reads a slug: letters, digits, - _ and . in lower case.
func (s *slug) ParseParam(v string) error {
	v = strings.ToLower(v)
	bad := func(r rune) bool {
		return r != '-' && r != '_' && r != '.' && !unicode.IsLetter(r) && !unicode.IsDigit(r) && !unicode.IsMark(r)
	}
	if utf8.RuneCountInString(v) > 255 || strings.ContainsFunc(v, bad) {
		return errors.New("must be at most 255 characters: letters, digits, dots, hyphens and underscores")
	}
	*s = slug(v)
	return nil
}

// slugOf is the slug that a name gives; one without a letter or digit gives a hash of it.
func slugOf(name string) string {
	words := strings.FieldsFunc(strings.ToLower(name), func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsDigit(r) && !unicode.IsMark(r)
	})
	if len(words) == 0 {
		sum := sha256.Sum256([]byte(name))
		return "brand-" + hex.EncodeToString(sum[:4])
	}
	return strings.Join(words, "-")
}

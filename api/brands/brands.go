package brands

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"maps"
	"strconv"
	"strings"
	"unicode"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/api/bind"
	"github.com/ovation-analytics/ovation/api/page"
	"github.com/ovation-analytics/ovation/api/selection"
	"github.com/ovation-analytics/ovation/api/serve"
	"github.com/ovation-analytics/ovation/api/wire"
)

// Service serves brands.
type Service struct {
	sorted   sortedBrands
	Resolver Resolver // nil: none
}

// brandsIn are the parameters of the list of brands.
type brandsIn struct {
	serve.Paged
	BrandType string `name:"brand_type" doc:"only brands of this type, any case" eg:"Music"`
	Keyword   string `name:"keyword" doc:"part of the name, any case" eg:"a"`
	Sort      string `name:"sort" enum:"ASC,DESC" default:"ASC" doc:"by name"`
}

// List lists the account's brands by name.
func (s *Service) List(ctx context.Context, req *serve.Request, in *brandsIn) (*wire.Brands, error) {
	found := s.sorted.list(req.Catalog, req.Account(), in.BrandType, in.Keyword, in.Sort == "DESC")
	rows, paging := serve.PageOf(req, in.Paged.Page(req), found, brandName, page.ByText(in.Sort == "DESC"))
	out := &wire.Brands{TotalSize: wire.Number(len(found)), Items: make([]wire.Brand, 0, len(rows)), Paging: paging}
	for _, b := range rows {
		out.Items = append(out.Items, wire.BrandOf(b))
	}
	return out, nil
}

// brandName is what a brand is listed by.
func brandName(b **domain.Brand) page.Row {
	return page.Row{Text: strings.ToLower((*b).Name()), ID: uint64((*b).ID)}
}

// Show answers one brand.
func Show(ctx context.Context, req *serve.Request, in *selection.BrandPath) (wire.Brand, error) {
	b, err := req.Brand(in.BrandID, "brandid")
	if err != nil {
		return wire.Brand{}, err
	}
	return wire.BrandOf(b), nil
}

// brandTexts are a brand's fields beside name and type.
type brandTexts struct {
	Slug               *slug     `name:"slug" doc:"unique within the account; from the name where none is given" eg:"the-moons"`
	ImageURL           *bind.URL `name:"imageurl" doc:"address of a picture" eg:"https://example.com/moon.png"`
	HashTag            *string   `name:"hashtag" doc:"hash tag without #" eg:"moons"`
	OfficialWebsiteURL *bind.URL `name:"officialwebsiteurl" doc:"official web site" eg:"https://moons.example"`
	WikipediaURL       *bind.URL `name:"wikipediaurl" doc:"page on Wikipedia" eg:"https://en.wikipedia.org/wiki/Moon"`
	FacebookURL        *bind.URL `name:"facebookurl" doc:"page on Facebook; FacebookID is read out of it" eg:"https://www.facebook.com/pages/Moons/123456"`
	TwitterURL         *bind.URL `name:"twitterurl" doc:"profile on Twitter; TwitterScreenName is read out of it" eg:"https://twitter.com/moons"`
	InstagramURL       *bind.URL `name:"instagramurl" doc:"profile on Instagram; InstagramUsername is read out of it" eg:"https://www.instagram.com/moons/"`
	YouTubeURL         *bind.URL `name:"youtubeurl" doc:"channel on YouTube; YouTubeUsername is read out of it" eg:"https://www.youtube.com/@moons"`
	SpotifyURL         *bind.URL `name:"spotifyurl" doc:"artist on Spotify; SpotifyID is read out of it" eg:"https://open.spotify.com/artist/4dpARuHxo51G3z768sgnrY"`
	SpotifyUserURL     *bind.URL `name:"spotifyuserurl" doc:"owner of playlists, separate from the artist's profile" eg:"https://open.spotify.com/user/moons"`
	SpotifyPodcastURL  *bind.URL `name:"spotifypodcasturl" doc:"podcast on Spotify" eg:"https://open.spotify.com/show/1"`
	DeezerURL          *bind.URL `name:"deezerurl" doc:"artist on Deezer; DeezerID is read out of it" eg:"https://www.deezer.com/en/artist/27"`
	DeezerUserURL      *bind.URL `name:"deezeruserurl" doc:"profile on Deezer; DeezerUserID is read out of it" eg:"https://www.deezer.com/profile/5"`
	AppleMusicURL      *bind.URL `name:"applemusicurl" doc:"artist on Apple Music; AppleMusicID and AppleMusicName are read out of it" eg:"https://music.apple.com/us/artist/moons/12345"`
	NapsterURL         *bind.URL `name:"napsterurl" doc:"artist on Napster; NapsterID is read out of it" eg:"https://app.napster.com/artist/art.1"`
	NapsterUserURL     *bind.URL `name:"napsteruserurl" doc:"profile on Napster; NapsterUserID is read out of it" eg:"https://app.napster.com/profile/moons"`
	SoundCloudURL      *bind.URL `name:"soundcloudurl" doc:"profile on SoundCloud; SoundCloudUsername is read out of it" eg:"https://soundcloud.com/moons"`
	TumblrURL          *bind.URL `name:"tumblrurl" doc:"blog on Tumblr" eg:"https://moons.tumblr.com"`
	TwitchURL          *bind.URL `name:"twitchurl" doc:"channel on Twitch" eg:"https://www.twitch.tv/moons"`
	DiscordServerURL   *bind.URL `name:"discordserverurl" doc:"server on Discord" eg:"https://discord.gg/moons"`
	RedditURL          *bind.URL `name:"redditurl" doc:"community on Reddit" eg:"https://www.reddit.com/r/moons"`
	TikTokURL          *bind.URL `name:"tiktokurl" doc:"profile on TikTok" eg:"https://www.tiktok.com/@moons"`
	GoogleURL          *bind.URL `name:"googleurl" doc:"profile on Google; GoogleID is read out of it" eg:"https://plus.google.com/+moons"`
	GroovesharkURL     *bind.URL `name:"groovesharkurl" doc:"artist on Grooveshark" eg:"https://grooveshark.com/moons"`
	LastFMURL          *bind.URL `name:"lastfmurl" doc:"artist on Last.fm" eg:"https://www.last.fm/music/Moons"`

	custom domain.BrandFields
}

// Take takes custom_<name>: an integer, empty to clear.
func (b *brandTexts) Take(name, value string) (bool, error) {
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

// fields are the values given, by the names of the Brand object.
func (b *brandTexts) fields() domain.BrandFields {
	given := domain.BrandFields{}
	maps.Copy(given, b.custom)
	for name, v := range map[string]*bind.URL{
		"ImageURL": b.ImageURL, "OfficialWebsiteURL": b.OfficialWebsiteURL, "WikipediaURL": b.WikipediaURL,
		"FacebookURL": b.FacebookURL, "TwitterURL": b.TwitterURL, "InstagramURL": b.InstagramURL, "YouTubeURL": b.YouTubeURL,
		"SpotifyURL": b.SpotifyURL, "SpotifyUserURL": b.SpotifyUserURL, "SpotifyPodcastURL": b.SpotifyPodcastURL,
		"DeezerURL": b.DeezerURL, "DeezerUserURL": b.DeezerUserURL, "AppleMusicURL": b.AppleMusicURL,
		"NapsterURL": b.NapsterURL, "NapsterUserURL": b.NapsterUserURL, "SoundCloudURL": b.SoundCloudURL,
		"TumblrURL": b.TumblrURL, "TwitchURL": b.TwitchURL, "DiscordServerURL": b.DiscordServerURL,
		"RedditURL": b.RedditURL, "TikTokURL": b.TikTokURL, "GoogleURL": b.GoogleURL,
		"GroovesharkURL": b.GroovesharkURL, "LastFMURL": b.LastFMURL,
	} {
		if v != nil {
			given[name] = string(*v)
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
	if len(v) > 255 || strings.ContainsFunc(v, bad) {
		return errors.New("must be at most 255 bytes of letters, digits, dots, hyphens and underscores")
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

// createBrandIn are the parameters of brand/create.
type createBrandIn struct {
	Name  string `name:"name" required:"" doc:"name of the brand" eg:"The Moons"`
	Type  string `name:"type" required:"" doc:"free text such as Music, TV" eg:"Music"`
	Texts brandTexts
}

// Check refuses a name of blanks alone.
func (in *createBrandIn) Check() *domain.Error { return blank(&in.Name) }

// blank refuses a name that is given and has nothing but blanks.
func blank(name *string) *domain.Error {
	if name != nil && strings.TrimSpace(*name) == "" {
		return domain.Bad(domain.InvalidParameter, "name", "name must have more than blanks")
	}
	return nil
}

// Create creates a brand.
func (s *Service) Create(ctx context.Context, req *serve.Request, in *createBrandIn) (wire.Brand, error) {
	given := in.Texts.fields()
	given["Name"], given["Type"] = in.Name, in.Type
	if given["Slug"] == "" {
		given["Slug"] = slugOf(in.Name)
	}
	return s.putBrand(ctx, req, 0, given)
}

// editBrandIn are the parameters of brand/edit.
type editBrandIn struct {
	selection.BrandPath
	Name  *string `name:"name" doc:"name of the brand" eg:"The Moons"`
	Type  *string `name:"type" doc:"free text such as Music, TV" eg:"Music"`
	Texts brandTexts
}

// Missing reports a name that would be cleared.
func (in *editBrandIn) Missing(has func(string) bool) string {
	if in.Name != nil && !has("name") {
		return "name"
	}
	return ""
}

// Check refuses a name of blanks alone.
func (in *editBrandIn) Check() *domain.Error {
	return blank(in.Name)
}

// Edit changes a brand: what is given overwrites.
func (s *Service) Edit(ctx context.Context, req *serve.Request, in *editBrandIn) (wire.Brand, error) {
	given := in.Texts.fields()
	if in.Name != nil {
		given["Name"] = *in.Name
	}
	if in.Type != nil {
		given["Type"] = *in.Type
	}
	id := domain.BrandID(in.BrandID.Small())
	if id == 0 {
		_, err := req.Brand(in.BrandID, "brandid")
		return wire.Brand{}, err
	}
	return s.putBrand(ctx, req, id, given)
}

// putBrand creates or changes a brand. That it is there is judged where the
// command is applied, which also knows the outcome of a repeat.
func (s *Service) putBrand(ctx context.Context, req *serve.Request, id domain.BrandID, given domain.BrandFields) (wire.Brand, error) {
	derive(given)
	s.resolveLinks(ctx, req, given)
	out, err := req.Command(ctx, &domain.PutBrand{ID: id, Given: given, At: req.Now.UnixMilli()})
	if err != nil {
		return wire.Brand{}, err
	}
	b := req.AnyBrand(domain.BrandID(out.ID))
	if b == nil {
		return wire.Brand{}, &domain.Error{Code: domain.Internal, Op: "brand", Message: "a brand that was put is not in the catalog"}
	}
	return wire.BrandOf(b), nil
}

// deleteBrandIn are the parameters of brand/delete.
type deleteBrandIn struct {
	selection.BrandPath
	Force bool `name:"force" doc:"1 also deletes the definitions and segments that use it" eg:"1"`
}

// Delete deletes a brand.
func Delete(ctx context.Context, req *serve.Request, in *deleteBrandIn) (wire.Deleted, error) {
	id := domain.BrandID(in.BrandID.Small())
	if id == 0 {
		_, err := req.Brand(in.BrandID, "brandid")
		return wire.Deleted{}, err
	}
	_, err := req.Command(ctx, &domain.DeleteBrand{ID: id, Force: in.Force, At: req.Now.UnixMilli()})
	return wire.Deleted{Deleted: err == nil}, err
}

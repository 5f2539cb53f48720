package brands

import (
	"slices"
	"strings"
	"testing"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/api/port"
	"github.com/ovation-analytics/ovation/api/wire"
)

// Names and ids on a network are derived from the address.
func TestDerive_NamesAndIDsOfAddresses(t *testing.T) {
	for _, c := range []struct{ field, address, want string }{
		{"TwitterURL", "https://www.twitter.com/@moons?lang=en", "TwitterScreenName=moons"},
		{"TwitterURL", "https://mobile.x.com/moons/status/1", "TwitterScreenName=moons"},
		{"TwitterURL", "https://nottwitter.com/moons", ""},
		{"TwitterURL", "https://twitter.com/", ""},
		{"FacebookURL", "https://www.facebook.com/profile.php?id=100012", "FacebookID=100012"},
		{"FacebookURL", "https://facebook.com/pages/The-Moons/123456/", "FacebookID=123456"},
		{"FacebookURL", "https://facebook.com/people/Moons-98765", "FacebookID=98765"},
		{"FacebookURL", "https://facebook.com/themoons", ""},
		{"InstagramURL", "https://instagram.com/moons/", "InstagramUsername=moons"},
		{"YouTubeURL", "https://www.youtube.com/channel/UCabc", "YouTubeUsername=UCabc"},
		{"YouTubeURL", "https://youtube.com/user/moons/videos", "YouTubeUsername=moons"},
		{"YouTubeURL", "https://youtube.com/@moons", "YouTubeUsername=moons"},
		{"GoogleURL", "https://plus.google.com/+moons", "GoogleID=+moons"},
		{"SpotifyURL", "https://open.spotify.com/intl-de/artist/4dpA?si=x", "SpotifyID=4dpA"},
		{"SpotifyUserURL", "https://open.spotify.com/user/moons", "SpotifyUserID=moons"},
		{"DeezerURL", "https://www.deezer.com/en/artist/27", "DeezerID=27"},
		{"DeezerUserURL", "https://www.deezer.com/profile/5", "DeezerUserID=5"},
		{"AppleMusicURL", "https://music.apple.com/us/artist/the-moons/12345", "AppleMusicID=12345 AppleMusicName=the-moons"},
		{"AppleMusicURL", "https://itunes.apple.com/us/artist/the-moons/id12345?mt=1", "AppleMusicID=12345 AppleMusicName=the-moons"},
		{"AppleMusicURL", "https://music.apple.com/us/artist/12345", "AppleMusicID=12345"},
		{"AppleMusicURL", "https://music.apple.com/us/artist/the-moons", "AppleMusicName=the-moons"},
		{"NapsterURL", "https://app.napster.com/artist/art.1", "NapsterID=art.1"},
		{"NapsterUserURL", "https://app.napster.com/profile/moons", "NapsterUserID=moons"},
		{"SoundCloudURL", "https://soundcloud.com/moons/track", "SoundCloudUsername=moons"},
		{"SoundCloudURL", "://", ""},
	} {
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
	}
}

// What is derived are fields of the brand.
func TestDerive_FieldsOfTheBrand(t *testing.T) {
	for field, l := range links {
		for _, name := range append(l.derived, field) {
			if !slices.Contains(wire.BrandFields, name) {
				t.Errorf("%s is no field of a brand", name)
			}
		}
	}
}

// Names without a letter or digit have slugs of their own: that one is taken is no
// accident of another name.
func TestSlugOf_NamesWithoutLettersHaveSlugsOfTheirOwn(t *testing.T) {
	met := map[string]string{}
	for _, name := range []string{"😀", "!!!", "???", "The Moons", "the moons!"} {
		slug := slugOf(name)
		if other, there := met[slug]; there != (name == "the moons!") {
			t.Errorf("%q and %q have the slug %s", name, other, slug)
		}
		met[slug] = name
	}
}

// catalog has brands alone.
type catalog struct {
	port.Catalog
	brands []*domain.Brand
}

func (c *catalog) Next() int64 { return 1 }

func (c *catalog) Brands(domain.AccountID) []*domain.Brand { return c.brands }

// BenchmarkBrands is a page of a long list, whose order is kept.
func BenchmarkBrands(b *testing.B) {
	c := new(catalog)
	for i := range 17_000 {
		c.brands = append(c.brands, &domain.Brand{ID: domain.BrandID(i + 3), Account: 1, Fields: domain.BrandFields{"Name": "Brand " + string(rune('a'+i%26))}})
	}
	var s sortedBrands
	b.ReportAllocs()
	for b.Loop() {
		if found := s.list(c, 1, "", "brand q", false); len(found) == 0 {
			b.Fatal("none found")
		}
	}
}

// A slug is measured in characters, as the name is that it may come of.
func TestSlug_IsMeasuredInCharacters(t *testing.T) {
	for text, takes := range map[string]bool{
		strings.Repeat("é", 255): true, strings.Repeat("é", 256): false, strings.Repeat("e", 255): true, strings.Repeat("e", 256): false,
	} {
		var s slug
		if err := s.ParseParam(text); (err == nil) != takes || takes && string(s) != slugOf(text) {
			t.Errorf("%d bytes: %v", len(text), err)
		}
	}
}

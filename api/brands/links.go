package brands

import (
	"context"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/api/serve"
)

// Resolver looks up what the address of a brand on a network does not contain. Any goroutine may call it.
type Resolver interface {
	// Resolve gives values of Brand fields for the address in field (TwitterURL and
	// so on); those it does not know are left out. An error changes nothing.
	Resolve(ctx context.Context, field, address string) (domain.BrandFields, error)
}

// link is an address field with the fields derived from it.
type link struct {
	hosts   []string // and their subdomains
	derived []string // all fields that go with the address
	read    func(*place) []string
}

// links are the address fields that others are derived from. read gives the
// values of derived, in order, those it knows.
var links = map[string]link{
	"FacebookURL":    {[]string{"facebook.com", "fb.com"}, []string{"FacebookID"}, facebook},
	"TwitterURL":     {[]string{"twitter.com", "x.com"}, []string{"TwitterScreenName", "TwitterID"}, twitter},
	"InstagramURL":   {[]string{"instagram.com", "instagr.am"}, []string{"InstagramUsername"}, instagram},
	"YouTubeURL":     {[]string{"youtube.com"}, []string{"YouTubeUsername"}, youtube},
	"GoogleURL":      {[]string{"google.com"}, []string{"GoogleID"}, google},
	"SpotifyURL":     {[]string{"spotify.com"}, []string{"SpotifyID"}, spotify("artist", "show", "album", "playlist")},
	"SpotifyUserURL": {[]string{"spotify.com"}, []string{"SpotifyUserID"}, spotify("user")},
	"DeezerURL":      {[]string{"deezer.com"}, []string{"DeezerID", "DeezerName"}, deezer("artist")},
	"DeezerUserURL":  {[]string{"deezer.com"}, []string{"DeezerUserID"}, deezer("profile", "user")},
	"AppleMusicURL":  {[]string{"apple.com"}, []string{"AppleMusicID", "AppleMusicName"}, apple},
	"NapsterURL":     {[]string{"napster.com", "rhapsody.com"}, []string{"NapsterID"}, napster},
	"NapsterUserURL": {[]string{"napster.com", "rhapsody.com"}, []string{"NapsterUserID"}, after("profile", "user", "members")},
	"SoundCloudURL":  {[]string{"soundcloud.com"}, []string{"SoundCloudUsername", "SoundCloudID"}, soundcloud},
}

// derive reads names and ids out of the addresses given and puts them beside them.
// A derived field whose address does not contain it is cleared: it belonged to the
// address before.
func derive(given domain.BrandFields) {
	for field, l := range links {
		address, ok := given[field]
		if !ok {
			continue
		}
		values := l.values(address)
		for i, name := range l.derived {
			given[name] = ""
			if i < len(values) && storable(values[i]) {
				given[name] = values[i]
			}
		}
	}
}

// storable reports that a field can hold what was decoded out of an address.
func storable(v string) bool {
	return len(v) <= 255 && utf8.ValidString(v) && !strings.ContainsFunc(v, unicode.IsControl)
}

func (l *link) values(address string) []string {
	p, ok := placeOf(address)
	if !ok || !p.on(l.hosts) {
		return nil
	}
	return l.read(p)
}

// resolveLinks asks the resolver, if there is one, for derived fields that the addresses do not
// contain. A failure is logged: an edit does not fail because a network does.
func (s *Service) resolveLinks(ctx context.Context, req *serve.Request, given domain.BrandFields) {
	if s.Resolver == nil {
		return
	}
	for field, l := range links {
		if given[field] == "" {
			continue
		}
		values, err := s.Resolver.Resolve(ctx, field, given[field])
		if err != nil {
			req.Logger().Warn("brand look-up failed", "field", field, "err", err)
			continue
		}
		for _, name := range l.derived {
			if given[name] == "" && values[name] != "" {
				given[name] = values[name]
			}
		}
	}
}

package brands

import (
	"context"
	"net/url"
	"slices"
	"strings"

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
	read    func(path []string, u *url.URL) []string
}

// links are the address fields that others are derived from. read gives the
// values of derived, in order, those it knows.
var links = map[string]link{
	"FacebookURL":    {[]string{"facebook.com", "fb.com"}, []string{"FacebookID"}, facebook},
	"TwitterURL":     {[]string{"twitter.com", "x.com"}, []string{"TwitterScreenName", "TwitterID"}, first},
	"InstagramURL":   {[]string{"instagram.com"}, []string{"InstagramUsername"}, first},
	"YouTubeURL":     {[]string{"youtube.com"}, []string{"YouTubeUsername"}, youtube},
	"GoogleURL":      {[]string{"google.com"}, []string{"GoogleID"}, first},
	"SpotifyURL":     {[]string{"spotify.com"}, []string{"SpotifyID"}, after("artist", "show", "album")},
	"SpotifyUserURL": {[]string{"spotify.com"}, []string{"SpotifyUserID"}, after("user")},
	"DeezerURL":      {[]string{"deezer.com"}, []string{"DeezerID", "DeezerName"}, after("artist")},
	"DeezerUserURL":  {[]string{"deezer.com"}, []string{"DeezerUserID"}, after("profile", "user")},
	"AppleMusicURL":  {[]string{"apple.com"}, []string{"AppleMusicID", "AppleMusicName"}, apple},
	"NapsterURL":     {[]string{"napster.com", "rhapsody.com"}, []string{"NapsterID"}, after("artist")},
	"NapsterUserURL": {[]string{"napster.com", "rhapsody.com"}, []string{"NapsterUserID"}, after("profile", "user", "members")},
	"SoundCloudURL":  {[]string{"soundcloud.com"}, []string{"SoundCloudUsername", "SoundCloudID"}, first},
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
			if i < len(values) {
				given[name] = values[i]
			}
		}
	}
}

func (l *link) values(address string) []string {
	u, err := url.Parse(address)
	if err != nil {
		return nil
	}
	host := strings.ToLower(u.Hostname())
	for _, h := range l.hosts {
		if host == h || strings.HasSuffix(host, "."+h) {
			return l.read(strings.FieldsFunc(u.Path, func(r rune) bool { return r == '/' }), u)
		}
	}
	return nil
}

// first is the name right after the host: @name, +name, name.
func first(path []string, _ *url.URL) []string {
	if len(path) == 0 {
		return nil
	}
	return []string{strings.TrimLeft(path[0], "@")}
}

// after is the segment that follows one of the words.
func after(words ...string) func([]string, *url.URL) []string {
	return func(path []string, _ *url.URL) []string {
		for i := range len(path) - 1 {
			if slices.Contains(words, path[i]) {
				return []string{path[i+1]}
			}
		}
		return nil
	}
}

// facebook is the numeric id of a profile or a page, where the address has one.
func facebook(path []string, u *url.URL) []string {
	id := u.Query().Get("id")
	if len(path) > 0 && path[0] != "profile.php" {
		id = path[len(path)-1]
		if i := strings.LastIndexByte(id, '-'); i >= 0 {
			id = id[i+1:] // /people/Name-1234
		}
	}
	if !digitsOnly(id) {
		return nil
	}
	return []string{id}
}

// youtube is a user's name, a handle or a channel's id.
func youtube(path []string, u *url.URL) []string {
	if len(path) > 1 && (path[0] == "user" || path[0] == "c" || path[0] == "channel") {
		return []string{path[1]}
	}
	return first(path, u)
}

// apple is …/artist/<name>/<id>, the id once written id<digits>.
func apple(path []string, _ *url.URL) []string {
	for i, s := range path {
		if s != "artist" || i+1 >= len(path) {
			continue
		}
		id := strings.TrimPrefix(path[len(path)-1], "id")
		if !digitsOnly(id) {
			return []string{"", path[i+1]}
		}
		if i+2 >= len(path) {
			return []string{id}
		}
		return []string{id, path[i+1]}
	}
	return nil
}

func digitsOnly(s string) bool {
	return s != "" && strings.Trim(s, "0123456789") == ""
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

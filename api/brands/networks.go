package brands

import (
	"net/url"
	"slices"
	"strings"
)

// place is where an address leads.
type place struct {
	host  string   // in lower case
	path  []string // segments that are not empty, decoded
	query url.Values
}

// spotifyURI begins an address of Spotify that is no web address: spotify:artist:<id>.
const spotifyURI = "spotify"

// placeOf reads an address; false: it is none. The path of an old address may be after #!.
func placeOf(address string) (*place, bool) {
	u, err := url.Parse(address)
	if err != nil {
		return nil, false
	}
	if u.Scheme == spotifyURI && u.Opaque != "" {
		return &place{host: "spotify.com", path: strings.Split(u.Opaque, ":")}, true
	}
	p := &place{host: strings.TrimSuffix(strings.ToLower(u.Hostname()), "."), path: segments(u.Path), query: u.Query()}
	if rest := strings.TrimPrefix(u.Fragment, "!"); len(p.path) == 0 && strings.HasPrefix(rest, "/") {
		rest, _, _ = strings.Cut(rest, "?")
		p.path = segments(rest)
	}
	return p, true
}

func segments(path string) []string {
	return strings.FieldsFunc(path, func(r rune) bool { return r == '/' })
}

// on reports that the host is one of those, or below one.
func (p *place) on(hosts []string) bool {
	return slices.ContainsFunc(hosts, func(h string) bool { return p.host == h || strings.HasSuffix(p.host, "."+h) })
}

// at is a segment of the path; empty: there is none.
func (p *place) at(i int) string {
	if i >= len(p.path) {
		return ""
	}
	return p.path[i]
}

// word is a segment in lower case: words of paths are in any case, names keep theirs.
func (p *place) word(i int) string { return strings.ToLower(p.at(i)) }

// find is the place of the first segment that is one of the words; -1: none is.
func (p *place) find(words ...string) int {
	for i := range p.path {
		if slices.Contains(words, p.word(i)) {
			return i
		}
	}
	return -1
}

// The letters of names.
const (
	digits  = "0123456789"
	letters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
)

// made is s, if it is made of these characters and at most so long; else it is empty.
func made(s, of string, maxLen int) string {
	if len(s) > maxLen || strings.Trim(s, of) != "" {
		return ""
	}
	return s
}

// number is s, if it has nothing but digits.
func number(s string) string { return made(s, digits, 32) }

// notProfiles are paths of networks that are no profile's.
var notProfiles = map[string]string{
	"twitter": " about compose download explore hashtag home intent jobs login logout messages notifications privacy search settings share signup tos who_to_follow ",
	"facebook": " ads business events gaming groups hashtag help login marketplace media photo photos policies reel reels" +
		" search share sharer story stories watch ",
	"instagram":  " about accounts developer direct explore legal p reel reels tv ",
	"soundcloud": " charts discover explore groups imprint jobs messages notifications pages people popular search settings stream tags terms-of-use upload you ",
	"youtube": " about account attribution_link browse clip embed feed gaming hashtag live movies playlist post premium redirect results" +
		" shorts t v watch ",
}

// taken reports that a network has the word for itself.
func taken(network, word string) bool {
	return word == "" || strings.Contains(notProfiles[network], " "+word+" ")
}

// twitter is a screen name, or a user's number.
func twitter(p *place) []string {
	const name = letters + digits + "_"
	screenName := func(s string) string { return made(strings.TrimPrefix(s, "@"), name, 20) }
	switch word := p.word(0); {
	case word == "intent":
		return []string{screenName(p.query.Get("screen_name")), number(p.query.Get("user_id"))}
	case word == "i":
		if p.word(1) != "user" {
			return nil
		}
		return []string{"", number(p.at(2))}
	case taken("twitter", word):
		return nil
	}
	return []string{screenName(p.at(0))}
}

// facebook is the number of a profile or a page, where the address has one. A name that may be
// chosen has no hyphen, so Name-1234 ends with the number.
func facebook(p *place) []string {
	last := func(s string) string { return number(s[strings.LastIndexByte(s, '-')+1:]) }
	switch word := p.word(0); word {
	case "profile.php", "story.php", "permalink.php":
		return []string{number(p.query.Get("id"))}
	case "pages":
		if p.word(1) == "category" {
			return []string{last(p.at(3))}
		}
		return []string{number(p.at(2))}
	case "people":
		if id := number(p.at(2)); id != "" {
			return []string{id}
		}
		return []string{last(p.at(1))}
	case "p", "pg", "profile":
		return []string{last(p.at(1))}
	default:
		if taken("facebook", word) {
			return nil
		}
	}
	return []string{last(p.at(0))}
}

// instagram is a username.
func instagram(p *place) []string {
	at := 0
	switch word := p.word(0); {
	case word == "_u" || word == "_n" || word == "stories" && p.word(1) != "highlights":
		at = 1
	case word == "stories" || taken("instagram", word):
		return nil
	}
	return []string{made(strings.TrimPrefix(p.at(at), "@"), letters+digits+"._", 30)}
}

// youtube is a user's name, a handle or a channel's id.
func youtube(p *place) []string {
	switch word := p.word(0); {
	case word == "user" || word == "c" || word == "channel":
		return []string{p.at(1)}
	case word == "profile":
		return []string{p.query.Get("user")}
	case taken("youtube", word):
		return nil
	}
	return []string{strings.TrimPrefix(p.at(0), "@")}
}

// google is the name +name, or the number, of a profile.
func google(p *place) []string {
	at := 0
	if p.word(0) == "u" || p.word(0) == "b" {
		at = 2
	}
	name := p.at(at)
	switch {
	case p.host == "profiles.google.com":
		return []string{name}
	case strings.HasPrefix(name, "+"):
		return []string{name}
	case p.host == "plus.google.com":
		return []string{number(name)}
	}
	return nil
}

// spotify is the id after the first of the kinds that the address has. An address is of
// pairs of a kind and an id: /user/<name>/playlist/<id>.
func spotify(kinds ...string) func(*place) []string {
	return func(p *place) []string {
		from := 0
		for strings.HasPrefix(p.word(from), "intl-") || strings.HasPrefix(p.word(from), "embed") {
			from++
		}
		for i := from; i+1 < len(p.path); i += 2 {
			kind := p.word(i)
			if !slices.Contains(kinds, kind) {
				continue
			}
			if kind == "user" {
				return []string{p.at(i + 1)}
			}
			return []string{made(p.at(i+1), letters+digits, 64)}
		}
		return nil
	}
}

// deezer is the number after one of the words.
func deezer(words ...string) func(*place) []string {
	return func(p *place) []string {
		i := p.find(words...)
		if i < 0 {
			return nil
		}
		return []string{number(p.at(i + 1))}
	}
}

// after is the segment that follows one of the words.
func after(words ...string) func(*place) []string {
	return func(p *place) []string {
		i := p.find(words...)
		if i < 0 {
			return nil
		}
		return []string{p.at(i + 1)}
	}
}

// apple is …/artist/<name>/<id>, the id once written id<digits>; either may be absent.
func apple(p *place) []string {
	i := p.find("artist")
	if i < 0 {
		return nil
	}
	id := func(s string) string { return number(strings.TrimPrefix(s, "id")) }
	if only := id(p.at(i + 1)); only != "" && id(p.at(i+2)) == "" {
		return []string{only}
	}
	return []string{id(p.at(i + 2)), p.at(i + 1)}
}

// napster is an artist's id art.<number>, or the name that the address has in its place.
func napster(p *place) []string {
	i := p.find("artist")
	if i < 0 {
		return nil
	}
	if id := p.at(i + 2); strings.HasPrefix(strings.ToLower(id), "art.") {
		return []string{id}
	}
	return []string{p.at(i + 1)}
}

// soundcloud is a username, or the number of a user of the API and of a player.
func soundcloud(p *place) []string {
	switch word := p.word(0); {
	case word == "player":
		if inner, ok := placeOf(p.query.Get("url")); ok && inner.host != p.host && inner.on([]string{"soundcloud.com"}) {
			return soundcloud(inner)
		}
		return nil
	case word == "users" && number(p.at(1)) != "":
		return []string{"", p.at(1)}
	case p.host == "on.soundcloud.com" || p.host == "api.soundcloud.com" || taken("soundcloud", word):
		return nil
	}
	return []string{made(p.at(0), letters+digits+"-_", 255)}
}

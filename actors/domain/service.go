package domain

import "strings"

// Service is a network that members come from. The codes are in the journal and
// in the store, fixed for ever.
type Service uint8

// The services in the contract's order.
const (
	NoService Service = iota
	Email
	Twitter
	Facebook
	Google
	Instagram
	LastFM
	Rdio
	YouTube
	Spotify
	Tumblr
	BeatsMusic
	SoundCloud
	Foursquare
	Deezer
	Custom // of no service: definitions of recorded activities, and filters
)

// Services is the number of service codes, NoService and Custom included.
const Services = int(Custom) + 1

var serviceNames = [Services]string{
	"", "email", "twitter", "facebook", "google", "instagram", "lastfm", "rdio", "youtube",
	"spotify", "tumblr", "beatsmusic", "soundcloud", "foursquare", "deezer", "custom",
}

// String is the service identifier as answers show it; empty for none.
func (s Service) String() string {
	if int(s) >= len(serviceNames) {
		return ""
	}
	return serviceNames[s]
}

// ParseService reads a service identifier in any case; "the service" is spotify.
func ParseService(name string) (Service, bool) {
	if strings.EqualFold(name, "the service") {
		return Spotify, true
	}
	for i, n := range serviceNames[1:] {
		if strings.EqualFold(n, name) {
			return Service(i + 1), true
		}
	}
	return NoService, false
}

// Registers reports that a member can register by the service: rdio and
// beatsmusic are closed, custom is of no service.
func (s Service) Registers() bool {
	switch s {
	case NoService, Rdio, BeatsMusic, Custom:
		return false
	}
	return s < Custom
}

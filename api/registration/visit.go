package registration

import (
	"crypto/rand"
	"encoding/binary"
	"net/netip"
	"strings"

	"github.com/mileusna/useragent"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/api/bind"
	"github.com/ovation-analytics/ovation/api/port"
	"github.com/ovation-analytics/ovation/api/profile"
	"github.com/ovation-analytics/ovation/api/serve"
)

// visitIn is what a registration or a login says of itself.
type visitIn struct {
	IP        bind.Address `name:"ip" doc:"the member's IP address, v4 or v6: kept with the visit; wrong passwords are counted by it, without it by the connection's; not with a public key" eg:"192.0.2.7"`
	UserAgent string       `name:"useragent" max:"4096" doc:"browser user agent; the device follows from it" eg:"Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X)"`
	WebPath   string       `name:"webpath" max:"4096" doc:"page the member is on: an address, or a path on domain" eg:"https://moons.example/join?from=mail"`
	Referrer  string       `name:"referring_url" max:"4096" doc:"page the member came from" eg:"https://search.example/"`
	Visitor   string       `name:"visitor" doc:"the site's id of the visitor" eg:"v-77"`
}

// visit is the visit on a domain (empty: none is given) from a place, without its details. Shards do not look
// at the segments: the visit says whether its page is that of one.
func (in *visitIn) visit(req *serve.Request, site string, from domain.Geo) domain.Visit {
	var key [8]byte
	_, _ = rand.Read(key[:]) // never fails
	page := pageOf(in.WebPath, site)
	return domain.Visit{
		Key: binary.BigEndian.Uint64(key[:]), Page: page, Country: from.Country, Device: deviceOf(in.UserAgent),
		OfSegment: req.IsPage(page),
	}
}

// place is where the visit came from; the zero value where that is not known.
func (in *visitIn) place(geo port.Geo) domain.Geo {
	address, err := netip.ParseAddr(string(in.IP))
	if geo == nil || err != nil {
		return domain.Geo{}
	}
	return geo.Locate(address)
}

// placed adds where the member is known to be: all of a place, so that nothing stays of another one.
func placed(g *profile.Given, at domain.Geo) {
	if at.IsZero() {
		return
	}
	profile.Put(g, domain.GeoCountry, &at.Country)
	profile.Put(g, domain.GeoRegion, &at.Region)
	profile.Put(g, domain.GeoCity, &at.City)
	profile.Put(g, domain.GeoLat, &at.Lat)
	profile.Put(g, domain.GeoLong, &at.Lon)
}

// details are what of the visit is sealed.
func (in *visitIn) details() *domain.VisitDetails {
	return &domain.VisitDetails{
		IP: string(in.IP), UserAgent: in.UserAgent, WebPath: in.WebPath, ReferringURL: in.Referrer, Visitor: in.Visitor,
	}
}

// pageOf is the page that an address names, or a path on a domain; empty: it names none.
func pageOf(webpath, site string) string {
	if strings.HasPrefix(webpath, "/") {
		webpath = site + webpath
	}
	var page bind.WebPage
	if webpath == "" || page.ParseParam(webpath) != nil {
		return ""
	}
	return string(page)
}

// deviceOf is the device that a user agent names.
func deviceOf(agent string) domain.Device {
	if agent == "" {
		return domain.UnknownDevice
	}
	switch ua := useragent.Parse(agent); {
	case ua.Bot:
		return domain.Bot
	case watches(agent):
		return domain.Television
	case ua.Tablet, browsesLarge(agent):
		return domain.Tablet
	case ua.Mobile:
		return domain.Phone
	case ua.Desktop:
		return domain.Desktop
	}
	return domain.UnknownDevice
}

// browsesLarge reports a browser of Android on another screen than a phone's: that of a phone has the word
// Mobile. The library takes both for a phone.
func browsesLarge(agent string) bool {
	return strings.HasPrefix(agent, "Mozilla/") && strings.Contains(agent, "Android") && !strings.Contains(agent, "Mobile")
}

// screens are what names a television or a console in user agents.
var screens = [...]string{
	"smart-tv", "smarttv", "googletv", "appletv", "apple tv", "android tv", "hbbtv", "netcast", "web0s", "bravia", "roku", "crkey",
	"; aft", // Fire TV
	"playstation", "xbox", "nintendo",
}

// watches reports a television or a console, which the library takes for a desktop or a phone.
func watches(agent string) bool {
	agent = strings.ToLower(agent)
	for _, name := range screens {
		if strings.Contains(agent, name) {
			return true
		}
	}
	return false
}

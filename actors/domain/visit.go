package domain

import (
	"strconv"
	"strings"
)

// A visit is a registration or a login of a member: one row of brand 0, with the service it was
// made by, its time, and what it was as Definition.
//
//	a service record comes into being, by register or attach   Registration: a signup
//	a record that there is is registered or attached again     Login
//	member/login                                               Login
//
// Each is one row, so that
//
//	signups, registrations = rows with Registration
//	logins                 = rows with Login
//	visits                 = registrations + logins = all rows
//
// A member with a login in a range, LastLogin and LastVisited look at all rows: a registration
// signs the member in.
//
// The Definition of a visit with a place, a domain or a page, has bit 31 set: the number of that pair
// in the shard and account, shifted left by one, and in bit 0 whether it is a login. Numbers count
// from 0 in the order in which pairs are first applied; the store keeps the pairs, and a view
// shows them. Ids of the catalog never reach bit 31. A fact of the state hash has the texts: the
// number follows arrival (I6, I9).

const (
	visitPlaced DefinitionID = 1 << 31
	visitLogin  DefinitionID = 1
)

// Pages may have ids in them, and clients can invent domains: without a bound their pairs would take more
// and more memory. A shard keeps MaxVisitPlaces of an account, of VisitPlaceBytes on average at most. From
// then on a visit with a pair that it does not have keeps
//
//	the page alone, if it is that of a segment: there is room for as many again
//	else the domain alone, if the shard has a pair with it
//	else neither
//
// and counts all the same. Which visits these are follows from the records of the shard (I6). A shard applies
// the catalog at another pace than its journal, so the visit says whether its page is that of a segment.
const (
	MaxVisitPlaces  = 100_000
	VisitPlaceBytes = 256
)

// VisitPlace is where a visit was made. Either may be empty.
type VisitPlace struct {
	Domain string // canonical
	Page   string // host/path, without scheme, www. and query
}

// IsZero reports that neither is known: such a visit has the built-in definition itself.
func (p VisitPlace) IsZero() bool { return p == VisitPlace{} }

// NumberedPlace is a place with its number in the shard and account.
type NumberedPlace struct {
	Account AccountID
	Number  uint32
	VisitPlace
}

// VisitDefinition is the definition of a visit at the place with a number. Of is Registration or
// Login.
func VisitDefinition(of DefinitionID, place uint32) DefinitionID {
	d := visitPlaced | DefinitionID(place)<<1
	if of == Login {
		d |= visitLogin
	}
	return d
}

// Visit is what a row of brand 0 is: Registration or Login, and the number of its place, if it
// has one.
func (d DefinitionID) Visit() (of DefinitionID, place uint32, placed bool) {
	if d&visitPlaced == 0 {
		return d, 0, false
	}
	of = Registration
	if d&visitLogin != 0 {
		of = Login
	}
	return of, uint32(d&^visitPlaced) >> 1, true
}

// IsVisit reports that the row is a visit: it counts in no answer about activities.
func (r *Row) IsVisit() bool { return r.Brand == 0 }

// Device is what a visit was made with. The codes are the contract's.
type Device uint8

// The devices.
const (
	UnknownDevice Device = iota
	Desktop
	Phone
	Tablet
	Television // or a console
	Bot
)

// Mobile reports a phone or a tablet.
func (d Device) Mobile() bool { return d == Phone || d == Tablet }

// Visit is what a registration or a login says of itself beside service, domain and time. In clear
// is what statistics and filters read without a data key: the domain, the page without its query,
// the country and the device. The rest is sealed, as one.
type Visit struct {
	Key     uint64 // random: the id hash of its row
	Page    string // of the web path, as VisitPlace has it; empty: none
	Country string // alpha-2, of the address it came from; empty: not known
	Device  Device // of the user agent
	Details Sealed // VisitDetails, under a data key of the member; without a key there are none

	OfSegment bool // Page was that of a segment when the visit was made
}

// VisitDetails is where a visit came from, as given: what a data key of its member seals. Empty
// parts were not given.
type VisitDetails struct {
	IP           string
	UserAgent    string
	WebPath      string
	ReferringURL string
	Visitor      string
}

// IsZero reports that nothing was given.
func (d *VisitDetails) IsZero() bool { return *d == VisitDetails{} }

// Content is what is stored of a visit beside its row, which was recorded at a time (ms since
// 1970) and put the member on the list of a segment (0: of none).
func (v *Visit) Content(recorded int64, segment SegmentID) *Content {
	c := &Content{Recorded: recorded, Geo: Geo{Country: v.Country}}
	if key := &v.Details.Key; !key.IsZero() {
		c.Marker, c.Link = string(key[:]), v.Details.Data
	}
	if v.Device != UnknownDevice || segment != 0 || v.OfSegment {
		c.Content = strconv.Itoa(int(v.Device)) + "," + strconv.FormatUint(uint64(segment), 10)
	}
	if v.OfSegment {
		c.Content += ofSegment
	}
	return c
}

// ofSegment ends the content of a visit to the page of a segment.
const ofSegment = ",s"

// VisitOf is what a content that Content made says; Key and Page are not in it.
func VisitOf(c *Content) (v Visit, segment SegmentID) {
	if c == nil {
		return v, 0
	}
	v.Country = c.Geo.Country
	if len(c.Marker) == len(v.Details.Key) {
		copy(v.Details.Key[:], c.Marker)
		v.Details.Data = c.Link
	}
	text, is := strings.CutSuffix(c.Content, ofSegment)
	v.OfSegment = is
	device, list, _ := strings.Cut(text, ",")
	if n, err := strconv.ParseUint(device, 10, 8); err == nil {
		v.Device = Device(n)
	}
	if n, err := strconv.ParseUint(list, 10, 32); err == nil {
		segment = SegmentID(n)
	}
	return v, segment
}

package selection

import (
	"slices"
	"strings"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/api/bind"
	"github.com/ovation-analytics/ovation/api/extended"
	"github.com/ovation-analytics/ovation/api/serve"
)

// Required is the parameter of a list of members that wants only those with a
// value in some fields.
type Required struct {
	RequiredFields string `name:"required_fields" max:"4096" doc:"only members with a value in each of these fields of the items, by name in any case: neither null nor empty; a path into Extended too" eg:"FirstName,Email"`
}

// presence is when a field of a list item has a value.
type presence uint8

const (
	inEvery    presence = iota + 1 // in every item
	inProfile                      // where the profile has it
	optedIn                        // where an opt-in is in force
	withAction                     // where there is a latest action
	withBrand                      // there, and where a brand is asked for
)

// presences are of all fields of a list item, by name in lower case, when they have a
// value.
var presences = map[string]presence{
	"id": inEvery, "uuid": inEvery, "score": inEvery, "activitycount": inEvery, "memberavatarurl": inEvery, "services": inEvery, "lastvisited": inEvery,
	"extended": inEvery,
	"optins":   optedIn, "lastactivity": withAction,
	"brand": withBrand, "brandid": withBrand, "brandname": withBrand, "brandtype": withBrand,
}

// profileNames are the fields of a list item that show one of the profile's.
var profileNames = map[string]domain.Field{
	"firstname": domain.FirstName, "surname": domain.Surname, "username": domain.Username, "email": domain.EmailAddress,
	"gender": domain.Gender, "bio": domain.Bio, "city": domain.City, "state": domain.Region, "country": domain.Country,
	"countrycode": domain.Country, "postcode": domain.PostCode, "geocity": domain.GeoCity, "georegion": domain.GeoRegion,
	"address": domain.Address, "addressline2": domain.AddressLine2, "homephone": domain.HomePhone, "mobilephone": domain.MobilePhone,
	"verifiedemail": domain.VerifiedEmail, "geocountry": domain.GeoCountry, "geolat": domain.GeoLat, "geolong": domain.GeoLong,
}

// presenceOf is when the field has a value, and the profile's field of one that is
// kept; 0: there is no such field.
func presenceOf(name string) (presence, domain.Field) {
	name = strings.ToLower(name)
	if f, ok := profileNames[name]; ok {
		return inProfile, f
	}
	return presences[name], 0
}

// Require narrows a question to the members with a value in each of the fields, as far as what is kept
// in clear tells: the paths given have to lead to a value in the members' Extended nodes. acted says
// that only a member with an action that counts is in the list anyway. Names that no field has are
// warned of.
func Require(req *serve.Request, q *domain.Question, in Required, acted bool) (open []extended.Path, err error) {
	names, err := Names(req, in.RequiredFields, "required_fields")
	if err != nil {
		return nil, err
	}
	f := &q.Filter
	for _, name := range names {
		if path, ok := nodePath(name); ok {
			if HasNodeField(f, path) {
				open = append(open, path)
			}
			continue
		}
		switch when, field := presenceOf(name); {
		case when == 0:
			req.Warn("the field " + bind.Shorten(name) + " is unknown and was ignored")
		case when == inProfile:
			f.Has = append(f.Has, field)
		case when == optedIn:
			f.Opted, f.Ended = true, endedOptIns(req)
		case acted || when == inEvery || when == withBrand && q.Brand != 0:
		default:
			f.Acted = true
		}
	}
	slices.Sort(f.Has)
	f.Has = slices.Compact(f.Has)
	return open, nil
}

// endedOptIns are the opt-ins that ended with the deletion of what they were to.
func endedOptIns(req *serve.Request) (values []string) {
	for _, b := range req.Catalog.Brands(req.Account()) {
		if b.Deleted {
			values = append(values, domain.OptValue(domain.OptBrand, uint32(b.ID)))
		}
	}
	for _, s := range req.Catalog.Segments(req.Account()) {
		if s.Deleted {
			values = append(values, domain.OptValue(domain.OptSegment, uint32(s.ID)))
		}
	}
	slices.Sort(values)
	return values
}

// Names are the entries of a list of names, blanks around them taken off.
func Names(req *serve.Request, list, parameter string) (names []string, err error) {
	for name := range strings.SplitSeq(list, ",") {
		if name = strings.TrimSpace(name); name != "" {
			names = append(names, name)
		}
	}
	if len(names) > bind.MaxList {
		return nil, domain.Bad(domain.InvalidParameter, parameter, parameter+" must have at most 1000 entries")
	}
	return names, nil
}

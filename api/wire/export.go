package wire

import (
	"encoding/json"
	"reflect"
)

// The types of the lines of an export.
const (
	MemberLine  = "member"
	ProfileLine = "profile"
	ServiceLine = "service"
	OptInLine   = "optin"
	VisitLine   = "visit"
	ActionLine  = "ovation.activity.v1" // that of a record of the public topic
	SharingLine = "sharing"
	EndLine     = "end"
)

// ExportSource is the source of the records of an export.
const ExportSource = "ovation-export"

// ExportLines are the shapes of the lines of an export.
var ExportLines = []reflect.Type{
	reflect.TypeFor[ExportedMember](), reflect.TypeFor[ExportedProfile](), reflect.TypeFor[ExportedService](),
	reflect.TypeFor[ExportedOptIn](), reflect.TypeFor[ExportedVisit](), reflect.TypeFor[ExportedAction](),
	reflect.TypeFor[ExportEnd](),
}

// ExportedMember is the first line of an export: the member as member show has it.
type ExportedMember struct {
	Type        string           `json:"type"`
	Data        Member           `json:"data"`
	Services    []ServiceRecord  `json:"services"`
	Application string           `json:"application"`
	Removed     []RemovedService `json:"removed"`
}

// RemovedService is a service record that the member had.
type RemovedService struct {
	ID      string `json:"ID"`
	Service string `json:"Service"`
}

// ExportedProfile is the member's profile in the parameters of member/update; what it does not have is
// left out.
type ExportedProfile struct {
	Type         string          `json:"type"`
	FirstName    string          `json:"firstname,omitempty"`
	Surname      string          `json:"surname,omitempty"`
	Username     string          `json:"username,omitempty"`
	Email        string          `json:"email,omitempty"`
	Gender       string          `json:"gender,omitempty"`
	Birthdate    string          `json:"birthdate,omitempty"`
	Bio          string          `json:"bio,omitempty"`
	Address      string          `json:"address,omitempty"`
	AddressLine2 string          `json:"addressline2,omitempty"`
	City         string          `json:"city,omitempty"`
	Region       string          `json:"region,omitempty"`
	Country      string          `json:"country,omitempty"`
	PostCode     string          `json:"postcode,omitempty"`
	HomePhone    string          `json:"homephone,omitempty"`
	MobilePhone  string          `json:"mobilephone,omitempty"`
	Website      string          `json:"website,omitempty"`
	Extended     json.RawMessage `json:"extended,omitempty"`
}

// ExportedService is a service record in the parameters of members/register; what it does not have is
// left out. The last three are no parameters.
type ExportedService struct {
	Type        string `json:"type"`
	Service     string `json:"service"`
	UID         string `json:"uid,omitempty"`
	AuthToken   string `json:"authtoken,omitempty"`
	AuthSecret  string `json:"authsecret,omitempty"`
	Email       string `json:"email,omitempty"`
	FirstName   string `json:"firstname,omitempty"`
	Surname     string `json:"surname,omitempty"`
	Username    string `json:"username,omitempty"`
	Gender      string `json:"gender,omitempty"`
	Birthdate   string `json:"birthdate,omitempty"`
	City        string `json:"city,omitempty"`
	Region      string `json:"region,omitempty"`
	Country     string `json:"country,omitempty"`
	PostCode    string `json:"postcode,omitempty"`
	AvatarURL   string `json:"avatarurl,omitempty"`
	IP          string `json:"ip,omitempty"`
	UserURL     string `json:"userurl,omitempty"`
	Followers   string `json:"followers,omitempty"`
	Likes       string `json:"likes,omitempty"`
	Paid        string `json:"paidaccount,omitempty"`
	Expires     string `json:"expires,omitempty"`
	Code        string `json:"code,omitempty"`
	SourceUID   string `json:"sourceuid,omitempty"`
	Domain      string `json:"domain,omitempty"`
	Sharing     string `json:"activity_sharing_enabled,omitempty"`
	ServiceID   string `json:"serviceid"`
	Application string `json:"application"`
	Registered  string `json:"registered"`
}

// ExportedOptIn is what is known of a member and a list.
type ExportedOptIn struct {
	Type      string `json:"type"`
	OptIn     OptIn  `json:"optin"`
	OptedIn   bool   `json:"opted_in"`
	OptedOut  bool   `json:"opted_out"`
	Listed    bool   `json:"listed"`
	Timestamp string `json:"timestamp"`
}

// ExportedVisit is a registration or a login, the oldest first.
type ExportedVisit struct {
	Type         string  `json:"type"`
	ID           string  `json:"id"`
	Timestamp    string  `json:"timestamp"`
	Registration bool    `json:"registration"`
	Page         *string `json:"page"`
	UserAgent    *string `json:"useragent"`
	Visit        Visit   `json:"visit"`
}

// ExportedAction is an action as a record of the public topic, with the item that the feed shows; the
// oldest first.
type ExportedAction struct {
	Type          string             `json:"type"`
	ID            string             `json:"id"`
	Source        string             `json:"source"`
	Time          string             `json:"time"`
	Account       uint32             `json:"account"`
	Service       string             `json:"service,omitempty"`
	ServiceUserID string             `json:"serviceUserID,omitempty"`
	PartnerCode   string             `json:"partnerCode,omitempty"`
	PartnerID     string             `json:"partnerID,omitempty"`
	ActivityID    uint64             `json:"activityID"`
	BrandID       uint64             `json:"brandID"`
	Content       json.RawMessage    `json:"content,omitempty"`
	Link          string             `json:"link,omitempty"`
	Media         string             `json:"media,omitempty"`
	Marker        string             `json:"marker,omitempty"`
	Geo           *ExportedPlace     `json:"geo,omitempty"`
	Definition    ExportedDefinition `json:"definition"`
	Brand         ExportedBrand      `json:"brand"`
	Item          FeedItem           `json:"item"`
}

// ExportedPlace is where an action was done.
type ExportedPlace struct {
	Country string `json:"country,omitempty"`
	Region  string `json:"region,omitempty"`
	City    string `json:"city,omitempty"`
	Lat     string `json:"lat,omitempty"`
	Lon     string `json:"lon,omitempty"`
}

// ExportedDefinition is an action's definition in the parameters of activity/create, as it is now.
type ExportedDefinition struct {
	Name      string `json:"name"`
	ShortName string `json:"shortname,omitempty"`
	Type      string `json:"type"`
	Service   string `json:"service"`
	Value     string `json:"value"`
	OneTime   string `json:"onetime"`
	Category  string `json:"category,omitempty"`
	Link      string `json:"link,omitempty"`
	Media     string `json:"media,omitempty"`
}

// ExportedBrand is an action's brand in parameters of brand/create, as it is now.
type ExportedBrand struct {
	Name string `json:"name"`
	Type string `json:"type"`
	Slug string `json:"slug"`
}

// ExportEnd is the last line: without it the export is not whole.
type ExportEnd struct {
	Type       string `json:"type"`
	Services   uint64 `json:"services"`
	OptIns     uint64 `json:"optins"`
	Visits     uint64 `json:"visits"`
	Activities uint64 `json:"activities"`
	Position   string `json:"position"`
}

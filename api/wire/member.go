package wire

import (
	"cmp"
	"strings"

	"github.com/ovation-analytics/ovation/actors/domain"
)

// Envelope is a member with what belongs to it.
type Envelope struct {
	Data     Member          `json:"data"`
	OptIns   []OptIn         `json:"optins"`
	Services []ServiceRecord `json:"services"`
	JWT      string          `json:"jwt"`

	// Of member show, each if it was asked for.
	Brands  *[]MemberBrand `json:"brands,omitempty"`
	Actions *[]FeedItem    `json:"actions,omitempty"`
	Explain *Explanation   `json:"explain,omitempty"`
}

// MemberBrand is a brand with what a member did for it.
type MemberBrand struct {
	ID            string  `json:"ID"`
	Name          *string `json:"Name"`
	Type          *string `json:"Type"`
	ImageURL      *string `json:"ImageURL"`
	Score         string  `json:"Score"`
	ActivityCount string  `json:"ActivityCount"`
}

// Member is the data node of an envelope.
type Member struct {
	ID            uint64  `json:"ID"`
	FirstName     *string `json:"FirstName"`
	Surname       *string `json:"Surname"`
	Username      *string `json:"Username"`
	Email         *string `json:"Email"`
	Gender        *string `json:"Gender"`
	Bio           *string `json:"Bio"`
	AccessToken   string  `json:"AccessToken"`
	AvatarURL     string  `json:"AvatarURL"`
	Country       *string `json:"Country"`
	City          *string `json:"City"`
	State         *string `json:"State"`
	CountryCode   *string `json:"CountryCode"`
	PostCode      *string `json:"PostCode"`
	GeoCountry    *string `json:"GeoCountry"`
	GeoCity       *string `json:"GeoCity"`
	GeoRegion     *string `json:"GeoRegion"`
	GeoLat        *string `json:"GeoLat"`
	GeoLong       *string `json:"GeoLong"`
	VerifiedEmail *string `json:"VerifiedEmail"`

	// Of member show, if they were asked for.
	AEPosition *string `json:"AEPosition,omitempty"`
	Score      *string `json:"Score,omitempty"`

	Extended *Extended `json:"Extended,omitempty"` // if it was asked for
}

// OptIn is an opt-in of a member: to a brand, a segment or the global list.
type OptIn struct {
	ID        *string `json:"ID"`
	Type      *string `json:"Type"`
	SegmentID *string `json:"SegmentID"`
	Label     *string `json:"Label"`
	Name      *string `json:"Name"`
}

// ServiceRecord is a member's account on a network.
type ServiceRecord struct {
	Service         string   `json:"Service"`
	Valid           string   `json:"Valid"`
	ActivitySharing string   `json:"ActivitySharing"`
	ID              string   `json:"ID"`
	UserID          string   `json:"UserID"`
	Username        *string  `json:"Username"`
	UserURL         *string  `json:"UserURL"`
	Token           string   `json:"Token"`
	TokenSecret     string   `json:"TokenSecret"`
	Expires         string   `json:"Expires"`
	LastUpdated     *string  `json:"LastUpdated"`
	LastLogin       *string  `json:"LastLogin"`
	VerifiedEmail   *string  `json:"VerifiedEmail"`
	PaidAccount     string   `json:"PaidAccount"`
	Followers       string   `json:"Followers"`
	Likes           string   `json:"Likes"`
	PartnerCode     *string  `json:"PartnerCode"`
	PartnerID       *string  `json:"PartnerID"`
	Domains         []string `json:"Domains"`
}

// Avatar is the picture given, else one under base that is drawn from the member's number.
func Avatar(base string, m *domain.Member) string {
	if given := m.Profile.Get(domain.AvatarURL); given != "" {
		return given
	}
	return base + "/avatar/" + Number(m.ID) + ".svg"
}

// MemberName is what a member is called: first name and surname, else username.
func MemberName(p domain.Fields) string {
	name := strings.TrimSpace(p.Get(domain.FirstName) + " " + p.Get(domain.Surname))
	return cmp.Or(name, p.Get(domain.Username))
}

package audience

import "github.com/ovation-analytics/ovation/actors/domain"

// Definition is something that can be done, for any brand it fits.
type Definition struct {
	Name      string // with {brand}
	ShortName string
	Type      string
	Service   domain.Service
	Value     int
	OneTime   bool

	on     string // the type of brand it fits; empty: any
	way    way
	weight uint64 // beside the others of its service
}

// way is how something is done.
type way uint8

const (
	inSession way = iota + 1 // several in a row
	alone
	once
	ticket
	concert
)

const (
	music   = "Music"
	podcast = "Podcast"
)

func definitions() []Definition {
	return []Definition{
		{"played a track by {brand}", "played", "Listened", domain.Spotify, 1, false, music, inSession, 960},
		{"played an episode of {brand}", "played", "Listened", domain.Spotify, 2, false, podcast, alone, 960},
		{"saved a track by {brand}", "saved", "Social", domain.Spotify, 3, false, music, alone, 90},
		{"follows {brand}", "follows", "Social", domain.Spotify, 10, true, "", once, 0},
		{"watched a video by {brand}", "watched", "Watched", domain.YouTube, 2, false, "", inSession, 920},
		{"liked a video by {brand}", "liked", "Social", domain.YouTube, 3, false, "", alone, 160},
		{"subscribed to {brand}", "subscribed", "Social", domain.YouTube, 10, true, "", once, 0},
		{"scrobbled a track by {brand}", "scrobbled", "Listened", domain.LastFM, 1, false, music, inSession, 960},
		{"loved a track by {brand}", "loved", "Social", domain.LastFM, 3, false, music, alone, 80},
		{"played a track by {brand}", "played", "Listened", domain.Deezer, 1, false, music, inSession, 950},
		{"played an episode of {brand}", "played", "Listened", domain.Deezer, 2, false, podcast, alone, 950},
		{"added {brand} to favourites", "added", "Social", domain.Deezer, 10, true, "", once, 0},
		{"streamed a track by {brand}", "streamed", "Listened", domain.SoundCloud, 1, false, music, inSession, 900},
		{"reposted a track by {brand}", "reposted", "Social", domain.SoundCloud, 4, false, music, alone, 150},
		{"follows {brand}", "follows", "Social", domain.SoundCloud, 10, true, "", once, 0},
		{"liked a post by {brand}", "liked", "Social", domain.Instagram, 2, false, "", alone, 1000},
		{"follows {brand}", "follows", "Social", domain.Instagram, 8, true, "", once, 0},
		{"shared a post by {brand}", "shared", "Social", domain.Facebook, 3, false, "", alone, 1000},
		{"likes {brand}", "likes", "Social", domain.Facebook, 8, true, "", once, 0},
		{"mentioned {brand}", "mentioned", "Social", domain.Twitter, 2, false, "", alone, 1000},
		{"follows {brand}", "follows", "Social", domain.Twitter, 8, true, "", once, 0},
		{"opened the newsletter of {brand}", "opened", "Read", domain.Email, 1, false, "", alone, 1000},
		{"bought a ticket for {brand}", "bought", "Purchased", domain.Custom, 20, false, music, ticket, 0},
		{"was at a concert of {brand}", "was there", "Attended", domain.Custom, 30, false, music, concert, 0},
	}
}

// fits reports that it can be done for a brand of the type.
func (d *Definition) fits(kind string) bool { return d.on == "" || d.on == kind }

// offer is what an account of a network can do for a type of brand.
type offer struct {
	service domain.Service
	kind    string
}

// repertoire weighs the definitions for each network and type of brand.
func repertoire(of []Definition) map[offer]weights {
	out := map[offer]weights{}
	for _, n := range networks {
		for _, kind := range []string{music, podcast} {
			var w weights
			for i := range of {
				d := &of[i]
				if d.Service != n.service || !d.fits(kind) {
					w = w.add(0)
					continue
				}
				w = w.add(d.weight)
			}
			out[offer{n.service, kind}] = w
		}
	}
	return out
}

// Segment is a named set of definitions and a list of members.
type Segment struct {
	Name        string
	Label       string
	Brand       int    // number in Brands; AnyBrand: of all
	Definitions []int  // numbers in Definitions
	Points      []int  // of each, instead of its Value; empty: its Value
	Rule        bool   // who does enough is on the list, too
	Threshold   int    // actions that are enough
	Period      string // within it; empty: ever
}

// AnyBrand is the Brand of a segment that is of all of them.
const AnyBrand = -1

// segments are the sets a team would make: those of all brands first, then one of each brand.
func segments(of []Definition, brands []Brand) []Segment {
	in := func(pass func(*Definition) bool) (found []int) {
		for i := range of {
			if pass(&of[i]) {
				found = append(found, i)
			}
		}
		return found
	}
	listening := in(func(d *Definition) bool { return d.Type == "Listened" })
	live := in(func(d *Definition) bool { return d.way == ticket || d.way == concert })
	social := in(func(d *Definition) bool { return d.Type == "Social" })
	plays := in(func(d *Definition) bool { return d.Type == "Listened" || d.Type == "Watched" })
	out := []Segment{
		{Name: "Superfans", Label: "Listens every day", Brand: AnyBrand, Definitions: listening, Rule: true, Threshold: 30, Period: "1 Month"},
		{
			Name: "Concert goers", Label: "Tickets and shows", Brand: AnyBrand, Definitions: live, Points: []int{5, 10},
			Rule: true, Threshold: 1, Period: "1 Year",
		},
		{Name: "Street team", Label: "Spreads the word", Brand: AnyBrand, Definitions: social},
	}
	for i := range brands {
		out = append(out, Segment{
			Name: "Superfans of " + brands[i].Name, Label: "Plays " + brands[i].Name + " often", Brand: i, Definitions: plays,
			Rule: true, Threshold: 10, Period: "4 Week",
		})
	}
	return out
}

package wire

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/ovation-analytics/ovation/actors/domain"
)

// BrandFields are the fields of every Brand object beside ID, in order.
var BrandFields = []string{
	"Name", "Type", "Slug", "OfficialWebsiteURL", "FacebookURL", "FacebookID", "TwitterURL", "TwitterScreenName",
	"TwitterID", "WikipediaURL", "SpotifyURL", "SpotifyID", "SpotifyUserURL", "SpotifyUserID", "SpotifyPodcastURL",
	"ImageURL", "HashTag", "YouTubeURL", "YouTubeUsername", "InstagramURL", "InstagramUsername", "GoogleURL", "GoogleID",
	"TumblrURL", "DeezerURL", "DeezerName", "DeezerID", "DeezerUserURL", "DeezerUserID", "AppleMusicURL",
	"AppleMusicName", "AppleMusicID", "NapsterURL", "NapsterID", "NapsterUserURL", "NapsterUserID", "SoundCloudURL",
	"SoundCloudUsername", "SoundCloudID", "TwitchURL", "DiscordServerURL", "RedditURL", "TikTokURL", "GroovesharkURL",
	"LastFMURL",
}

// CustomPrefix begins the name of a custom field; its value is an integer.
const CustomPrefix = "custom_"

// Brand is the flat Brand object: ID, a number; every one of BrandFields, null
// without a value; the custom fields there are, numbers.
type Brand struct {
	ID     domain.BrandID
	Fields domain.BrandFields
}

// MarshalJSON writes the fields in their order, custom ones by name.
func (b Brand) MarshalJSON() ([]byte, error) {
	out := make([]byte, 0, 1536)
	out = strconv.AppendUint(append(out, `{"ID":`...), uint64(b.ID), 10)
	for _, name := range BrandFields {
		out = append(append(append(out, `,"`...), name...), `":`...)
		v := b.Fields[name]
		if v == "" {
			out = append(out, "null"...)
			continue
		}
		text, err := json.Marshal(v)
		if err != nil {
			return nil, err
		}
		out = append(out, text...)
	}
	var custom []string
	for name, v := range b.Fields {
		if strings.HasPrefix(name, CustomPrefix) && v != "" {
			custom = append(custom, name)
		}
	}
	slices.Sort(custom)
	for _, name := range custom {
		n, err := strconv.ParseInt(b.Fields[name], 10, 64)
		if err != nil {
			return nil, fmt.Errorf("wire: custom field of brand %d: %w", b.ID, err)
		}
		out = append(append(append(out, `,"`...), name...), `":`...)
		out = strconv.AppendInt(out, n, 10)
	}
	return append(out, '}'), nil
}

// UnmarshalJSON reads what MarshalJSON writes.
func (b *Brand) UnmarshalJSON(data []byte) error {
	dec := json.NewDecoder(bytes.NewReader(data))
	dec.UseNumber()
	var object map[string]any
	if err := dec.Decode(&object); err != nil {
		return err
	}
	*b = Brand{Fields: domain.BrandFields{}}
	for name, v := range object {
		switch v := v.(type) {
		case nil:
		case string:
			b.Fields[name] = v
		case json.Number:
			if name != "ID" {
				b.Fields[name] = v.String()
				continue
			}
			id, err := strconv.ParseUint(v.String(), 10, 32)
			if err != nil {
				return fmt.Errorf("wire: id of a brand: %w", err)
			}
			b.ID = domain.BrandID(id)
		default:
			return fmt.Errorf("wire: field %s of a brand is a %T", name, v)
		}
	}
	return nil
}

// Schema is the object in OpenAPI's words.
func (Brand) Schema() map[string]any {
	properties := map[string]any{"ID": map[string]any{"type": "integer", "format": "int64"}}
	for _, name := range BrandFields {
		properties[name] = map[string]any{"type": []string{"string", "null"}}
	}
	return map[string]any{
		"type": "object", "properties": properties, "required": append([]string{"ID"}, BrandFields...),
		"patternProperties":    map[string]any{"^" + CustomPrefix + "[a-z0-9_]{1,32}$": map[string]any{"type": "integer", "format": "int64"}},
		"additionalProperties": false,
	}
}

// Brands is a list of brands.
type Brands struct {
	TotalSize string  `json:"totalSize"`
	Items     []Brand `json:"items"`
	Paging    Paging  `json:"paging"`
}

// BrandOf is a brand as answers show it.
func BrandOf(b *domain.Brand) Brand { return Brand{ID: b.ID, Fields: b.Fields} }

package feed

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"encoding/xml"
	"html"
	"net/mail"
	"strings"
	"time"

	"github.com/gorilla/feeds"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/api/serve"
	"github.com/ovation-analytics/ovation/api/wire"
)

// rssType is the media type of RSS.
const rssType = "application/rss+xml"

// RSS is a feed as RSS 2.0.
type RSS struct{ channel channel }

// MediaType is that of RSS.
func (*RSS) MediaType() string { return rssType }

// The elements: those of gorilla/feeds, which has no Atom link and no item without a link.
type (
	channel struct {
		XMLName xml.Name `xml:"channel"`
		Self    selfLink `xml:"atom:link"`
		*feeds.RssFeed
		Items []rssItem `xml:"item"`
	}
	selfLink struct {
		Href string `xml:"href,attr"`
		Rel  string `xml:"rel,attr"`
		Type string `xml:"type,attr"`
	}
	rssItem struct {
		XMLName xml.Name `xml:"item"`
		*feeds.RssItem
		Link string `xml:"link,omitempty"`
	}
)

// Encode gives the XML. What XML cannot hold is U+FFFD in it.
func (f *RSS) Encode() ([]byte, error) {
	var b bytes.Buffer
	b.WriteString(xml.Header)
	err := xml.NewEncoder(&b).Encode(struct {
		XMLName xml.Name `xml:"rss"`
		Version string   `xml:"version,attr"`
		Atom    string   `xml:"xmlns:atom,attr"`
		Channel *channel
	}{Version: "2.0", Atom: "http://www.w3.org/2005/Atom", Channel: &f.channel})
	b.WriteByte('\n')
	return b.Bytes(), err
}

// ListRSS lists what List does.
func ListRSS(ctx context.Context, req *serve.Request, in *feedIn) (*RSS, error) {
	list, err := List(ctx, req, in)
	if err != nil {
		return nil, err
	}
	about := &feeds.RssFeed{Title: "Ovation", Link: req.Links.Base + "/", Description: "What members did", Generator: "Ovation"}
	b, err := req.AnyBrand(domain.BrandID(in.BrandID.Small()))
	if err != nil {
		return nil, err
	}
	if b != nil {
		about.Title = b.Name()
		about.Link = cmp.Or(b.Fields["OfficialWebsiteURL"], about.Link)
		about.Description = "What members did for " + b.Name()
	}
	out := &RSS{channel{Self: selfLink{self(req), "self", rssType}, RssFeed: about}}
	for i := range list.Items {
		out.channel.Items = append(out.channel.Items, rssOf(&list.Items[i]))
	}
	return out, nil
}

// self is the address of the feed as it was asked for, without the key.
func self(req *serve.Request) string {
	req.Links.Self = true
	to := req.Links.Base + req.Links.Path
	if query := req.Params.Query(serve.Unhashed); query != "" {
		to += "?" + query
	}
	return to
}

// rssOf is an action as an item. A description is HTML by the standard, so what is text is
// escaped once more than a title.
func rssOf(i *wire.FeedItem) rssItem {
	item := &feeds.RssItem{
		Title:       strings.TrimSpace(shownName(i) + " " + i.Name),
		Description: html.EscapeString(strings.Join(texts(i.Content), ", ")),
		Category:    i.ActivityType,
		Guid:        &feeds.RssGuid{Id: i.ID, IsPermaLink: "false"},
	}
	if at, err := time.Parse(time.DateTime, i.CompleteDate); err == nil {
		item.PubDate = at.Format(time.RFC1123Z)
	}
	out := rssItem{RssItem: item}
	if i.Link != nil {
		out.Link = *i.Link
	}
	return out
}

// shownName is the member's name, unless it is an e-mail address: a username may be one.
func shownName(i *wire.FeedItem) string {
	if i.MemberName == nil {
		return ""
	}
	if _, err := mail.ParseAddress(*i.MemberName); err == nil {
		return ""
	}
	return *i.MemberName
}

// texts are the values in an object, at any depth, in its order.
func texts(object json.RawMessage) (out []string) {
	dec := json.NewDecoder(bytes.NewReader(object))
	dec.UseNumber()
	inObject := []bool{}
	named := false // the name of a value was read
	for {
		token, err := dec.Token()
		if err != nil {
			return out // it is valid, so this is its end
		}
		value := ""
		switch token := token.(type) {
		case json.Delim:
			switch token {
			case '{', '[':
				inObject = append(inObject, token == '{')
			default:
				inObject = inObject[:len(inObject)-1]
			}
			named = false
			continue
		case string:
			if n := len(inObject); n > 0 && inObject[n-1] && !named {
				named = true
				continue
			}
			value = token
		case json.Number:
			value = token.String()
		case bool:
			value = "false"
			if token {
				value = "true"
			}
		}
		named = false
		if value != "" {
			out = append(out, value)
		}
	}
}

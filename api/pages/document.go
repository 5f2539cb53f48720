package pages

import (
	"bytes"
	"strconv"
	"sync"
	"time"

	"github.com/ovation-analytics/ovation/api/compress"
	"github.com/ovation-analytics/ovation/api/poll"
)

// How long a client may keep a document, and a picture.
const (
	documentLife = 5 * time.Minute
	pictureLife  = 7 * 24 * time.Hour
)

// askEachTime lets a browser keep a document and use it once the node said that it is the same.
const askEachTime = "public, no-cache"

// nothingElse is the policy of what loads nothing: a page of text, and a picture that is opened
// as a page.
const nothingElse = "default-src 'none'"

// Document is an answer without a key. It never changes.
type Document struct {
	Kind   string // media type
	Cache  string // Cache-Control
	Tag    string // ETag
	Policy string // Content-Security-Policy; empty: none
	Body   []byte
	Lasts  bool // it is given to other requests, too

	packed [compress.Zstd + 1]func() []byte // by coding; nothing where that is not smaller
}

// Packed is the body in a coding; nil: that is not smaller. It is of a Document that lasts.
func (d *Document) Packed(c compress.Coding) []byte { return d.packed[c]() }

// lasting makes a document that is given to many requests.
func lasting(kind string, body []byte) *Document {
	d := once(kind, documentLife, body)
	d.Lasts = true
	for c := range d.packed {
		d.packed[c] = sync.OnceValue(func() []byte {
			b, smaller := compress.Compress(compress.Coding(c), body)
			if !smaller {
				return nil
			}
			defer b.Free()
			return bytes.Clone(b.Bytes())
		})
	}
	return d
}

// once makes a document for one request.
func once(kind string, life time.Duration, body []byte) *Document {
	return &Document{Kind: kind, Cache: "public, max-age=" + strconv.Itoa(int(life.Seconds())), Tag: poll.ETag(body), Body: body}
}

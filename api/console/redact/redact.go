package redact

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"regexp"
	"slices"
	"strings"

	"github.com/ovation-analytics/ovation/api/mailaddress"
)

// hidden are the names of fields that are left out, as plainName has them: the interface's own, and what contents that
// others made may have.
var hidden = map[string]bool{
	"email": true, "emails": true, "memberemail": true, "verifiedemail": true, "emailverified": true, "emailaddress": true, "mail": true,
	"homephone": true, "mobilephone": true, "cellphone": true, "mobile": true, "phone": true, "phonenumber": true, "telephone": true,
	"address": true, "addressline1": true, "addressline2": true, "address1": true, "address2": true, "primaryaddress": true,
	"streetaddress": true, "street": true, "postcode": true, "postalcode": true, "zip": true, "zipcode": true,
	"token": true, "tokensecret": true, "accesstoken": true, "accesscredentials": true, "authtoken": true, "idtoken": true,
	"authsecret": true, "refreshtoken": true, "jwt": true, "secret": true, "clientsecret": true, "password": true, "passwordhash": true, "apikey": true,
	"authorization": true, "extended": true,
}

// plainName is the name of a field in lower case, without what separates its words.
func plainName(name string) string { return separators.Replace(strings.ToLower(name)) }

var separators = strings.NewReplacer("_", "", "-", "", " ", "", ".", "")

// address is an address of mail within a text, also where it is part of a URL.
var address = regexp.MustCompile(`(?:"(?:[^"\\]|\\.)+"|[^\s"'<>()\[\],;:\\/=&?%]+)(?:@|%40)[^\s"'<>()\[\],;:@\\/=&?%]+\.[^\s"'<>()\[\],;:@\\/=&?%.]{2,}`)

// instead replaces an address within a text.
const instead = "…"

// value is a text of a JSON value without addresses of mail: one that is nothing else is empty. That is held to be one
// which a member may have, whose domain may be a single name; within a text a domain has two.
func value(s string) string {
	if !strings.Contains(s, "@") && !strings.Contains(s, "%40") {
		return s
	}
	if _, err := mailaddress.Canonical(s); err == nil {
		return ""
	}
	if at := address.FindStringIndex(s); at != nil && at[0] == 0 && at[1] == len(s) {
		return ""
	}
	return address.ReplaceAllLiteralString(s, instead)
}

var errNotOne = errors.New("the text is not one JSON value")

// JSON is a JSON value without the fields that are hidden, whose texts have no addresses of mail. It ends with a newline.
func JSON(b []byte) ([]byte, error) {
	d := json.NewDecoder(bytes.NewReader(b))
	d.UseNumber()
	c := copier{from: d}
	c.out.Grow(len(b))
	if err := c.value(); err != nil {
		return nil, err
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return nil, errNotOne
	}
	c.out.WriteByte('\n')
	return c.out.Bytes(), nil
}

// copier copies one JSON value.
type copier struct {
	from *json.Decoder
	out  bytes.Buffer
}

func (c *copier) value() error {
	token, err := c.from.Token()
	if err != nil {
		return err
	}
	switch t := token.(type) {
	case json.Delim:
		if t == '{' {
			return c.object()
		}
		return c.array()
	case string:
		return c.text(value(t))
	case json.Number:
		c.out.WriteString(t.String())
	case bool:
		word := "false"
		if t {
			word = "true"
		}
		c.out.WriteString(word)
	default:
		c.out.WriteString("null")
	}
	return nil
}

func (c *copier) object() error {
	c.out.WriteByte('{')
	first := true
	for c.from.More() {
		token, err := c.from.Token()
		if err != nil {
			return err
		}
		name, _ := token.(string) // it is one: the decoder checks that
		if hidden[plainName(name)] {
			var skipped json.RawMessage
			if err := c.from.Decode(&skipped); err != nil {
				return err
			}
			continue
		}
		if !first {
			c.out.WriteByte(',')
		}
		first = false
		if err := c.text(value(name)); err != nil {
			return err
		}
		c.out.WriteByte(':')
		if err := c.value(); err != nil {
			return err
		}
	}
	return c.end('}')
}

func (c *copier) array() error {
	c.out.WriteByte('[')
	for i := 0; c.from.More(); i++ {
		if i > 0 {
			c.out.WriteByte(',')
		}
		if err := c.value(); err != nil {
			return err
		}
	}
	return c.end(']')
}

func (c *copier) end(mark byte) error {
	_, err := c.from.Token()
	c.out.WriteByte(mark)
	return err
}

func (c *copier) text(s string) error {
	e := json.NewEncoder(&c.out)
	e.SetEscapeHTML(false)
	err := e.Encode(s)
	c.out.Truncate(c.out.Len() - 1) // its newline
	return err
}

var errLine = errors.New("the event has a line that is neither one of data nor known to have none")

// data begins a line of an event that is a JSON value.
const data = "data: "

// bare begin the lines of an event that have nothing of a member.
var bare = []string{"event: ", "id: ", "retry: ", ":", "\n"}

// Event is a server-sent event whose lines of data are a JSON value each.
func Event(event []byte) ([]byte, error) {
	var out []byte
	for line := range bytes.Lines(event) {
		text, ok := bytes.CutPrefix(line, []byte(data))
		if !ok {
			if !isBare(line) {
				return nil, errLine
			}
			out = append(out, line...)
			continue
		}
		b, err := JSON(text)
		if err != nil {
			return nil, err
		}
		out = append(append(out, data...), b...)
	}
	return out, nil
}

// isBare reports that a line has nothing of a member. A carriage return would end it for a reader.
func isBare(line []byte) bool {
	return bytes.IndexByte(line, '\r') < 0 && slices.ContainsFunc(bare, func(b string) bool { return bytes.HasPrefix(line, []byte(b)) })
}

package input

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"os"
	"reflect"
	"strings"

	"github.com/goccy/go-yaml"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/actors/domain/composed"
)

// Mapping says how the rows of an input become actions. It is what a mapping file
// holds; doc.go shows one.
type Mapping struct {
	Source     string                `yaml:"source"`  // ce_source of every record
	Account    uint32                `yaml:"account"` // 0: the command line says it
	Input      Format                `yaml:"input"`
	Where      string                `yaml:"where"` // an expression: rows for which it is false are passed over
	Lookups    map[string]Lookup     `yaml:"lookups"`
	ID         Text                  `yaml:"id"` // ce_id; "{@file}:{@line}" where none is given
	Time       *Time                 `yaml:"time"`
	Spread     *Spread               `yaml:"spread"`
	Member     Member                `yaml:"member"`
	Brand      *Brand                `yaml:"brand"`      // none: the definition has one
	Activities map[string]Definition `yaml:"activities"` // by the name that this file gives them
	Activity   Choice                `yaml:"activity"`
	Details    `yaml:",inline"`

	sum   [sha256.Size]byte // of the file's bytes
	given string            // the member's service and uid
}

// ErrNoMember says that a mapping needs to be told whose the rows are.
var ErrNoMember = errors.New("the file does not say whose actions it has: --member SERVICE:UID does, such as spotify:ann")

// SetMember says whose actions a file has, as SERVICE:UID, where the mapping leaves that to who uses it.
func (m *Mapping) SetMember(who string) error {
	name, uid, both := strings.Cut(who, ":")
	service, known := domain.ParseService(name)
	switch {
	case !m.Member.Given:
		return errors.New("--member: the mapping says whose actions these are")
	case !both || uid == "" || short(uid) != nil:
		return errors.New("--member: SERVICE:UID, such as spotify:ann")
	case !known:
		return errors.New("--member: no such service; such as spotify:ann")
	case !service.Registers():
		return errors.New("--member: no member can register by this service; such as spotify:ann")
	}
	m.Member.Service, m.Member.UID = literal(service.String()), literal(uid)
	m.given = service.String() + ":" + uid
	return nil
}

// Details are what an action has beside member, brand, activity and time.
type Details struct {
	Content Content         `yaml:"content"`
	Link    Text            `yaml:"link"`
	Media   Text            `yaml:"media"`
	Marker  Text            `yaml:"marker"`
	Geo     map[string]Text `yaml:"geo"` // country, region, city, lat, lon
}

// Format says how a file holds rows. A file may be packed by gzip, bzip2, xz, zstd or zip.
type Format struct {
	Format    string   `yaml:"format"`    // csv (the default), ndjson, json or lines
	Separator string   `yaml:"separator"` // of csv: one character, or comma, tab, semicolon, pipe, space; comma
	Quotes    *bool    `yaml:"quotes"`    // of csv: fields may be in double quotes; true
	Columns   []string `yaml:"columns"`   // of csv: names of the columns; without them the first row names them
	Optional  []string `yaml:"optional"`  // of csv: columns that not every file has
	Rows      string   `yaml:"rows"`      // of json: the member that has the rows, such as data.items; the document itself
	Pattern   string   `yaml:"pattern"`   // of lines: a regular expression (RE2) of a line, whose named groups are the columns
	Comment   string   `yaml:"comment"`   // lines that begin so are skipped
	Encoding  string   `yaml:"encoding"`  // utf-8, utf-16le, utf-16be, latin1 or windows-1252; by the file's first bytes, else utf-8
	Escapes   string   `yaml:"escapes"`   // of ndjson and json: latin1, where \u00c3\u00bc is meant to be the two bytes of ü in UTF-8
	None      []string `yaml:"none"`      // texts that are no value, such as "-", "null" and "\N"
}

// Lookup is a table in a file beside the input, by which a row finds more about
// what it names: {lookup.column}.
type Lookup struct {
	File  string `yaml:"file"`  // beside the input, packed or not
	Input Format `yaml:"input"` // csv
	Key   string `yaml:"key"`   // the table's column that names its rows
	By    Text   `yaml:"by"`    // what of the input's row is looked for
}

// Member is who did it: by an id, by a service's user, or by a partner's id. With both of the last two a
// row's member is the service's user, where it has one. Of a file that has one member's actions and does not
// say whose, it is given beside the mapping, and {@member} names it.
type Member struct {
	Given       bool            `yaml:"given"`
	ID          Text            `yaml:"id"`
	Service     Text            `yaml:"service"`
	UID         Text            `yaml:"uid"`
	PartnerCode Text            `yaml:"partnerCode"`
	PartnerID   Text            `yaml:"partnerID"`
	Register    map[string]Text `yaml:"register"`   // more parameters of member/register
	Registered  bool            `yaml:"registered"` // all are: none is made
}

// Brand is for whom: by an id, or by what it is made with.
type Brand struct {
	ID     Text            `yaml:"id"`
	Create map[string]Text `yaml:"create"` // parameters of brand/create: name, type, slug and so on
}

// Definition is what can be done: by an id, or by what it is made with. Its texts
// are taken as they are: {brand} in a name is filled in by the engine.
type Definition struct {
	ID      uint32 `yaml:"id"`
	Name    string `yaml:"name"`
	Type    string `yaml:"type"`
	Service string `yaml:"service"`
	Value   *int   `yaml:"value"`
	OneTime bool   `yaml:"onetime"`
}

// Time is when it was done, in one text or in parts.
type Time struct {
	Value            Text    `yaml:"value"`
	Layout           Layouts `yaml:"layout"` // a name of layouts, or a layout of Go, or several of them: the first that fits; rfc3339, which is also YYYY-MM-DD hh:mm:ss
	Unit             string  `yaml:"unit"`   // s, ms, us or ns: a number since 1970; auto: which of them by how large it is
	Zone             string  `yaml:"zone"`   // of times that do not say theirs; UTC
	Year, Month, Day Text    // or in parts, each a number
	Hour, Minute     Text
	SecondPart       Text `yaml:"second"`
}

// Spread says that a row is several actions within a range of time.
type Spread struct {
	Count Text   `yaml:"count"` // how many actions the row is; 1
	Total int64  `yaml:"total"` // scale the counts so that all rows together give so many
	From  string `yaml:"from"`  // the range [from, to): dates or RFC 3339 times
	To    string `yaml:"to"`
	Over  string `yaml:"over"` // or: so long from the row's own time, such as 24h or 7d
	Seed  uint64 `yaml:"seed"`
}

// maxMapping bounds the size of a mapping file.
const maxMapping = 1 << 20

// ReadMapping reads a mapping file.
func ReadMapping(path string) (*Mapping, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	text, err := io.ReadAll(io.LimitReader(f, maxMapping+1))
	if err != nil {
		return nil, err
	}
	m, err := ParseMapping(text)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return m, nil
}

// inWordsOf is what is wrong with the YAML, in the words of who writes a mapping.
func inWordsOf(err yaml.Error) string {
	var kind *yaml.TypeError
	var most *yaml.OverflowError
	switch {
	case errors.As(err, &kind):
		return fmt.Sprintf("%s, where %s is wanted", wordOf(kind.SrcType), wordOf(kind.DstType))
	case errors.As(err, &most):
		return "a number that is too large or below 0"
	}
	return err.GetMessage()
}

// wordOf is a type of a value in YAML.
func wordOf(t reflect.Type) string {
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	switch t.Kind() {
	case reflect.Slice, reflect.Array:
		return "a list"
	case reflect.Map, reflect.Struct:
		return "a mapping of names to values"
	case reflect.String:
		return "one text"
	case reflect.Bool:
		return "true or false"
	case reflect.Float32, reflect.Float64:
		return "a number"
	}
	if t.Kind() >= reflect.Int && t.Kind() <= reflect.Uint64 {
		return "a whole number"
	}
	return "another value"
}

// ParseMapping reads a mapping and tells what is wrong with it.
func ParseMapping(text []byte) (*Mapping, error) {
	if len(text) > maxMapping {
		return nil, fmt.Errorf("longer than %d bytes", maxMapping)
	}
	m := &Mapping{sum: sha256.Sum256(text)}
	if err := yaml.UnmarshalWithOptions([]byte(composed.Text(string(text))), m, yaml.Strict()); err != nil {
		var at yaml.Error
		if errors.As(err, &at) && at.GetToken() != nil {
			return nil, fmt.Errorf("line %d: %s", at.GetToken().Position.Line, inWordsOf(at))
		}
		return nil, err
	}
	if _, err := m.compile(); err != nil {
		return nil, err
	}
	return m, nil
}

package input

import (
	"bytes"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/encoding/unicode"

	"github.com/ovation-analytics/ovation/actors/domain/composed"
)

// shape is a format, read.
type shape struct {
	kind      formatKind
	separator string
	quotes    bool
	columns   []string       // nil: the first row names them
	optional  []string       // columns that not every file has
	rows      []string       // of JSON: the members that lead to the rows
	pattern   *regexp.Regexp // of lines
	comment   string
	encoding  encoding.Encoding // nil: UTF-8, unless the file's first bytes say UTF-16
	escapes   bool              // they are bytes of UTF-8
	none      []string          // texts that are no value
}

type formatKind uint8

const (
	ofCSV formatKind = iota
	ofNDJSON
	ofJSON
	ofLines
)

// formats are the kinds by name.
var formats = map[string]formatKind{"": ofCSV, "csv": ofCSV, "ndjson": ofNDJSON, "json": ofJSON, "lines": ofLines}

// encodings are those that a mapping names; nil: UTF-8.
var encodings = map[string]encoding.Encoding{
	"": nil, "utf-8": nil, "utf8": nil,
	"utf-16": unicode.UTF16(unicode.LittleEndian, unicode.UseBOM), "utf-16le": unicode.UTF16(unicode.LittleEndian, unicode.UseBOM),
	"utf-16be": unicode.UTF16(unicode.BigEndian, unicode.UseBOM),
	"latin1":   charmap.ISO8859_1, "iso-8859-1": charmap.ISO8859_1, "windows-1252": charmap.Windows1252,
}

var separators = map[string]string{"": ",", "comma": ",", "tab": "\t", "semicolon": ";", "pipe": "|", "space": " "}

func (f *Format) compile() (*shape, error) {
	s := &shape{quotes: f.Quotes == nil || *f.Quotes, comment: f.Comment, columns: f.Columns, optional: f.Optional, none: f.None}
	var known bool
	if s.kind, known = formats[strings.ToLower(f.Format)]; !known {
		return nil, errors.New("format: none of csv, ndjson, json and lines")
	}
	if err := f.compileKind(s); err != nil {
		return nil, err
	}
	var named bool
	if s.separator, named = separators[strings.ToLower(f.Separator)]; !named {
		s.separator = f.Separator
	}
	if utf8.RuneCountInString(s.separator) != 1 || !utf8.ValidString(s.separator) ||
		strings.ContainsAny(s.separator, "\"\r\n") {
		return nil, errors.New("separator: one character, or comma, tab, semicolon, pipe or space")
	}
	if s.encoding, known = encodings[strings.ToLower(f.Encoding)]; !known {
		return nil, errors.New("encoding: none of utf-8, utf-16le, utf-16be, latin1 and windows-1252")
	}
	return s, checkColumns(f.Columns)
}

// compileKind reads what one kind of format has and the others have not.
func (f *Format) compileKind(s *shape) (err error) {
	inJSON := s.kind == ofNDJSON || s.kind == ofJSON
	switch {
	case s.kind != ofCSV && (f.Separator != "" || f.Quotes != nil || f.Columns != nil || f.Optional != nil):
		return errors.New("separator, quotes, columns and optional are of csv")
	case s.kind != ofJSON && f.Rows != "":
		return errors.New("rows is of json")
	case s.kind == ofJSON && f.Comment != "":
		return errors.New("comment: a JSON document has none")
	case (s.kind == ofLines) != (f.Pattern != ""):
		return errors.New("format lines and pattern come together")
	case f.Escapes != "" && (!inJSON || f.Escapes != "latin1"):
		return errors.New("escapes: latin1, of ndjson and json")
	}
	s.escapes = f.Escapes != ""
	if f.Rows != "" {
		if s.rows = strings.Split(f.Rows, "."); slices.Contains(s.rows, "") {
			return errors.New("rows: names of members with dots between them")
		}
	}
	if s.kind == ofLines {
		if s.pattern, err = regexp.Compile(f.Pattern); err != nil {
			return fmt.Errorf("pattern: %w", err)
		}
		s.columns = slices.DeleteFunc(slices.Clone(s.pattern.SubexpNames()), func(name string) bool { return name == "" })
		if len(s.columns) == 0 {
			return errors.New("pattern: it has no named group, such as (?P<user>\\S+)")
		}
	}
	return nil
}

// check is what is wrong with the names of values that a mapping asks for.
func (s *shape) check(names []string) error {
	for _, name := range names {
		p, err := parsePath(name)
		switch inJSON := s.kind == ofNDJSON || s.kind == ofJSON; {
		case inJSON && err != nil:
			return fmt.Errorf("{%s}: %w", name, err)
		case !inJSON && s.columns != nil && !slices.Contains(s.columns, name) && !slices.Contains(s.columns, p.column):
			return fmt.Errorf("{%s}: no such column or lookup", name)
		}
	}
	return nil
}

// valued is a cell, or none where its text is no value.
func (s *shape) valued(c cell) cell {
	if s.escapes && c.text != "" {
		c.text = composed.Text(rejoined(c.text))
		if c.plain {
			c.raw = quoted(c.text)
		}
	}
	if s.none != nil && (c.raw == nil || c.plain) && slices.Contains(s.none, c.text) {
		return cell{}
	}
	return c
}

// rejoined is a text whose characters are the bytes of one in UTF-8; any other stays as it is.
func rejoined(text string) string {
	b := make([]byte, 0, len(text))
	for _, r := range text {
		if r > 0xff {
			return text
		}
		b = append(b, byte(r))
	}
	if !utf8.Valid(b) {
		return text
	}
	return string(b)
}

func checkColumns(columns []string) error {
	for i, name := range columns {
		if name == "" || slices.Contains(columns[:i], name) {
			return fmt.Errorf("columns: %q is empty or there twice", name)
		}
	}
	return nil
}

var (
	errQuote    = errors.New("a quote that is not closed, or is within a value")
	errEncoding = errors.New("not UTF-8; if it is Latin-1 or Windows-1252, the mapping says so by input: {encoding: latin1}")
)

// open reports that a CSV record ends within quotes: it goes on with the next line.
func (s *shape) open(record []byte) bool {
	if !s.quotes || bytes.IndexByte(record, '"') < 0 {
		return false
	}
	separator := []byte(s.separator)
	for {
		field, rest, more := bytes.Cut(record, separator)
		if len(record) > 0 && record[0] == '"' {
			end := closing(record[1:])
			if end < 0 {
				return true
			}
			field = nil
			rest, more = bytes.CutPrefix(record[1+end:], separator)
		}
		if !more || bytes.IndexByte(field, '"') >= 0 {
			return false // at its end, or wrong already
		}
		record = rest
	}
}

// closing is where text after a closing quote goes on; −1: none closes.
func closing(b []byte) int {
	for i := 0; i < len(b); i++ {
		if b[i] != '"' {
			continue
		}
		if i+1 == len(b) || b[i+1] != '"' {
			return i + 1
		}
		i++
	}
	return -1
}

// fields cuts a CSV record.
func (s *shape) fields(dst []string, record string) ([]string, error) {
	dst = dst[:0]
	if !s.quotes || strings.IndexByte(record, '"') < 0 {
		for {
			field, rest, more := strings.Cut(record, s.separator)
			dst = append(dst, field)
			if !more {
				return dst, nil
			}
			record = rest
		}
	}
	for {
		var field string
		if strings.HasPrefix(record, `"`) {
			end := closing([]byte(record[1:]))
			if end < 0 {
				return dst, errQuote
			}
			field, record = strings.ReplaceAll(record[1:end], `""`, `"`), record[end+1:]
			if record != "" && !strings.HasPrefix(record, s.separator) {
				return dst, errQuote
			}
			dst = append(dst, field)
			if record == "" {
				return dst, nil
			}
			record = record[len(s.separator):]
			continue
		}
		field, rest, more := strings.Cut(record, s.separator)
		if strings.Contains(field, `"`) {
			return dst, errQuote
		}
		dst = append(dst, field)
		if !more {
			return dst, nil
		}
		record = rest
	}
}

// text is a line's bytes as UTF-8.
func (s *shape) text(b []byte) (string, error) {
	if !utf8.Valid(b) {
		return "", errEncoding
	}
	return string(b), nil
}

// names reports that a row holds the columns' names and no values.
func (s *shape) names(fields []string) bool {
	if len(fields) != len(s.columns) {
		return false
	}
	for i, f := range fields {
		if i == 0 { // some files mark the line as a comment
			f = strings.TrimLeft(f, "/# ")
		}
		if !strings.EqualFold(composed.Text(strings.TrimSpace(f)), s.columns[i]) {
			return false
		}
	}
	return true
}

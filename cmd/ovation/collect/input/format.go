package input

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"
)

// shape is a format, read.
type shape struct {
	json      bool
	separator string
	quotes    bool
	comment   string
	latin1    bool
	columns   []string // nil: the first row names them
}

var separators = map[string]string{"": ",", "comma": ",", "tab": "\t", "semicolon": ";", "pipe": "|", "space": " "}

func (f *Format) compile() (*shape, error) {
	s := &shape{quotes: f.Quotes == nil || *f.Quotes, comment: f.Comment, columns: f.Columns}
	switch strings.ToLower(f.Format) {
	case "", "csv":
	case "ndjson":
		s.json = true
		if f.Separator != "" || f.Quotes != nil || f.Columns != nil {
			return nil, errors.New("separator, quotes and columns are of csv")
		}
	default:
		return nil, errors.New("format: neither csv nor ndjson")
	}
	var named bool
	if s.separator, named = separators[strings.ToLower(f.Separator)]; !named {
		s.separator = f.Separator
	}
	if utf8.RuneCountInString(s.separator) != 1 || !utf8.ValidString(s.separator) ||
		strings.ContainsAny(s.separator, "\"\r\n") {
		return nil, errors.New("separator: one character, or comma, tab, semicolon, pipe or space")
	}
	switch strings.ToLower(f.Encoding) {
	case "", "utf-8", "utf8":
	case "latin1", "iso-8859-1":
		s.latin1 = true
	default:
		return nil, errors.New("encoding: neither utf-8 nor latin1")
	}
	return s, checkColumns(f.Columns)
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
	errEncoding = errors.New("not UTF-8")
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
	if s.latin1 {
		out := make([]rune, len(b))
		for i, c := range b {
			out[i] = rune(c)
		}
		return string(out), nil
	}
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
		if !strings.EqualFold(strings.TrimSpace(f), s.columns[i]) {
			return false
		}
	}
	return true
}

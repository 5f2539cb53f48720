package table

import (
	"bufio"
	"strings"
	"unicode"
	"unicode/utf8"
)

// csvFile writes fields as RFC 4180 has them, lines ended by a line feed. The standard library's writer cannot tell an empty
// text from none.
type csvFile struct {
	w     *bufio.Writer
	table Table
	raw   bool
}

// newCSV writes the names of the columns.
func newCSV(w *bufio.Writer, t Table, raw bool) (*csvFile, error) {
	e := &csvFile{w, t, raw}
	names := make([]string, len(t.Columns))
	for i, c := range t.Columns {
		names[i] = c.Name
	}
	return e, writeString(w, strings.Join(names, ","), "\n")
}

func (e *csvFile) append(row Row) error {
	for i, v := range row {
		if i > 0 {
			e.w.WriteByte(',')
		}
		if !v.Null {
			e.field(&e.table.Columns[i], textOf(&e.table.Columns[i], &v))
		}
	}
	return e.w.WriteByte('\n')
}

// field writes a value that is there.
func (e *csvFile) field(c *Column, text string) {
	text = strings.ReplaceAll(text, "\x00", string(utf8.RuneError))
	if c.Kind == Text && !e.raw && formula(text) {
		text = "'" + text
	}
	if text != "" && !strings.ContainsAny(text, "\",\r\n") && text == strings.TrimSpace(text) {
		e.w.WriteString(text)
		return
	}
	e.w.WriteByte('"')
	e.w.WriteString(strings.ReplaceAll(text, `"`, `""`))
	e.w.WriteByte('"')
}

func (e *csvFile) close() error { return nil }

// formula reports that a spreadsheet may evaluate the text: by its first character that is no blank, in its plain or its
// full width, or by a control character that it drops.
func formula(text string) bool {
	switch first, _ := utf8.DecodeRuneInString(strings.TrimLeftFunc(text, unicode.IsSpace)); first {
	case '=', '+', '-', '@', '＝', '＋', '－', '＠':
		return true
	}
	return text != "" && (text[0] == '\t' || text[0] == '\r')
}

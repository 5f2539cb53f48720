package table

import (
	"bufio"
	"bytes"
	"encoding/json"
	"strconv"
	"time"
)

// jsonLines writes an object a line, with the columns in their order.
type jsonLines struct {
	w     *bufio.Writer
	table Table
	keys  [][]byte // of each column, with what is before it
	line  bytes.Buffer
	enc   *json.Encoder
}

func newNDJSON(w *bufio.Writer, t Table) *jsonLines {
	e := &jsonLines{w: w, table: t}
	e.enc = json.NewEncoder(&e.line)
	e.enc.SetEscapeHTML(false)
	for i, c := range t.Columns {
		before := ","
		if i == 0 {
			before = "{"
		}
		e.keys = append(e.keys, []byte(before+strconv.Quote(c.Name)+":"))
	}
	return e
}

func (e *jsonLines) append(row Row) error {
	e.line.Reset()
	for i, v := range row {
		e.line.Write(e.keys[i])
		switch c := &e.table.Columns[i]; {
		case v.Null:
			e.line.WriteString("null")
		case c.Kind == Number:
			e.line.WriteString(strconv.FormatInt(v.Number, 10))
		case c.Kind == JSON:
			if err := json.Compact(&e.line, []byte(v.Text)); err != nil {
				return err
			}
		default:
			if err := e.enc.Encode(textOf(c, &v)); err != nil {
				return err
			}
			e.line.Truncate(e.line.Len() - 1) // the line end
		}
	}
	e.line.WriteString("}\n")
	_, err := e.w.Write(e.line.Bytes())
	return err
}

func (e *jsonLines) close() error { return nil }

// textOf is a value that is there, as a text.
func textOf(c *Column, v *Value) string {
	switch c.Kind {
	case Number:
		return strconv.FormatInt(v.Number, 10)
	case Time:
		return time.Unix(v.Number, 0).UTC().Format(time.RFC3339)
	}
	return v.Text
}

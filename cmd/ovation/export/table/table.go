package table

import (
	"errors"
	"fmt"
	"strconv"
)

// Kind is what the values of a column are.
type Kind uint8

// The kinds.
const (
	Text   Kind = iota
	Number      // a whole one
	Time        // seconds since 1970, UTC
	JSON        // the text of a JSON value
)

// Column is one column.
type Column struct {
	Name     string
	Kind     Kind
	Null     bool // it may have no value
	Personal bool // it names, locates or depicts a member
}

// Value is that of a column in a row: Text of the kinds Text and JSON, Number of the others.
type Value struct {
	Null   bool
	Text   string
	Number int64
}

// Row has a value for each column.
type Row []Value

// Table is the name of a table, by which files are named, and its columns.
type Table struct {
	Name    string
	Columns []Column
}

// Clear is the table without its personal columns.
func (t Table) Clear() Table {
	out := Table{Name: t.Name}
	for _, c := range t.Columns {
		if !c.Personal {
			out.Columns = append(out.Columns, c)
		}
	}
	return out
}

// PersonalNames are the names of the personal columns.
func (t Table) PersonalNames() (names []string) {
	for _, c := range t.Columns {
		if c.Personal {
			names = append(names, c.Name)
		}
	}
	return names
}

// Row makes a row of what get gives of each column: nil has no value. The error names the column.
func (t Table) Row(get func(column string) *string, time func(string) (int64, error)) (Row, error) {
	row := make(Row, len(t.Columns))
	for i, c := range t.Columns {
		text := get(c.Name)
		if text == nil {
			if row[i].Null = true; !c.Null {
				return nil, fmt.Errorf("column %s: %w", c.Name, errMissing)
			}
			continue
		}
		var err error
		switch c.Kind {
		case Text, JSON:
			row[i].Text = *text
		case Number:
			row[i].Number, err = strconv.ParseInt(*text, 10, 64)
		case Time:
			row[i].Number, err = time(*text)
		}
		if err != nil {
			return nil, fmt.Errorf("column %s: the API gave no such value", c.Name)
		}
	}
	return row, nil
}

var errMissing = errors.New("the API gave no value")

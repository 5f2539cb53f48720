package table

import (
	"io"
	"reflect"

	"github.com/parquet-go/parquet-go"
)

// columnar writes a Parquet file: columns packed by Zstandard, a row group whenever as much is in memory as may be.
type columnar struct {
	w     *parquet.GenericWriter[any]
	table Table
	row   []parquet.Row
	rows  int
	bytes int
}

func newParquet(w io.Writer, t Table) *columnar {
	return &columnar{
		w:     parquet.NewGenericWriter[any](w, schemaOf(t), parquet.Compression(&parquet.Zstd), parquet.CreatedBy("ovation", "", "")),
		table: t, row: []parquet.Row{make(parquet.Row, len(t.Columns))},
	}
}

// schemaOf has the columns in their order.
func schemaOf(t Table) *parquet.Schema {
	fields := make([]reflect.StructField, len(t.Columns))
	for i, c := range t.Columns {
		tag, of := c.Name, reflect.TypeFor[string]()
		switch c.Kind {
		case Number:
			of = reflect.TypeFor[int64]()
		case Time:
			of, tag = reflect.TypeFor[int64](), tag+",timestamp(millisecond)"
		case JSON:
			tag += ",json"
		case Text:
		}
		if c.Null {
			tag += ",optional"
		}
		fields[i] = reflect.StructField{Name: "C" + c.Name, Type: of, Tag: reflect.StructTag(`parquet:"` + tag + `"`)}
	}
	return parquet.SchemaOf(reflect.New(reflect.StructOf(fields)).Interface())
}

func (e *columnar) append(row Row) error {
	for i, v := range row {
		c := &e.table.Columns[i]
		value, depth := parquet.NullValue(), 0
		switch {
		case v.Null:
		case c.Kind == Number:
			value = parquet.Int64Value(v.Number)
		case c.Kind == Time:
			value = parquet.Int64Value(1000 * v.Number)
		default:
			value = parquet.ByteArrayValue([]byte(v.Text))
			e.bytes += len(v.Text)
		}
		if c.Null && !v.Null {
			depth = 1
		}
		e.row[0][i] = value.Level(0, depth, i)
		e.bytes += 8
	}
	if _, err := e.w.WriteRows(e.row); err != nil {
		return err
	}
	if e.rows++; e.rows < FlushRows && e.bytes < FlushBytes {
		return nil
	}
	e.rows, e.bytes = 0, 0
	return e.w.Flush()
}

func (e *columnar) close() error { return e.w.Close() }

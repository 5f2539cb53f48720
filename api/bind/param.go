package bind

import (
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/actors/domain/composed"
)

// Param is one parameter, of its field's tags.
type Param struct {
	Name, Doc, Eg, Default string
	InPath, Required       bool
	Later                  bool // not built yet: ignored, with a warning
	Exact                  bool // of a text: it is not composed (package composed)
	Enum                   []string
	Not                    []string // services that are not taken
	Min, Max               int64
	Type                   reflect.Type // of the value, pointers taken off
	Field                  string       // of the input

	index   []int
	pointer bool
	set     func(v reflect.Value, s string) error
}

func newParam(f reflect.StructField, index []int, path string) *Param {
	q := &Param{
		Name: f.Tag.Get("name"), Doc: f.Tag.Get("doc"), Eg: f.Tag.Get("eg"), Default: f.Tag.Get("default"),
		Type: f.Type, Field: f.Name, index: index, Max: 255,
	}
	_, q.Required = f.Tag.Lookup("required")
	_, q.Later = f.Tag.Lookup("later")
	_, q.Exact = f.Tag.Lookup("exact")
	if strings.Contains(path, "/:"+strings.ToLower(q.Name)+"/") {
		q.InPath, q.Required = true, true
	}
	if s := f.Tag.Get("enum"); s != "" {
		q.Enum = strings.Split(s, ",")
	}
	if s := f.Tag.Get("not"); s != "" {
		q.Not = strings.Split(s, ",")
	}
	if q.Type.Kind() == reflect.Pointer {
		q.pointer, q.Type = true, q.Type.Elem()
	}
	bound := func(tag string, to *int64) {
		if s := f.Tag.Get(tag); s != "" {
			n, err := strconv.ParseInt(s, 10, 64)
			if err != nil {
				panic("bind: " + tag + " of " + q.Name + ": " + err.Error())
			}
			*to = n
		}
	}
	if k := q.Type.Kind(); k != reflect.String && f.Tag.Get("max") == "" {
		q.Max = domain.MaxID
	}
	bound("min", &q.Min)
	bound("max", &q.Max)
	if _, is := reflect.New(q.Type).Interface().(Verbatim); is {
		q.Exact = true
	}
	q.set = q.setter()
	return q
}

// Optional reports that a request without the parameter differs from one with its zero value.
func (q *Param) Optional() bool { return q.pointer }

// folded is the one spelling of its name.
func (q *Param) folded() string { return Fold(q.Name) }

// off reports a switch that is off.
func (q *Param) off(value string) bool {
	on, err := parseSwitch(value)
	return q.Type.Kind() == reflect.Bool && err == nil && !on
}

// parseSwitch reads a boolean.
func parseSwitch(s string) (bool, error) {
	switch strings.ToLower(s) {
	case "1", "true":
		return true, nil
	case "0", "false":
		return false, nil
	}
	return false, errSwitch
}

var errSwitch = errors.New("must be 1, 0, true or false")

// clear makes an empty value of a write: a field that can be absent is there and zero, anything else
// stays as if absent.
func (q *Param) clear(in reflect.Value) {
	if q.pointer {
		in.FieldByIndex(q.index).Set(reflect.New(q.Type))
	}
}

// accept reads a value that is not empty.
func (q *Param) accept(in reflect.Value, s string) error {
	if !q.Exact {
		s = composed.Text(s)
	}
	if q.Enum != nil {
		i := slices.IndexFunc(q.Enum, func(word string) bool { return strings.EqualFold(word, s) })
		if i < 0 {
			return fmt.Errorf("must be one of %s", strings.Join(q.Enum, ", "))
		}
		s = q.Enum[i]
	}
	if q.Not != nil && !q.takes(s) {
		return fmt.Errorf("must be one of %s", strings.Join(q.Services(), ", "))
	}
	v := in.FieldByIndex(q.index)
	if q.pointer {
		fresh := reflect.New(q.Type)
		if err := q.set(fresh.Elem(), s); err != nil {
			return err
		}
		v.Set(fresh)
		return nil
	}
	return q.set(v, s)
}

// ByteLimit is the limit from which a text is measured in bytes: what is large is
// limited for its size, not for its look.
const ByteLimit = 64 << 10

// setter is how a value of the parameter's type is read.
func (q *Param) setter() func(v reflect.Value, s string) error {
	if reflect.PointerTo(q.Type).Implements(reflect.TypeFor[Parser]()) {
		return func(v reflect.Value, s string) error { return v.Addr().Interface().(Parser).ParseParam(s) }
	}
	switch q.Type.Kind() {
	case reflect.String:
		return func(v reflect.Value, s string) error {
			if q.Max >= ByteLimit && int64(len(s)) > q.Max {
				return fmt.Errorf("must be at most %d bytes long", q.Max)
			}
			if err := atMost(q.Max, s); err != nil {
				return err
			}
			v.SetString(s)
			return nil
		}
	case reflect.Bool:
		return func(v reflect.Value, s string) error {
			on, err := parseSwitch(s)
			v.SetBool(on)
			return err
		}
	case reflect.Int64:
		return func(v reflect.Value, s string) error {
			n, err := strconv.ParseInt(s, 10, 64)
			if err != nil || n < q.Min || n > q.Max {
				return fmt.Errorf("must be an integer from %d to %d", q.Min, q.Max)
			}
			v.SetInt(n)
			return nil
		}
	}
	panic("bind: no way to read a " + q.Type.String())
}

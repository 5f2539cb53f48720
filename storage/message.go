package storage

import (
	"encoding/json"
	"fmt"
	"reflect"
	"unicode/utf8"
)

// Entities (requests, the catalog's) are JSON of the domain's struct behind
// a version byte: they are few, and their fields may grow. JSON would change a string
// that is not UTF-8, and what is read back must be what was applied; so version 2
// has each byte of every string as one character.
const entityBytes = 2

// appendEntity appends the value of a pointer to a struct.
func appendEntity(dst []byte, entity any) ([]byte, error) {
	version, v := byte(version1), reflect.ValueOf(entity)
	if !stringsValid(v) {
		version, v = entityBytes, mapStrings(v, widen)
	}
	b, err := json.Marshal(v.Interface())
	if err != nil {
		return dst, fmt.Errorf("storage: encode %T: %w", entity, err)
	}
	return append(append(dst, version), b...), nil
}

// decodeEntity reads a value into a pointer to a zero struct.
func decodeEntity(v []byte, entity any) error {
	if len(v) == 0 {
		return damaged("entity")
	}
	if v[0] != version1 && v[0] != entityBytes {
		return fmt.Errorf("storage: %T: %w: %d", entity, errVersion, v[0])
	}
	if err := json.Unmarshal(v[1:], entity); err != nil {
		return fmt.Errorf("storage: %T: %w: %w", entity, errDamaged, err)
	}
	if v[0] == entityBytes {
		e := reflect.ValueOf(entity).Elem()
		e.Set(mapStrings(e, narrow))
	}
	return nil
}

// widen makes a character of each byte, narrow a byte of each character.
func widen(s string) string {
	out := make([]rune, len(s))
	for i := range len(s) {
		out[i] = rune(s[i])
	}
	return string(out)
}

func narrow(s string) string {
	out := make([]byte, 0, len(s))
	for _, r := range s {
		out = append(out, byte(r))
	}
	return string(out)
}

// stringsValid reports that every string in v is UTF-8.
func stringsValid(v reflect.Value) bool {
	switch v.Kind() {
	case reflect.String:
		return utf8.ValidString(v.String())
	case reflect.Pointer, reflect.Interface:
		return v.IsNil() || stringsValid(v.Elem())
	case reflect.Struct:
		for _, field := range v.Fields() {
			if !stringsValid(field) {
				return false
			}
		}
	case reflect.Slice, reflect.Array:
		if !holdsStrings(v.Type().Elem()) {
			return true
		}
		for i := range v.Len() {
			if !stringsValid(v.Index(i)) {
				return false
			}
		}
	case reflect.Map:
		for _, k := range v.MapKeys() {
			if !stringsValid(k) || !stringsValid(v.MapIndex(k)) {
				return false
			}
		}
	}
	return true
}

// holdsStrings is false for elements that cannot hold any.
func holdsStrings(t reflect.Type) bool { return t.Kind() >= reflect.Array }

// mapStrings is a copy of v with f of every string in it. Fields that are not
// exported, of which the domain has none, would be left zero.
func mapStrings(v reflect.Value, f func(string) string) reflect.Value {
	out := reflect.New(v.Type()).Elem()
	switch v.Kind() {
	case reflect.String:
		out.SetString(f(v.String()))
	case reflect.Pointer:
		if !v.IsNil() {
			out.Set(reflect.New(v.Type().Elem()))
			out.Elem().Set(mapStrings(v.Elem(), f))
		}
	case reflect.Struct:
		for i := range v.NumField() {
			if out.Field(i).CanSet() {
				out.Field(i).Set(mapStrings(v.Field(i), f))
			}
		}
	case reflect.Slice:
		if !v.IsNil() {
			out.Set(reflect.MakeSlice(v.Type(), v.Len(), v.Len()))
			for i := range v.Len() {
				out.Index(i).Set(mapStrings(v.Index(i), f))
			}
		}
	case reflect.Map:
		if !v.IsNil() {
			out.Set(reflect.MakeMap(v.Type()))
			for _, k := range v.MapKeys() {
				out.SetMapIndex(mapStrings(k, f), mapStrings(v.MapIndex(k), f))
			}
		}
	default:
		out.Set(v)
	}
	return out
}

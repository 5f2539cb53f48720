package identity

import (
	"fmt"
	"reflect"
	"testing"
	"unsafe"

	"github.com/google/go-cmp/cmp"
)

// A copy of a command says the same and has no string and no slice of it: the page that it came in is used again.
func TestClone_SharesNoMemory(t *testing.T) {
	cloned(t, cloneRegistration)
	cloned(t, cloneLogin)
	cloned(t, cloneUpdate)
	cloned(t, cloneRemoval)
	cloned(t, cloneReset)
}

func cloned[C any](t *testing.T, clone func(*C) *C) {
	t.Helper()
	original := new(C)
	fill(reflect.ValueOf(original).Elem())
	theirs := memory(reflect.ValueOf(original).Elem(), "", nil)
	copied := clone(original)
	if d := cmp.Diff(original, copied); d != "" {
		t.Errorf("%T: %s", original, d)
	}
	for at, field := range memory(reflect.ValueOf(copied).Elem(), "", nil) {
		if theirs[at] != "" {
			t.Errorf("%T: the copy shares%s", original, field)
		}
	}
	if len(theirs) == 0 {
		t.Errorf("%T has nothing to share", original)
	}
}

// fill gives every string and slice below v something in it.
func fill(v reflect.Value) {
	switch v.Kind() {
	case reflect.String:
		v.SetString(fmt.Sprint("the ", v.Type()))
	case reflect.Slice:
		v.Set(reflect.MakeSlice(v.Type(), 1, 1))
		fill(v.Index(0))
	case reflect.Struct:
		for _, field := range v.Fields() {
			fill(field)
		}
	}
}

// memory adds to all where the strings and slices below v are, with the fields' names.
func memory(v reflect.Value, name string, all map[unsafe.Pointer]string) map[unsafe.Pointer]string {
	if all == nil {
		all = map[unsafe.Pointer]string{}
	}
	switch v.Kind() {
	case reflect.String:
		all[unsafe.Pointer(unsafe.StringData(v.String()))] = name
	case reflect.Slice:
		all[v.UnsafePointer()] = name
		memory(v.Index(0), name, all)
	case reflect.Struct:
		for i := range v.NumField() {
			memory(v.Field(i), name+" "+v.Type().Field(i).Name, all)
		}
	}
	return all
}

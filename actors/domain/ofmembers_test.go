package domain

import (
	"reflect"
	"testing"
)

// Every field of a filter but Services, which are the action's, and Ended, which only narrows Opted, asks
// something of members: a filter with any of them is not that of all members.
func TestFilter_EachFieldIsOfMembers(t *testing.T) {
	if (&Filter{}).OfMembers() {
		t.Fatal("a filter without fields is of members")
	}
	all := reflect.TypeFor[Filter]()
	for i := range all.NumField() {
		var f Filter
		v := reflect.ValueOf(&f).Elem().Field(i)
		switch v.Kind() {
		case reflect.Slice:
			v.Set(reflect.MakeSlice(v.Type(), 1, 1))
		case reflect.Pointer:
			v.Set(reflect.New(v.Type().Elem()))
		case reflect.Bool:
			v.SetBool(true)
		case reflect.String:
			v.SetString("x")
		default:
			t.Fatalf("the test cannot set %s", all.Field(i).Name)
		}
		name := all.Field(i).Name
		if want := name != "Services" && name != "Ended"; f.OfMembers() != want {
			t.Errorf("a filter with %s is of members: %t, want %t: say so in OfMembers", name, f.OfMembers(), want)
		}
	}
}

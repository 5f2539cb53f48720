package check

import (
	"reflect"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"
)

// Same fails the test when two values differ.
func Same(t *testing.T, what string, got, want any) {
	t.Helper()
	if reflect.DeepEqual(want, got) { // at a fraction of what telling the difference costs
		return
	}
	if d := gocmp.Diff(want, got); d != "" {
		t.Fatalf("%s (-want +got):\n%s", what, d)
	}
}

// Must gives a value, or fails the test.
func Must[T any](t testing.TB) func(v T, err error) T {
	return func(v T, err error) T {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
}

// OK fails the test on an error.
func OK(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

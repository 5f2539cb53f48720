package main

import (
	"os"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/ovation-analytics/ovation/api"
)

// The client has the operations of the table, with their parameters and answers of today.
func TestOperations_UpToDate(t *testing.T) {
	want, err := source(api.Operations())
	if err != nil {
		t.Fatal(err)
	}
	got, err := os.ReadFile("../" + file)
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(string(want), string(got)); d != "" {
		t.Errorf("go generate ./api/client writes it again: %s", d)
	}
}

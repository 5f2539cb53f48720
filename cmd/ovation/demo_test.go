package main

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/cmd/ovation/audience"
)

// --describe prints and starts nothing.
func TestDemo_Describe(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "data")
	var out bytes.Buffer
	d := Demo{Config: Config{Data: dir}, Seed: 1, Members: 200, Actions: 3000, Describe: true}
	if err := d.Run(t.Context(), &out); err != nil {
		t.Fatal(err)
	}
	if !strings.HasPrefix(out.String(), "200 members, 3000 actions") {
		t.Errorf("it says %.80s", out.String())
	}
	if _, err := os.Stat(dir); !errors.Is(err, os.ErrNotExist) {
		t.Error("there is a data directory:", err)
	}
}

// Flags of a demo that cannot be are wrong use.
func TestDemo_WrongUse(t *testing.T) {
	t.Parallel()
	for _, d := range []Demo{
		{Members: 0}, {Members: 1, Actions: -1}, {Members: 1, Rate: -1}, {Members: 1, Rate: maxRate + 1}, {Members: audience.MaxMembers + 1},
	} {
		if err := d.Run(t.Context(), &bytes.Buffer{}); domain.CodeOf(err) != domain.InvalidParameter {
			t.Errorf("%+v: %v", d, err)
		}
	}
}

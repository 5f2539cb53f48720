package main

import (
	"encoding/json"
	"fmt"
	"io"

	"github.com/ovation-analytics/ovation/cmd/ovation/build"
)

// Version prints what the binary was built from.
type Version struct {
	Output string `enum:"text,json" default:"text" help:"text or json."`
}

// Run prints it.
func (v *Version) Run(w io.Writer) error {
	b := build.Read()
	if v.Output == "json" {
		return json.NewEncoder(w).Encode(b)
	}
	_, err := fmt.Fprintf(w, "ovation %s %s revision %s\n", b.Version, b.Go, b.Revision)
	return err
}

package main

import (
	"fmt"
	"io"

	"github.com/ovation-analytics/ovation/cmd/ovation/build"
)

// Version prints what the binary was built from.
type Version struct {
	form
}

// Run prints it.
func (v *Version) Run(w io.Writer) error {
	b := build.Read()
	return v.print(w, b, func(w io.Writer) { fmt.Fprintln(w, b) })
}

package main

import (
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"runtime/debug"
)

// Version prints what the binary was built from.
type Version struct {
	Output string `enum:"text,json" default:"text" help:"text or json."`
}

// Run prints it.
func (v *Version) Run(w io.Writer) error {
	b := built()
	if v.Output == "json" {
		return json.NewEncoder(w).Encode(b)
	}
	_, err := fmt.Fprintf(w, "ovation %s %s revision %s\n", b.Version, b.Go, b.Revision)
	return err
}

// build is what is known of a binary's making; "unknown" where the toolchain noted
// nothing.
type build struct {
	Version  string `json:"version"`
	Go       string `json:"go"`
	Revision string `json:"revision"` // with "+dirty" when the checkout had changes
	Time     string `json:"time,omitempty"`
}

func built() build {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		info = &debug.BuildInfo{}
	}
	return buildOf(info)
}

// What go build -ldflags "-X main.version=… -X main.revision=…" says, as make build does: it outranks what
// the toolchain noted, which knows nothing outside git.
var version, revision string

func buildOf(info *debug.BuildInfo) build {
	b := build{Version: cmp.Or(version, info.Main.Version, "(devel)"), Go: info.GoVersion, Revision: "unknown"}
	dirty := false
	for _, s := range info.Settings {
		switch s.Key {
		case "vcs.revision":
			b.Revision = s.Value
		case "vcs.time":
			b.Time = s.Value
		case "vcs.modified":
			dirty = s.Value == "true"
		}
	}
	if dirty {
		b.Revision += "+dirty"
	}
	b.Revision = cmp.Or(revision, b.Revision)
	return b
}

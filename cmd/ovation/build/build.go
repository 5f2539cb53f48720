package build

import (
	"cmp"
	"fmt"
	"runtime/debug"
)

// Info is what is known of a binary's making; "unknown" where the toolchain noted
// nothing.
type Info struct {
	Version  string `json:"version"`
	Go       string `json:"go"`
	Revision string `json:"revision"` // with "+dirty" when the checkout had changes
	Time     string `json:"time,omitempty"`
}

// String is a line for people.
func (i Info) String() string {
	return fmt.Sprintf("ovation %s %s revision %s", i.Version, i.Go, i.Revision)
}

// Read is of this binary.
func Read() Info {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		info = &debug.BuildInfo{}
	}
	return of(info)
}

// What go build -ldflags "-X …/build.version=… -X …/build.revision=…" says, as make build does.
var version, revision string

func of(info *debug.BuildInfo) Info {
	b := Info{Version: cmp.Or(version, info.Main.Version, "(devel)"), Go: info.GoVersion, Revision: "unknown"}
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

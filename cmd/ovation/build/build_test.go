package build

import (
	"runtime/debug"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// The version names the revision, and that the checkout had changes.
func TestRead_RevisionAndChanges(t *testing.T) {
	vcs := func(modified string) []debug.BuildSetting {
		return []debug.BuildSetting{{Key: "vcs.modified", Value: modified}, {Key: "vcs.revision", Value: "abc"}, {Key: "vcs.time", Value: "2026-01-02T03:04:05Z"}}
	}
	for _, c := range []struct {
		info debug.BuildInfo
		want Info
	}{
		{debug.BuildInfo{}, Info{Version: "(devel)", Revision: "unknown"}},
		{
			debug.BuildInfo{GoVersion: "go1.26.8", Main: debug.Module{Version: "v1.2.3"}, Settings: vcs("false")},
			Info{Version: "v1.2.3", Go: "go1.26.8", Revision: "abc", Time: "2026-01-02T03:04:05Z"},
		},
		{
			debug.BuildInfo{GoVersion: "go1.26.8", Main: debug.Module{Version: "(devel)"}, Settings: vcs("true")},
			Info{Version: "(devel)", Go: "go1.26.8", Revision: "abc+dirty", Time: "2026-01-02T03:04:05Z"},
		},
	} {
		if d := cmp.Diff(c.want, of(&c.info)); d != "" {
			t.Errorf("-want +got:\n%s", d)
		}
	}
}

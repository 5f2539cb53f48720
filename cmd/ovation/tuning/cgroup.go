package tuning

import (
	"io/fs"
	"path"
	"strconv"
	"strings"
)

// groupLimit is the least limit on memory of the process's cgroup and those above it, of
// version 2 or 1; false: none limits it.
func groupLimit(system fs.FS) (limit int64, ok bool) {
	groups, err := fs.ReadFile(system, "proc/self/cgroup")
	if err != nil {
		return 0, false
	}
	mounts, err := fs.ReadFile(system, "proc/self/mountinfo")
	if err != nil {
		return 0, false
	}
	for line := range strings.Lines(string(groups)) {
		parts := strings.SplitN(strings.TrimSpace(line), ":", 3)
		if len(parts) != 3 {
			continue
		}
		kind, file := "cgroup2", "memory.max"
		switch {
		case parts[0] == "0" && parts[1] == "":
		case hasWord(parts[1], "memory"):
			kind, file = "cgroup", "memory.limit_in_bytes"
		default:
			continue
		}
		for _, m := range groupMounts(string(mounts), kind) {
			if n, found := minAbove(system, m, parts[2], file); found && (!ok || n < limit) {
				limit, ok = n, true
			}
		}
	}
	return limit, ok
}

// groupMount is where a hierarchy of cgroups is mounted, and the group at its root.
type groupMount struct{ point, root string }

// groupMounts reads mountinfo: "36 35 98:0 /root /point options - type source options".
// Of version 1 only what controls memory counts.
func groupMounts(info, kind string) (out []groupMount) {
	for line := range strings.Lines(info) {
		before, after, found := strings.Cut(line, " - ")
		fields, of := strings.Fields(before), strings.Fields(after)
		if !found || len(fields) < 5 || len(of) < 3 || of[0] != kind || kind == "cgroup" && !hasWord(of[2], "memory") {
			continue
		}
		out = append(out, groupMount{point: fields[4], root: fields[3]})
	}
	return out
}

// minAbove is the least limit from a group up to the root of the mount. A container sees
// its own group at that root, whatever its name on the host.
func minAbove(system fs.FS, m groupMount, group, file string) (smallest int64, ok bool) {
	group = path.Clean("/" + strings.TrimPrefix(group, strings.TrimSuffix(m.root, "/")))
	for {
		text, err := fs.ReadFile(system, strings.TrimPrefix(path.Join(m.point, group, file), "/"))
		if n, e := strconv.ParseInt(strings.TrimSpace(string(text)), 10, 64); err == nil && e == nil && (!ok || n < smallest) {
			smallest, ok = n, true
		}
		if group == "/" {
			return smallest, ok
		}
		group = path.Dir(group)
	}
}

func hasWord(list, word string) bool {
	for w := range strings.SplitSeq(list, ",") {
		if w == word {
			return true
		}
	}
	return false
}

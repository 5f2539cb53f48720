package serve

import (
	"strconv"
	"strings"

	"github.com/ovation-analytics/ovation/actors/domain"
)

// inPath is the parameter of paths that names a member.
const inPath = ":memberid"

// locationOf is where to ask instead, after an error about a merged member: the same path with the
// survivor's id, without what else was given; where the path did not name the member, the survivor
// itself. route is the pattern of the path.
func locationOf(e *domain.Error, route, path string) string {
	id := strconv.FormatUint(uint64(e.Survivor), 10)
	at := strings.Index(route, inPath)
	if at < 0 || e.Parameter != "" && e.Parameter != inPath[1:] {
		return "/v1.1/member/" + id
	}
	path = path[at:]
	end := strings.IndexAny(path, "/.") // the path matched: up to here it is the pattern's
	if end < 0 {
		end = len(path)
	}
	return route[:at] + id + path[end:]
}

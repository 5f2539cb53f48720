package pages

import (
	"mime"
	"slices"
	"strconv"
	"strings"
)

// prefersHTML reports that a client takes HTML, and JSON no more than it.
func prefersHTML(accept []string) bool {
	asked := strings.Join(accept, ",")
	if !strings.Contains(strings.ToLower(asked), "text/html") {
		return false
	}
	asHTML, asJSON := quality(asked, "text/html"), quality(asked, "application/json")
	return asHTML > 0 && asHTML >= asJSON
}

// quality is how much a media type is wanted, by the most specific range of Accept that it is in; 0:
// not at all.
func quality(accept, kind string) float64 {
	group, _, _ := strings.Cut(kind, "/")
	best, found := 0.0, -1
	for part := range strings.SplitSeq(accept, ",") {
		is, params, err := mime.ParseMediaType(part)
		specific := slices.Index([]string{"*/*", group + "/*", kind}, is)
		if err != nil || specific < found || specific < 0 {
			continue
		}
		q, err := strconv.ParseFloat(params["q"], 64)
		if err != nil || q < 0 || q > 1 {
			q = 1
		}
		best, found = q, specific
	}
	return best
}

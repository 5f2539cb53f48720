package poll

import (
	"crypto/sha256"
	"encoding/hex"
	"strings"
)

// ETag is the weak tag of a body: the same on every node.
func ETag(body []byte) string {
	sum := sha256.Sum256(body)
	return `W/"` + hex.EncodeToString(sum[:16]) + `"`
}

// Matches reports that a tag is among those of If-None-Match, weakly compared.
func Matches(lines []string, tag string) bool {
	tag = strings.TrimPrefix(tag, "W/")
	for _, line := range lines {
		for one := range strings.SplitSeq(line, ",") {
			one = strings.TrimSpace(one)
			if one == "*" || strings.TrimPrefix(one, "W/") == tag {
				return true
			}
		}
	}
	return false
}

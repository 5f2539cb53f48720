package domain

import (
	"crypto/sha256"
	"strings"
)

// RegionValue is the value of AttrRegion for a region as given, whether it is a
// code or a name: in lower case, without blanks around it; empty for none. One too
// long for the store is its SHA-256.
func RegionValue(region string) string {
	const maxLen = 255
	v := strings.ToLower(strings.TrimSpace(region))
	if len(v) > maxLen {
		sum := sha256.Sum256([]byte(v))
		return string(sum[:])
	}
	return v
}

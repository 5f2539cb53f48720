package avatar

import (
	"strconv"
	"strings"

	"github.com/ovation-analytics/ovation/actors/domain"
)

// Suffix ends the name of a picture: <number>.svg.
const Suffix = ".svg"

// ContentType of every picture.
const ContentType = "image/svg+xml"

// Member is the number in the name of a picture; false: it is the name of none. A number has
// one name: no sign, no leading zero.
func Member(name string) (uint64, bool) {
	digits, ok := strings.CutSuffix(name, Suffix)
	if !ok || digits == "" || digits[0] < '1' || digits[0] > '9' {
		return 0, false
	}
	id, err := strconv.ParseUint(digits, 10, 64)
	return id, err == nil && id <= domain.MaxID
}

// colours are dark enough for the light ground.
var colours = [...]string{
	"#b3261e", "#a8480f", "#8a5a00", "#6b6b00", "#47720a", "#1f7a1f", "#00794f", "#007a78",
	"#006d9c", "#1f5fbf", "#3f51b5", "#5e43b8", "#7b3fb0", "#9a2f9e", "#b0256f", "#5d5d6b",
}

// Of draws the picture of a number: five by five cells, the left ones mirrored on the right.
func Of(id uint64) []byte {
	bits := mixed(id)
	out := make([]byte, 0, 512)
	out = append(out, `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 7 7" width="140" height="140" shape-rendering="crispEdges">`+
		`<rect width="7" height="7" fill="#f0f0f4"/><path fill="`...)
	out = append(out, colours[bits&15]...)
	out = append(out, `" d="`...)
	bits = bits>>4 | 1<<12 // the cell in the middle is set: no picture is empty
	for y := range 5 {
		for x := range 5 {
			if bits>>(5*min(x, 4-x)+y)&1 == 0 {
				continue
			}
			out = append(out, 'M', byte('1'+x), ' ', byte('1'+y))
			out = append(out, "h1v1h-1z"...)
		}
	}
	return append(out, `"/></svg>`...)
}

// mixed spreads a number over 64 bits: numbers beside one another have other pictures
// (the finalizer of SplitMix64).
func mixed(n uint64) uint64 {
	n += 0x9e3779b97f4a7c15
	n = (n ^ n>>30) * 0xbf58476d1ce4e5b9
	n = (n ^ n>>27) * 0x94d049bb133111eb
	return n ^ n>>31
}

// Package origin says from where a request came: whether it was made on this machine, and for which page a browser
// made it.
//
// Headers may be of anybody: FromLoopback believes none that grants something, and OfAnother refuses for what any of
// them says.
package origin

package member

import "github.com/ovation-analytics/ovation/actors/domain"

// Column is what answers of the shape count the members by: their effective country
// as CountryCode, their gender as GenderCode or their birth day as BirthDay; by
// ordinal, in pages; 0, unknown, where there is none. The slice is in dst's memory
// where that is large enough; empty for other shapes.
func (c *Index) Column(dst []*[1 << pageBits]uint16, s domain.Shape) []*[1 << pageBits]uint16 {
	dst = dst[:0]
	var col *column
	switch s {
	case domain.ShapeLocation:
		col = &c.country
	case domain.ShapeGender:
		col = &c.gender
	case domain.ShapeAge:
		col = &c.born
	default:
		return dst
	}
	for _, p := range col.pages {
		if p == nil {
			dst = append(dst, nil)
		} else {
			dst = append(dst, &p.values)
		}
	}
	return dst
}

package wire

import "github.com/ovation-analytics/ovation/actors/domain"

// Segment is a segment with the number of members on its list.
type Segment struct {
	ID         string            `json:"ID"`
	Name       string            `json:"Name"`
	Label      *string           `json:"Label"`
	Type       string            `json:"Type"` // Brand or Segment
	BrandID    *string           `json:"BrandID"`
	Activities []SegmentActivity `json:"Activities"`
	Rule       bool              `json:"Rule"`
	Threshold  int               `json:"Threshold"`
	Period     *string           `json:"Period"`
	Page       *string           `json:"Page"`
	Members    string            `json:"Members"`
	Created    string            `json:"Created"`
}

// SegmentActivity is a definition of a segment; Value is null where its actions keep
// their own.
type SegmentActivity struct {
	ActivityID string  `json:"ActivityID"`
	Value      *string `json:"Value"`
}

// SegmentOf renders a segment whose list has so many members; period is its text.
func SegmentOf(s *domain.Segment, period string, members uint64) Segment {
	out := Segment{
		ID: Number(s.ID), Name: s.Name, Label: Null(s.Label), Type: "Segment", BrandID: NullNumber(s.Brand),
		Activities: make([]SegmentActivity, len(s.Activities)), Rule: s.Rule, Threshold: int(s.Threshold),
		Period: Null(period), Page: Null(s.Page), Members: Number(members), Created: Millis(s.Created),
	}
	if s.Brand != 0 {
		out.Type = "Brand"
	}
	for i, a := range s.Activities {
		out.Activities[i].ActivityID = Number(a.Definition)
		if a.Own {
			out.Activities[i].Value = Null(Number(a.Points))
		}
	}
	return out
}

// Segments is a list of segments.
type Segments struct {
	TotalSize string    `json:"totalSize"`
	Items     []Segment `json:"items"`
	Paging    Paging    `json:"paging"`
}

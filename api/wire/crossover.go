package wire

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
)

// CrossBrand is a Brand object with how many of the members asked about are active
// for it.
type CrossBrand struct {
	Brand         Brand
	ActiveMembers string
	Percentage    string
}

// share are the fields beside a Brand object's.
type share struct {
	ActiveMembers string `json:"ActiveMembers"`
	Percentage    string `json:"Percentage"`
}

// MarshalJSON writes the brand's fields and, at their end, the others.
func (b CrossBrand) MarshalJSON() ([]byte, error) {
	out, err := b.Brand.MarshalJSON()
	if err != nil {
		return nil, err
	}
	more, err := json.Marshal(share{b.ActiveMembers, b.Percentage})
	if err != nil {
		return nil, err
	}
	return append(append(out[:len(out)-1], ','), more[1:]...), nil
}

// UnmarshalJSON reads what MarshalJSON writes.
func (b *CrossBrand) UnmarshalJSON(data []byte) error {
	var s share
	if err := json.Unmarshal(data, &s); err != nil {
		return err
	}
	if err := b.Brand.UnmarshalJSON(data); err != nil {
		return err
	}
	delete(b.Brand.Fields, "ActiveMembers")
	delete(b.Brand.Fields, "Percentage")
	b.ActiveMembers, b.Percentage = s.ActiveMembers, s.Percentage
	return nil
}

// Schema is the object in OpenAPI's words.
func (CrossBrand) Schema() map[string]any {
	s := Brand{}.Schema()
	properties := maps.Clone(s["properties"].(map[string]any))
	for _, name := range []string{"ActiveMembers", "Percentage"} {
		properties[name] = map[string]any{"type": "string"}
	}
	s["properties"] = properties
	s["required"] = append(slices.Clone(s["required"].([]string)), "ActiveMembers", "Percentage")
	return s
}

// Percentage is 100·part ÷ whole with two decimals, half up; 0.00 of nothing.
func Percentage(part, whole uint64) string {
	if whole == 0 {
		return "0.00"
	}
	hundredths := (20_000*part + whole) / (2 * whole)
	return fmt.Sprintf("%d.%02d", hundredths/100, hundredths%100)
}

// Crossover is brands by members.
type Crossover struct {
	TotalSize string       `json:"totalSize"`
	Items     []CrossBrand `json:"items"`
}

package wire

import (
	"strings"

	"github.com/ovation-analytics/ovation/actors/domain"
)

// Definition is an activity definition.
type Definition struct {
	ID          string  `json:"ID"`
	BrandID     *string `json:"BrandID"`
	Name        string  `json:"Name"`
	ShortName   *string `json:"ShortName"`
	Type        string  `json:"Type"`
	ServiceType string  `json:"ServiceType"`
	Value       string  `json:"Value"`
	OneTime     bool    `json:"OneTime"`
	Category    *string `json:"Category"`
	Link        *string `json:"Link"`
	Media       *string `json:"Media"`
	Created     string  `json:"Created"`
	LastUpdated string  `json:"LastUpdated"`
}

// DefinitionOf renders a definition.
func DefinitionOf(d *domain.Definition) Definition {
	return Definition{
		ID: Number(d.ID), BrandID: NullNumber(d.Brand), Name: d.Name, ShortName: Null(d.ShortName), Type: d.Type,
		ServiceType: d.Service.String(), Value: Number(d.Value), OneTime: d.OneTime, Category: Null(d.Category),
		Link: Null(d.Link), Media: Null(d.Media), Created: Millis(d.Created), LastUpdated: Millis(max(d.Created, d.Updated)),
	}
}

// Definitions is a list of activity definitions.
type Definitions struct {
	TotalSize string       `json:"totalSize"`
	Items     []Definition `json:"items"`
	Paging    Paging       `json:"paging"`
}

// DefinitionName is a definition's name with the brand's filled in.
func DefinitionName(d *domain.Definition, brand *domain.Brand) string {
	name := ""
	if brand != nil {
		name = brand.Name()
	}
	return strings.ReplaceAll(d.Name, "{brand}", name)
}

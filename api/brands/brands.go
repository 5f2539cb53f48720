package brands

import (
	"context"
	"strings"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/api/bind"
	"github.com/ovation-analytics/ovation/api/page"
	"github.com/ovation-analytics/ovation/api/selection"
	"github.com/ovation-analytics/ovation/api/serve"
	"github.com/ovation-analytics/ovation/api/wire"
)

// Service serves brands.
type Service struct {
	sorted   sortedBrands
	Resolver Resolver // nil: none
}

// brandsIn are the parameters of the list of brands.
type brandsIn struct {
	page.Paged
	BrandType string `name:"brand_type" doc:"only brands of this type, any case" eg:"Music"`
	Keyword   string `name:"keyword" doc:"part of the name, any case" eg:"a"`
	Sort      string `name:"sort" enum:"ASC,DESC" default:"ASC" doc:"by name"`
}

// List lists the account's brands by name.
func (s *Service) List(ctx context.Context, req *serve.Request, in *brandsIn) (*wire.Brands, error) {
	found := s.sorted.list(req.Catalog, req.Account(), in.BrandType, in.Keyword, in.Sort == "DESC")
	rows, paging := page.PageOf(req, in.Paged.Page(req), found, brandName, page.ByText(in.Sort == "DESC"))
	out := &wire.Brands{TotalSize: wire.Number(len(found)), Items: make([]wire.Brand, 0, len(rows)), Paging: paging}
	for _, b := range rows {
		out.Items = append(out.Items, wire.BrandOf(b))
	}
	return out, nil
}

// brandName is what a brand is listed by.
func brandName(b **domain.Brand) page.Row {
	return page.Row{Text: strings.ToLower((*b).Name()), ID: uint64((*b).ID)}
}

// Show answers one brand.
func Show(ctx context.Context, req *serve.Request, in *selection.BrandPath) (wire.Brand, error) {
	b, err := req.Brand(in.BrandID, "brandid")
	if err != nil {
		return wire.Brand{}, err
	}
	return wire.BrandOf(b), nil
}

// createBrandIn are the parameters of brand/create.
type createBrandIn struct {
	Name   string `name:"name" required:"" doc:"name of the brand" eg:"The Moons"`
	Type   string `name:"type" required:"" doc:"free text such as Music, TV" eg:"Music"`
	Fields fieldsIn
}

// Check refuses a name of blanks alone.
func (in *createBrandIn) Check() *domain.Error { return bind.NotBlank(&in.Name) }

// Create creates a brand.
func (s *Service) Create(ctx context.Context, req *serve.Request, in *createBrandIn) (wire.Brand, error) {
	given := in.Fields.given()
	given["Name"], given["Type"] = in.Name, in.Type
	if given["Slug"] == "" {
		given["Slug"] = slugOf(in.Name)
	}
	return s.putBrand(ctx, req, 0, given)
}

// editBrandIn are the parameters of brand/edit.
type editBrandIn struct {
	selection.BrandPath
	Name   *string `name:"name" doc:"name of the brand" eg:"The Moons"`
	Type   *string `name:"type" doc:"free text such as Music, TV" eg:"Music"`
	Fields fieldsIn
}

// Missing reports a name that would be cleared.
func (in *editBrandIn) Missing(has func(string) bool) string {
	if in.Name != nil && !has("name") {
		return "name"
	}
	return ""
}

// Check refuses a name of blanks alone.
func (in *editBrandIn) Check() *domain.Error {
	return bind.NotBlank(in.Name)
}

// Edit changes a brand: what is given overwrites.
func (s *Service) Edit(ctx context.Context, req *serve.Request, in *editBrandIn) (wire.Brand, error) {
	given := in.Fields.given()
	if in.Name != nil {
		given["Name"] = *in.Name
	}
	if in.Type != nil {
		given["Type"] = *in.Type
	}
	id := domain.BrandID(in.BrandID.Small())
	if id == 0 {
		_, err := req.Brand(in.BrandID, "brandid")
		return wire.Brand{}, err
	}
	return s.putBrand(ctx, req, id, given)
}

// putBrand creates or changes a brand. That it is there is judged where the
// command is applied, which also knows the outcome of a repeat.
func (s *Service) putBrand(ctx context.Context, req *serve.Request, id domain.BrandID, given domain.BrandFields) (wire.Brand, error) {
	derive(given)
	s.resolveLinks(ctx, req, given)
	out, err := req.Command(ctx, &domain.PutBrand{ID: id, Given: given, At: req.Clock.Now.UnixMilli()})
	if err != nil {
		return wire.Brand{}, err
	}
	b, err := req.AnyBrand(domain.BrandID(out.ID))
	if err != nil {
		return wire.Brand{}, err
	}
	if b == nil {
		return wire.Brand{}, &domain.Error{Code: domain.Internal, Op: "brand", Message: "a brand that was put is not in the catalog"}
	}
	return wire.BrandOf(b), nil
}

// deleteBrandIn are the parameters of brand/delete.
type deleteBrandIn struct {
	selection.BrandPath
	Force bool `name:"force" doc:"1 also deletes the definitions and segments that use it" eg:"1"`
}

// Delete deletes a brand.
func Delete(ctx context.Context, req *serve.Request, in *deleteBrandIn) (wire.Deleted, error) {
	id := domain.BrandID(in.BrandID.Small())
	if id == 0 {
		_, err := req.Brand(in.BrandID, "brandid")
		return wire.Deleted{}, err
	}
	_, err := req.Command(ctx, &domain.DeleteBrand{ID: id, Force: in.Force, At: req.Clock.Now.UnixMilli()})
	return wire.Deleted{Deleted: err == nil}, err
}

package activities

import (
	"context"
	"slices"
	"strings"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/api/bind"
	"github.com/ovation-analytics/ovation/api/page"
	"github.com/ovation-analytics/ovation/api/selection"
	"github.com/ovation-analytics/ovation/api/serve"
	"github.com/ovation-analytics/ovation/api/wire"
)

// definitionsIn are the parameters that every list of definitions has.
type definitionsIn struct {
	page.Paged
	Segment  bind.ID       `name:"segment" doc:"only definitions of this segment; segmentid is the same parameter" eg:"1"`
	Services bind.Services `name:"services" doc:"only definitions of these services" eg:"spotify,custom"`
	Type     string        `name:"type" doc:"only definitions of this type, any case" eg:"Listened"`
	Keyword  string        `name:"keyword" doc:"part of Name or ShortName, any case" eg:"a"`
}

// activitiesIn are the parameters of the list of definitions.
type activitiesIn struct {
	definitionsIn
	BrandID bind.ID `name:"brandID" doc:"only definitions of this brand" eg:"1"`
}

// List lists the account's definitions by ID.
func List(ctx context.Context, req *serve.Request, in *activitiesIn) (*wire.Definitions, error) {
	if in.BrandID != 0 {
		if _, err := req.Brand(in.BrandID, "brandID"); err != nil {
			return nil, err
		}
	}
	return definitionPage(req, &in.definitionsIn, func(d *domain.Definition) bool {
		return in.BrandID == 0 || d.Brand == domain.BrandID(in.BrandID.Small())
	})
}

// brandActivitiesIn are the parameters of a brand's definitions.
type brandActivitiesIn struct {
	selection.BrandPath
	definitionsIn
}

// OfBrand lists the definitions usable for a brand: its own, and those of
// any brand.
func OfBrand(ctx context.Context, req *serve.Request, in *brandActivitiesIn) (*wire.Definitions, error) {
	b, err := req.Brand(in.BrandID, "brandid")
	if err != nil {
		return nil, err
	}
	return definitionPage(req, &in.definitionsIn, func(d *domain.Definition) bool { return d.Brand == 0 || d.Brand == b.ID })
}

// definitionPage is a page of the account's definitions that are wanted and pass what
// the parameters say, by ID.
func definitionPage(req *serve.Request, in *definitionsIn, wanted func(*domain.Definition) bool) (*wire.Definitions, error) {
	s := &selection.Selection{}
	if in.Segment != 0 {
		var err error
		if s.Segment, err = req.Segment(in.Segment, "segment"); err != nil {
			return nil, err
		}
	}
	keyword := strings.ToLower(in.Keyword)
	var found []*domain.Definition
	for _, d := range req.Catalog.Definitions(req.Account()) {
		switch {
		case d.Deleted, d.ID < domain.FirstDefinition, !wanted(d):
		case s.Segment != nil && s.Activity(d.ID) == nil:
		case in.Services != nil && !slices.Contains(in.Services, d.Service):
		case in.Type != "" && !strings.EqualFold(in.Type, d.Type):
		case !strings.Contains(strings.ToLower(d.Name), keyword) && !strings.Contains(strings.ToLower(d.ShortName), keyword):
		default:
			found = append(found, d)
		}
	}
	rows, paging := page.PageOf(req, in.Paged.Page(req), found, func(d **domain.Definition) page.Row { return page.Row{ID: uint64((*d).ID)} }, page.ByID)
	out := &wire.Definitions{TotalSize: wire.Number(len(found)), Items: make([]wire.Definition, 0, len(rows)), Paging: paging}
	for _, d := range rows {
		out.Items = append(out.Items, wire.DefinitionOf(d))
	}
	return out, nil
}

// activityIn is a definition in the path.
type activityIn struct {
	ActivityID bind.ID `name:"activityid" doc:"id of an activity definition" eg:"100"`
}

// Show answers one definition.
func Show(ctx context.Context, req *serve.Request, in *activityIn) (wire.Definition, error) {
	d, err := req.Definition(in.ActivityID, "activityid")
	if err != nil {
		return wire.Definition{}, err
	}
	return wire.DefinitionOf(d), nil
}

// definitionTexts are a definition's fields that create and edit share.
type definitionTexts struct {
	ShortName *string   `name:"shortname" doc:"a short name, as for a chart" eg:"played"`
	BrandID   *bind.ID  `name:"brandid" doc:"the brand it is for; none: any" eg:"1"`
	Value     *int64    `name:"value" max:"65535" doc:"points of an action, 0 to 65535; default 1" eg:"2"`
	Category  *string   `name:"category" doc:"shown by actions without a category" eg:"Music"`
	Link      *bind.URL `name:"link" doc:"address shown by actions without a link" eg:"https://example.com/track"`
	Media     *bind.URL `name:"media" doc:"address of a picture, shown by actions without one" eg:"https://example.com/cover.png"`
}

// defaultValue is the points of a definition without a value.
const defaultValue = 1

// put makes the command that the parameters mean.
func (t *definitionTexts) put(req *serve.Request) (*domain.PutDefinition, error) {
	p := &domain.PutDefinition{At: req.Clock.Now.UnixMilli()}
	d := &p.Definition
	if t.BrandID != nil {
		// 0 was cleared: any brand. That the brand is there is judged where the command
		// is applied, but an id that no brand can have does not fit into it.
		if d.Brand = domain.BrandID(t.BrandID.Small()); d.Brand == 0 && *t.BrandID != 0 {
			_, err := req.Brand(*t.BrandID, "brandid")
			return nil, err
		}
		p.Given = append(p.Given, "BrandID")
	}
	if t.Value != nil {
		d.Value = uint16(*t.Value)
		if given, _ := req.Params.Get("value"); given == "" {
			d.Value = defaultValue
		}
		p.Given = append(p.Given, "Value")
	}
	take := func(name string, to *string, from *string) {
		if from != nil {
			*to = *from
			p.Given = append(p.Given, name)
		}
	}
	take("ShortName", &d.ShortName, t.ShortName)
	take("Category", &d.Category, t.Category)
	take("Link", &d.Link, (*string)(t.Link))
	take("Media", &d.Media, (*string)(t.Media))
	return p, nil
}

// createActivityIn are the parameters of activity/create.
type createActivityIn struct {
	Name    string       `name:"name" required:"" doc:"may hold {brand}" eg:"played a track by {brand}"`
	Type    string       `name:"type" required:"" doc:"Social, Listened, Watched and the like" eg:"Listened"`
	Service bind.Service `name:"service" required:"" doc:"the network it is done on; custom for recorded activities" eg:"custom"`
	OneTime bool         `name:"onetime" doc:"1: of a member's actions only the earliest counts; fixed from then on" eg:"0"`
	definitionTexts
}

// Check refuses a name of blanks.
func (in *createActivityIn) Check() *domain.Error { return bind.NotBlank(&in.Name) }

// Create creates a definition.
func Create(ctx context.Context, req *serve.Request, in *createActivityIn) (wire.Definition, error) {
	p, err := in.put(req)
	if err != nil {
		return wire.Definition{}, err
	}
	d := &p.Definition
	d.Name, d.Type, d.Service, d.OneTime = in.Name, in.Type, domain.Service(in.Service), in.OneTime
	p.Given = append(p.Given, "Name", "Type", "ServiceType", "OneTime")
	if in.Value == nil {
		d.Value = defaultValue
		p.Given = append(p.Given, "Value")
	}
	return putDefinition(ctx, req, p)
}

// editActivityIn are the parameters of activity/edit.
type editActivityIn struct {
	activityIn
	Name    *string       `name:"name" doc:"may hold {brand}" eg:"played a track by {brand}"`
	Type    *string       `name:"type" doc:"Social, Listened, Watched and the like" eg:"Listened"`
	Service *bind.Service `name:"service" doc:"the network it is done on; custom for recorded activities" eg:"custom"`
	OneTime *string       `name:"onetime" doc:"refused: it is fixed from the beginning"`
	definitionTexts
}

// Missing reports a field that cannot be without a value.
func (in *editActivityIn) Missing(has func(string) bool) string {
	switch {
	case in.Name != nil && !has("name"):
		return "name"
	case in.Type != nil && !has("type"):
		return "type"
	case in.Service != nil && !has("service"):
		return "service"
	}
	return ""
}

// Check refuses what is fixed.
func (in *editActivityIn) Check() *domain.Error {
	if in.OneTime != nil {
		return domain.Bad(domain.InvalidParameter, "onetime", "onetime is fixed from the beginning")
	}
	return bind.NotBlank(in.Name)
}

// Edit changes a definition: what is given overwrites.
func Edit(ctx context.Context, req *serve.Request, in *editActivityIn) (wire.Definition, error) {
	id := domain.DefinitionID(in.ActivityID.Small())
	if id < domain.FirstDefinition {
		_, err := req.Definition(in.ActivityID, "activityid")
		return wire.Definition{}, err
	}
	p, err := in.put(req)
	if err != nil {
		return wire.Definition{}, err
	}
	d := &p.Definition
	d.ID = id
	if in.Name != nil {
		d.Name, p.Given = *in.Name, append(p.Given, "Name")
	}
	if in.Type != nil {
		d.Type, p.Given = *in.Type, append(p.Given, "Type")
	}
	if in.Service != nil {
		d.Service, p.Given = domain.Service(*in.Service), append(p.Given, "ServiceType")
	}
	return putDefinition(ctx, req, p)
}

// putDefinition creates or changes a definition. That it is there is judged where
// the command is applied, which also knows the outcome of a repeat.
func putDefinition(ctx context.Context, req *serve.Request, p *domain.PutDefinition) (wire.Definition, error) {
	slices.Sort(p.Given)
	out, err := req.Command(ctx, p)
	if err != nil {
		return wire.Definition{}, err
	}
	d, err := req.AnyDefinition(domain.DefinitionID(out.ID))
	if err != nil {
		return wire.Definition{}, err
	}
	if d == nil {
		return wire.Definition{}, &domain.Error{Code: domain.Internal, Op: "activity", Message: "a definition that was put is not in the catalog"}
	}
	return wire.DefinitionOf(d), nil
}

// Delete deletes a definition; its actions stay.
func Delete(ctx context.Context, req *serve.Request, in *activityIn) (wire.Deleted, error) {
	id := domain.DefinitionID(in.ActivityID.Small())
	if id < domain.FirstDefinition {
		_, err := req.Definition(in.ActivityID, "activityid")
		return wire.Deleted{}, err
	}
	_, err := req.Command(ctx, &domain.DeleteDefinition{ID: id, At: req.Clock.Now.UnixMilli()})
	return wire.Deleted{Deleted: err == nil}, err
}

package segments

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/api/bind"
	"github.com/ovation-analytics/ovation/api/page"
	"github.com/ovation-analytics/ovation/api/selection"
	"github.com/ovation-analytics/ovation/api/serve"
	"github.com/ovation-analytics/ovation/api/wire"
)

// segmentsIn are the parameters of the list of segments.
type segmentsIn struct {
	page.Paged
	BrandID bind.ID `name:"brandID" doc:"only segments of this brand" eg:"1"`
}

// List lists the account's segments by ID.
func List(ctx context.Context, req *serve.Request, in *segmentsIn) (*wire.Segments, error) {
	if in.BrandID != 0 {
		if _, err := req.Brand(in.BrandID, "brandID"); err != nil {
			return nil, err
		}
	}
	return segmentPage(ctx, req, in.Paged, domain.BrandID(in.BrandID.Small()))
}

// brandSegmentsIn are the parameters of a brand's segments.
type brandSegmentsIn struct {
	selection.BrandPath
	page.Paged
}

// OfBrand lists a brand's segments by ID.
func OfBrand(ctx context.Context, req *serve.Request, in *brandSegmentsIn) (*wire.Segments, error) {
	b, err := req.Brand(in.BrandID, "brandid")
	if err != nil {
		return nil, err
	}
	return segmentPage(ctx, req, in.Paged, b.ID)
}

// segmentPage is a page of the account's segments, or of a brand's, by ID.
func segmentPage(ctx context.Context, req *serve.Request, in page.Paged, brand domain.BrandID) (*wire.Segments, error) {
	found := slices.DeleteFunc(slices.Clone(req.Catalog.Segments(req.Account())), func(s *domain.Segment) bool {
		return s.Deleted || brand != 0 && s.Brand != brand
	})
	rows, paging := page.PageOf(req, in.Page(req), found, func(s **domain.Segment) page.Row { return page.Row{ID: uint64((*s).ID)} }, page.ByID)
	items, err := segmentItems(ctx, req, rows)
	return &wire.Segments{TotalSize: wire.Number(len(found)), Items: items, Paging: paging}, err
}

// segmentItems renders segments with the number of members on their lists.
func segmentItems(ctx context.Context, req *serve.Request, segments []*domain.Segment) ([]wire.Segment, error) {
	items := make([]wire.Segment, 0, len(segments))
	if len(segments) == 0 {
		return items, nil
	}
	members, _, err := selection.ListSizes(ctx, req, segments, domain.Filter{})
	if err != nil {
		return nil, err
	}
	for i, s := range segments {
		items = append(items, wire.SegmentOf(s, periodText(s.Period), members[i]))
	}
	return items, nil
}

func periodText(p domain.Period) string {
	if p == (domain.Period{}) {
		return ""
	}
	return selection.Period(p).String()
}

// segmentIn is a segment in the path.
type segmentIn struct {
	SegmentID bind.ID `name:"segmentid" doc:"id of a segment" eg:"1"`
}

// Show answers one segment.
func Show(ctx context.Context, req *serve.Request, in *segmentIn) (wire.Segment, error) {
	s, err := req.Segment(in.SegmentID, "segmentid")
	if err != nil {
		return wire.Segment{}, err
	}
	return segmentItemOf(ctx, req, s)
}

func segmentItemOf(ctx context.Context, req *serve.Request, s *domain.Segment) (wire.Segment, error) {
	items, err := segmentItems(ctx, req, []*domain.Segment{s})
	if err != nil {
		return wire.Segment{}, err
	}
	return items[0], nil
}

// segmentTexts are a segment's fields that create and edit share.
type segmentTexts struct {
	Label      *string            `name:"label" doc:"a second name, shown with opt-ins" eg:"super fans"`
	BrandID    *bind.ID           `name:"brandid" doc:"the brand it is for; none: the account" eg:"1"`
	Activities *segmentActivities `name:"activities" doc:"activity definitions, each as id or, with points of its own from 0 to 65535, as id:points; replaces the list" eg:"100,101:9"`
	Rule       *bool              `name:"rule" doc:"1: who has done enough of the activities is on the list, too" eg:"1"`
	Threshold  *int64             `name:"threshold" min:"1" max:"4294967295" doc:"of the rule: the least number of actions; default 1" eg:"2"`
	Period     *bind.Period       `name:"period" doc:"of the rule: the actions lie within the last so long, an amount and Hour, Day, Week, Month or Year; default all time" eg:"1 Month"`
	Page       *bind.WebPage      `name:"page" doc:"a page of a web site as host/path: visits to it belong to the segment" eg:"moons.example/join"`
}

// segmentActivities is a list of definitions, ascending, each once.
type segmentActivities []domain.SegmentActivity

// ParseParam reads entries id or id:points.
func (l *segmentActivities) ParseParam(s string) error {
	entries := strings.Split(s, ",")
	if len(entries) > bind.MaxList {
		return fmt.Errorf("must have at most %d entries", bind.MaxList)
	}
	out := make(segmentActivities, 0, len(entries))
	for i, entry := range entries {
		a, err := segmentActivity(entry)
		if err != nil {
			return fmt.Errorf("entry %d %w", i+1, err)
		}
		out = append(out, a)
	}
	slices.SortStableFunc(out, func(a, b domain.SegmentActivity) int { return cmp.Compare(a.Definition, b.Definition) })
	out = slices.Compact(out)
	for i := 1; i < len(out); i++ {
		if out[i].Definition == out[i-1].Definition {
			return fmt.Errorf("must not have %d twice with other points", out[i].Definition)
		}
	}
	*l = out
	return nil
}

func segmentActivity(entry string) (a domain.SegmentActivity, err error) {
	text, points, own := strings.Cut(entry, ":")
	var id bind.ID
	if err := id.ParseParam(strings.TrimSpace(text)); err != nil {
		return a, err
	}
	a.Definition, a.Own = domain.DefinitionID(id.Small()), own
	if !own {
		return a, nil
	}
	n, err := strconv.ParseUint(strings.TrimSpace(points), 10, 16)
	if err != nil {
		return a, errors.New("must have points from 0 to 65535")
	}
	a.Points = uint16(n)
	return a, nil
}

// put makes the command that the parameters mean. That the brand and the definitions
// are there is judged where it is applied; an id that none can have does not fit into
// it.
func (t *segmentTexts) put(req *serve.Request) (*domain.PutSegment, error) {
	p := &domain.PutSegment{At: req.Clock.Now.UnixMilli()}
	s := &p.Segment
	set := func(name string, given bool) bool {
		if given {
			p.Given = append(p.Given, name)
		}
		return given
	}
	if set("Label", t.Label != nil) {
		s.Label = *t.Label
	}
	if set("BrandID", t.BrandID != nil) {
		if s.Brand = domain.BrandID(t.BrandID.Small()); s.Brand == 0 && *t.BrandID != 0 {
			_, err := req.Brand(*t.BrandID, "brandid")
			return nil, err
		}
	}
	if set("Activities", t.Activities != nil) {
		s.Activities = *t.Activities
		if len(s.Activities) > 0 && s.Activities[0].Definition < domain.FirstDefinition {
			return nil, domain.Bad(domain.NotFound, "activities", fmt.Sprintf("the account has no such activity: %d", s.Activities[0].Definition))
		}
	}
	if set("Rule", t.Rule != nil) {
		s.Rule = *t.Rule
	}
	if set("Threshold", t.Threshold != nil) {
		s.Threshold = uint32(max(*t.Threshold, 1))
	}
	if set("Period", t.Period != nil) {
		s.Period = domain.Period{Amount: uint16(t.Period.Amount), Unit: domain.Unit(t.Period.Unit)}
	}
	if set("Page", t.Page != nil) {
		s.Page = string(*t.Page)
	}
	return p, nil
}

// createSegmentIn are the parameters of segment/create.
type createSegmentIn struct {
	Name string `name:"name" required:"" doc:"name of the segment" eg:"Super fans"`
	segmentTexts
}

// Check refuses a name of blanks.
func (in *createSegmentIn) Check() *domain.Error { return bind.NotBlank(&in.Name) }

// Create creates a segment.
func Create(ctx context.Context, req *serve.Request, in *createSegmentIn) (wire.Segment, error) {
	p, err := in.put(req)
	if err != nil {
		return wire.Segment{}, err
	}
	p.Segment.Name, p.Given = in.Name, append(p.Given, "Name")
	return putSegment(ctx, req, p)
}

// editSegmentIn are the parameters of segment/edit.
type editSegmentIn struct {
	segmentIn
	Name *string `name:"name" doc:"name of the segment" eg:"Super fans"`
	segmentTexts
}

// Missing reports a name that would be cleared.
func (in *editSegmentIn) Missing(has func(string) bool) string {
	if in.Name != nil && !has("name") {
		return "name"
	}
	return ""
}

// Check refuses a name of blanks.
func (in *editSegmentIn) Check() *domain.Error { return bind.NotBlank(in.Name) }

// Edit changes a segment: what is given overwrites.
func Edit(ctx context.Context, req *serve.Request, in *editSegmentIn) (wire.Segment, error) {
	id := domain.SegmentID(in.SegmentID.Small())
	if id == 0 {
		_, err := req.Segment(in.SegmentID, "segmentid")
		return wire.Segment{}, err
	}
	p, err := in.put(req)
	if err != nil {
		return wire.Segment{}, err
	}
	p.Segment.ID = id
	if in.Name != nil {
		p.Segment.Name, p.Given = *in.Name, append(p.Given, "Name")
	}
	return putSegment(ctx, req, p)
}

// putSegment creates or changes a segment. That it is there is judged where the
// command is applied, which also knows the outcome of a repeat.
func putSegment(ctx context.Context, req *serve.Request, p *domain.PutSegment) (wire.Segment, error) {
	slices.Sort(p.Given)
	out, err := req.Command(ctx, p)
	if err != nil {
		return wire.Segment{}, err
	}
	s := anySegment(req, domain.SegmentID(out.ID))
	if s == nil {
		return wire.Segment{}, &domain.Error{Code: domain.Internal, Op: "segment", Message: "a segment that was put is not in the catalog"}
	}
	return segmentItemOf(ctx, req, s)
}

// anySegment is a segment of the account, deleted or not; nil: none.
func anySegment(req *serve.Request, id domain.SegmentID) *domain.Segment {
	all := req.Catalog.Segments(req.Account())
	i, ok := slices.BinarySearchFunc(all, id, func(s *domain.Segment, id domain.SegmentID) int { return cmp.Compare(s.ID, id) })
	if !ok {
		return nil
	}
	return all[i]
}

// Delete deletes a segment.
func Delete(ctx context.Context, req *serve.Request, in *segmentIn) (wire.Deleted, error) {
	id := domain.SegmentID(in.SegmentID.Small())
	if id == 0 {
		_, err := req.Segment(in.SegmentID, "segmentid")
		return wire.Deleted{}, err
	}
	_, err := req.Command(ctx, &domain.DeleteSegment{ID: id, At: req.Clock.Now.UnixMilli()})
	return wire.Deleted{Deleted: err == nil}, err
}

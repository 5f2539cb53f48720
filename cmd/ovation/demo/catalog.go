package demo

import (
	"context"
	"fmt"
	"strconv"
	"strings"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/api/client"
	"github.com/ovation-analytics/ovation/api/wire"
	"github.com/ovation-analytics/ovation/cmd/ovation/audience"
)

// catalog creates brands, definitions and segments, those that are not there: what
// an earlier run made is known by its name.
func (s *stage) catalog(ctx context.Context) error {
	if err := s.createBrands(ctx); err != nil {
		return fmt.Errorf("brands: %w", err)
	}
	if err := s.createDefinitions(ctx); err != nil {
		return fmt.Errorf("activity definitions: %w", err)
	}
	if err := s.createSegments(ctx); err != nil {
		return fmt.Errorf("segments: %w", err)
	}
	return nil
}

func (s *stage) createBrands(ctx context.Context) error {
	there := map[string]domain.BrandID{}
	for _, b := range s.node.Engine.Catalog().Brands(s.account) {
		there[b.Name()] = b.ID
	}
	for i := range s.fans.Brands {
		b := &s.fans.Brands[i]
		id := there[b.Name]
		if id == 0 {
			err := s.once(ctx, "brand "+b.Name, func(c *client.Client) error {
				made, _, err := client.Do(ctx, c, client.CreateBrand{Name: b.Name, Type: b.Type, OfficialWebsiteURL: "https://" + b.Domain + "/"})
				id = made.ID
				return err
			})
			if err != nil {
				return err
			}
		}
		s.brands = append(s.brands, id)
	}
	return nil
}

func (s *stage) createDefinitions(ctx context.Context) error {
	type called struct {
		name    string
		service domain.Service
	}
	there := map[called]domain.DefinitionID{}
	for _, d := range s.node.Engine.Catalog().Definitions(s.account) {
		there[called{d.Name, d.Service}] = d.ID
	}
	for i := range s.fans.Definitions {
		d := &s.fans.Definitions[i]
		id := there[called{d.Name, d.Service}]
		if id == 0 {
			err := s.once(ctx, "definition "+d.Name+" "+d.Service.String(), func(c *client.Client) error {
				made, _, err := client.Do(ctx, c, client.CreateActivity{
					Name: d.Name, ShortName: d.ShortName, Type: d.Type, Service: d.Service.String(), Value: new(int64(d.Value)), OneTime: d.OneTime,
				})
				if err != nil {
					return err
				}
				n, err := strconv.ParseUint(made.ID, 10, 32)
				id = domain.DefinitionID(n)
				return err
			})
			if err != nil {
				return err
			}
		}
		s.definitions = append(s.definitions, id)
	}
	return nil
}

func (s *stage) createSegments(ctx context.Context) error {
	there := map[string]domain.SegmentID{}
	for _, g := range s.node.Engine.Catalog().Segments(s.account) {
		there[g.Name] = g.ID
	}
	for i := range s.fans.Segments {
		g := &s.fans.Segments[i]
		id := there[g.Name]
		if id == 0 {
			err := s.once(ctx, "segment "+g.Name, func(c *client.Client) error {
				made, _, err := client.Do(ctx, c, s.segment(g))
				if err != nil {
					return err
				}
				n, err := strconv.ParseUint(made.ID, 10, 32)
				id = domain.SegmentID(n)
				return err
			})
			if err != nil {
				return err
			}
		}
		s.segments = append(s.segments, id)
	}
	return nil
}

// segment is the call that creates a segment.
func (s *stage) segment(g *audience.Segment) client.CreateSegment {
	entries := make([]string, len(g.Definitions))
	for i, d := range g.Definitions {
		entries[i] = wire.Number(s.definitions[d])
		if len(g.Points) > 0 {
			entries[i] += ":" + strconv.Itoa(g.Points[i])
		}
	}
	out := client.CreateSegment{Name: g.Name, Label: g.Label, Activities: strings.Join(entries, ",")}
	if g.Brand != audience.AnyBrand {
		out.BrandID = s.brands[g.Brand]
	}
	if g.Rule {
		out.Rule, out.Threshold, out.Period = new(true), new(int64(g.Threshold)), g.Period
	}
	return out
}

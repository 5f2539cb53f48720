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
				made, _, err := c.CreateBrand(ctx, client.Params{
					"name": b.Name, "type": b.Type, "officialwebsiteurl": "https://" + b.Domain + "/",
				})
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
				made, _, err := c.CreateActivity(ctx, client.Params{
					"name": d.Name, "shortname": d.ShortName, "type": d.Type, "service": d.Service.String(),
					"value": strconv.Itoa(d.Value), "onetime": wire.Flag(d.OneTime),
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
				var made wire.Segment
				if _, err := c.Post(ctx, "/v1.1/segment/create", s.segmentParams(g), &made); err != nil {
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

func (s *stage) segmentParams(g *audience.Segment) client.Params {
	entries := make([]string, len(g.Definitions))
	for i, d := range g.Definitions {
		entries[i] = wire.Number(s.definitions[d])
		if len(g.Points) > 0 {
			entries[i] += ":" + strconv.Itoa(g.Points[i])
		}
	}
	p := client.Params{"name": g.Name, "label": g.Label, "activities": strings.Join(entries, ",")}
	if g.Rule {
		p["rule"], p["threshold"] = "1", strconv.Itoa(g.Threshold)
		if g.Period != "" {
			p["period"] = g.Period
		}
	}
	return p
}

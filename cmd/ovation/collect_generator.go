package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"iter"
	"strconv"
	"time"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/api/wire"
	"github.com/ovation-analytics/ovation/cmd/ovation/audience"
	"github.com/ovation-analytics/ovation/cmd/ovation/collect"
)

// CollectGenerator publishes what a made-up audience does in a year.
type CollectGenerator struct {
	collecting
	Seed    uint64    `default:"1" env:"-" placeholder:"N" help:"The same seed gives the same audience."`
	Members int       `default:"3000" env:"-" placeholder:"N" help:"Fans."`
	Actions int       `default:"320000" env:"-" placeholder:"N" help:"Actions of 52 weeks."`
	Brands  int       `default:"48" env:"-" placeholder:"N" help:"Artists and podcasts."`
	End     time.Time `format:"2006-01-02" env:"-" placeholder:"DATE" help:"Day before which it all was, moved back to a Monday (default: today)."`
}

// Run publishes what is not published yet.
func (c *CollectGenerator) Run(ctx context.Context, w io.Writer) error {
	if c.End.IsZero() {
		c.End = time.Now()
	}
	fans, err := audience.New(audience.Options{Seed: c.Seed, Members: c.Members, Actions: c.Actions, Brands: c.Brands, End: c.End})
	if err != nil {
		return wrongUse(err)
	}
	source := newMadeUp(c, fans)
	defer source.Close()
	return c.collect(ctx, w, source)
}

// madeUp is an audience's history as a source. Row n is action n.
type madeUp struct {
	identity string
	fans     *audience.Audience
	total    int
	next     func() (audience.Action, bool)
	stop     func()

	row   collect.Row
	again bool // Next gives the row once more
}

func newMadeUp(c *CollectGenerator, fans *audience.Audience) *madeUp {
	g := &madeUp{fans: fans, total: c.Actions}
	g.identity = fmt.Sprintf("seed %d, %d members, %d actions, %d brands, from %s", c.Seed, c.Members, c.Actions, c.Brands, fans.Start().Format(time.DateOnly))
	g.next, g.stop = iter.Pull(fans.History())
	return g
}

// Name is what its position is kept under.
func (g *madeUp) Name() string { return "generator" }

// Event is the source of the events.
func (g *madeUp) Event() string { return "generator" }

// Identity is everything that the audience depends on.
func (g *madeUp) Identity() string { return g.identity }

// Resume makes up again what is done.
func (g *madeUp) Resume(done collect.Mark) error {
	for g.row.Line < done.Line {
		if _, err := g.Next(); err != nil {
			return fmt.Errorf("%w: %w", collect.ErrChanged, err)
		}
	}
	if g.row.Action.ID != done.Sum {
		return fmt.Errorf("%w: this release makes up another audience", collect.ErrChanged)
	}
	g.again = true
	return nil
}

// Next is the next action.
func (g *madeUp) Next() (*collect.Row, error) {
	if g.again {
		g.again = false
		return &g.row, nil
	}
	a, ok := g.next()
	if !ok {
		return nil, io.EOF
	}
	action, err := g.action(&a)
	g.row = collect.Row{Line: g.row.Line + 1, Count: 1, Action: action}
	return &g.row, err
}

// action has names where the audience has numbers.
func (g *madeUp) action(a *audience.Action) (collect.Action, error) {
	m, b, d := &g.fans.Members[a.Member], &g.fans.Brands[a.Brand], &g.fans.Definitions[a.Definition]
	out := collect.Action{
		ID: a.ID, Time: domain.Second(a.Time.Unix()), Geo: collect.Place(a.Geo),
		Brand: collect.Thing{Name: b.Type + "/" + b.Name, Create: collect.Params{
			"name": b.Name, "type": b.Type, "officialwebsiteurl": "https://" + b.Domain + "/",
		}},
		Activity: collect.Thing{Name: d.Service.String() + "/" + d.Type + "/" + d.Name, Create: collect.Params{
			"name": d.Name, "shortname": d.ShortName, "type": d.Type, "service": d.Service.String(),
			"value": strconv.Itoa(d.Value), "onetime": wire.Flag(d.OneTime),
		}},
		Member: collect.Who{Register: collect.Params(registration(m))},
	}
	// A member is there by its first account; who registered by email is named by the
	// fan club.
	if acc := &m.Accounts[0]; acc.Service == domain.Email {
		out.Member.PartnerCode, out.Member.PartnerID = audience.PartnerCode, m.PartnerID
	} else {
		out.Member.Service, out.Member.UID = acc.Service.String(), acc.UID
	}
	var err error
	if !a.Content.IsZero() {
		out.Content, err = json.Marshal(a.Content)
	}
	return out, err
}

// Mark is the place behind the current action.
func (g *madeUp) Mark(actions uint64) collect.Mark {
	return collect.Mark{Line: g.row.Line, Actions: actions, Sum: g.row.Action.ID}
}

// Progress is in actions.
func (g *madeUp) Progress(uint64) (passed, total int64) { return g.row.Line, int64(g.total) }

// Close ends the making up.
func (g *madeUp) Close() error {
	g.stop()
	return nil
}

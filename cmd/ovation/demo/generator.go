package demo

import (
	"encoding/json"
	"fmt"
	"io"
	"iter"
	"strconv"
	"time"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/api/wire"
	"github.com/ovation-analytics/ovation/cmd/ovation/audience"
	"github.com/ovation-analytics/ovation/cmd/ovation/collect/input"
)

// Generator is an audience's history as a source of a collector. Row n is action n. One
// goroutine.
type Generator struct {
	identity string
	fans     *audience.Audience
	total    int
	next     func() (audience.Action, bool)
	stop     func()

	row   input.Row
	again bool // Next gives the row once more
}

// NewGenerator makes the audience.
func NewGenerator(o audience.Options) (*Generator, error) {
	fans, err := audience.New(o)
	if err != nil {
		return nil, err
	}
	g := &Generator{fans: fans, total: o.Actions}
	g.identity = fmt.Sprintf("seed %d, %d members, %d actions, %d brands, from %s",
		o.Seed, o.Members, o.Actions, o.Brands, fans.Start().Format(time.DateOnly))
	g.next, g.stop = iter.Pull(fans.History())
	return g, nil
}

// Name is what its position is kept under.
func (g *Generator) Name() string { return "generator" }

// Event is the source of the events.
func (g *Generator) Event() string { return "generator" }

// Identity is everything that the audience depends on.
func (g *Generator) Identity() string { return g.identity }

// Resume generates again what is done.
func (g *Generator) Resume(done input.Mark) error {
	for g.row.Line < done.Line {
		if _, err := g.Next(); err != nil {
			return fmt.Errorf("%w: %w", input.ErrChanged, err)
		}
	}
	if g.row.Action.ID != done.Sum {
		return fmt.Errorf("%w: this release makes up another audience", input.ErrChanged)
	}
	g.again = true
	return nil
}

// Next is the next action.
func (g *Generator) Next() (*input.Row, error) {
	if g.again {
		g.again = false
		return &g.row, nil
	}
	a, ok := g.next()
	if !ok {
		return nil, io.EOF
	}
	action, err := g.action(&a)
	g.row = input.Row{Line: g.row.Line + 1, Count: 1, Action: action}
	return &g.row, err
}

// action has names where the audience has numbers.
func (g *Generator) action(a *audience.Action) (input.Action, error) {
	m, b, d := &g.fans.Members[a.Member], &g.fans.Brands[a.Brand], &g.fans.Definitions[a.Definition]
	out := input.Action{
		ID: a.ID, Time: domain.Second(a.Time.Unix()), Geo: input.Place(a.Geo),
		Brand: input.EntityRef{Name: b.Type + "/" + b.Name, Create: input.Params{
			"name": b.Name, "type": b.Type, "officialwebsiteurl": "https://" + b.Domain + "/",
		}},
		Activity: input.EntityRef{Name: d.Service.String() + "/" + d.Type + "/" + d.Name, Create: input.Params{
			"name": d.Name, "shortname": d.ShortName, "type": d.Type, "service": d.Service.String(),
			"value": strconv.Itoa(d.Value), "onetime": wire.Flag(d.OneTime),
		}},
		Member: input.MemberRef{Register: input.Params(registration(m))},
	}
	// A member is known by its first account; the fan club names one who registered by
	// email.
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

// Mark is the place after the current action.
func (g *Generator) Mark(actions uint64) input.Mark {
	return input.Mark{Line: g.row.Line, Actions: actions, Sum: g.row.Action.ID}
}

// Head is nothing: there are no files of it.
func (g *Generator) Head() []byte { return nil }

// Skipped is none.
func (g *Generator) Skipped() int64 { return 0 }

// Progress is in actions.
func (g *Generator) Progress(uint64) (passed, total int64) { return g.row.Line, int64(g.total) }

// Close ends the generation.
func (g *Generator) Close() error {
	g.stop()
	return nil
}

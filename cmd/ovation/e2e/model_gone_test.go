package e2e

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"

	"github.com/ovation-analytics/ovation/api/client"
	"github.com/ovation-analytics/ovation/api/wire"
)

// remove deletes an action over HTTP, and in the model: it counts no more, and a one-time
// pair that it counted for is closed. The action is found in the feed, by its second and
// its track.
func (p *model) remove(ctx context.Context, api *client.Client, i int) error {
	a := &p.acts[i]
	feed, _, err := client.Do(ctx, api, client.GetFeed{
		Members: id(p.fans[a.fan].id), ActivityID: id(p.definitions[a.definition].id), AllActions: true, IncludeOneTime: true,
		Limit: "1000", BrandID: p.brands[a.brand].id, StartDate: wire.Seconds(a.at), EndDate: wire.Seconds(a.at + 1),
	})
	if err != nil {
		return err
	}
	at := slices.IndexFunc(feed.Items, func(f wire.FeedItem) bool {
		return p.definitions[a.definition].oneTime || strings.Contains(string(f.Content), `"`+trackOf(a)+`"`) // of a pair only one counts
	})
	if at < 0 {
		return fmt.Errorf("the feed does not show action %s of member %d", a.id, p.fans[a.fan].id)
	}
	var out wire.Deleted
	path := "/v1.1/member/" + id(p.fans[a.fan].id) + "/activity/" + feed.Items[at].ID + "/delete"
	meta, err := api.Post(ctx, path, nil, &out)
	if err != nil || !out.Deleted {
		return fmt.Errorf("delete action %s: %v: %w", a.id, out, err)
	}
	p.visible = meta.Position
	a.out = true
	if p.definitions[a.definition].oneTime {
		p.closed[pair{a.fan, a.definition, a.brand}] = true
	}
	return nil
}

// removeSome removes so many actions that count.
func (p *model) removeSome(ctx context.Context, api *client.Client, rnd *rand.Rand, n int) error {
	for n > 0 {
		i := rnd.IntN(len(p.acts))
		if p.acts[i].out {
			continue
		}
		if err := p.remove(ctx, api.At(p.visible), i); err != nil {
			return err
		}
		n--
	}
	return nil
}

// retire deletes a definition and a brand. What was done stays counted; neither can be
// asked about, and the brand is in no crossover.
func (p *model) retire(ctx context.Context, api *client.Client, definition, brand int) error {
	if _, _, err := client.Do(ctx, api, client.DeleteActivity{ActivityID: p.definitions[definition].id}); err != nil {
		return err
	}
	_, meta, err := client.Do(ctx, api, client.DeleteBrand{BrandID: p.brands[brand].id})
	p.visible = meta.Position
	p.definitions[definition].gone, p.brands[brand].gone = true, true
	return err
}

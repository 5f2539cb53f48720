package e2e

import (
	"fmt"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/api/client"
)

// withdraw deletes an action that the writer recorded, and often records it again, which
// brings nothing back. Of a one-time definition an earlier action may have taken its place
// meanwhile: then there is no such item any more, and nothing is deleted.
func (w *writer) withdraw(name string) error {
	var told []*written
	for i := range w.acts {
		if a := &w.acts[i]; a.item != "" && !a.gone {
			told = append(told, a)
		}
	}
	if len(told) == 0 {
		return w.record(name)
	}
	a, lost := pick(w.rnd, told), false
	oneTime := w.p.definitions[a.definition].oneTime
	err := w.twice(true, func(api *client.Client) (client.Meta, error) {
		_, meta, err := client.Do(ctx(w.t), api.With("Idempotency-Key", name), client.DeleteMemberActivity{
			MemberID: w.who(a).id, ActionID: domain.ActionID(number(w.t, a.item)),
		})
		if lost = oneTime && codeOf(err) == domain.NotFound; lost {
			return client.Meta{Replayed: true}, nil
		}
		return meta, err
	})
	if err != nil {
		return fmt.Errorf("delete %s, item %s: %w", a.id, a.item, err)
	}
	if a.gone = !lost; lost || a.params["marker"] == "" || w.rnd.IntN(2) == 0 {
		return nil
	}
	err = w.until(func(api *client.Client) error {
		_, _, err := client.Do(ctx(w.t), api, client.RecordActivity{Async: new(false), More: a.params})
		return err
	})
	if codeOf(err) != domain.NotFound {
		return contradiction(fmt.Sprintf("a repeat of %s, which was deleted: %v", a.id, err))
	}
	return nil
}

// who did what was written.
func (w *writer) who(a *written) *fan {
	if a.own {
		return &w.fans[a.fan]
	}
	return &w.p.fans[a.fan]
}

// gone notes that an action was deleted: it counts no more, and of a one-time definition none
// of the fan's for the brand does.
func (p *model) gone(a act) {
	i, is := p.took[claim{a.fan, a.id}], true
	if p.definitions[a.definition].oneTime {
		k := pair{a.fan, a.definition, a.brand}
		p.closed[k] = true
		i, is = p.first[k]
	}
	if is {
		p.acts[i].out = true
	}
}

package collect

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/api/client"
	"github.com/ovation-analytics/ovation/api/wire"
	"github.com/ovation-analytics/ovation/cmd/ovation/collect/input"
	"github.com/ovation-analytics/ovation/ingest/kafka"
)

// API makes what is missing, and finds what is there.
type API struct {
	client   *client.Client
	patience time.Duration // how long the API may be out of reach
}

// NewAPI speaks to an API through c.
func NewAPI(c *client.Client) *API { return &API{client: c, patience: time.Minute} }

// The kinds of things.
const (
	aBrand      = "brand"
	aDefinition = "activity"
	aMember     = "member"
)

// Refusal is the API's answer that a thing cannot be: it concerns the rows that name it.
type Refusal struct {
	Kind string
	Err  *client.Error
}

// Error is the answer in words. None of them is the row's.
func (r *Refusal) Error() string {
	s := fmt.Sprintf("%s refused: %s", r.Kind, r.Err.Message)
	if r.Err.Parameter != "" {
		s += " (" + r.Err.Parameter + ")"
	}
	return s
}

// make makes a thing, or finds that it is there, and gives its id.
func (a *API) make(ctx context.Context, kind string, create input.Params) (id uint32, err error) {
	switch kind {
	case aBrand:
		id, err = a.brand(ctx, create)
	case aDefinition:
		id, err = a.definition(ctx, create)
	case aMember:
		err = a.patiently(ctx, kind, create, func(c *client.Client) error {
			_, _, err := c.Register(ctx, create)
			return err
		})
	}
	if e, ok := errors.AsType[*client.Error](err); ok && ofTheRow(e) {
		err = &Refusal{kind, e}
	}
	return id, err
}

// ofTheRow reports that the answer hangs on what was asked, and not on who asks or how
// the engine is.
func ofTheRow(e *client.Error) bool {
	switch e.Code {
	case domain.MissingParameter, domain.InvalidParameter, domain.NotFound, domain.Conflict, domain.TooLarge, domain.Gone:
		return true
	}
	return false
}

func (a *API) brand(ctx context.Context, create input.Params) (id uint32, err error) {
	err = a.patiently(ctx, aBrand, create, func(c *client.Client) error {
		b, _, err := c.CreateBrand(ctx, create)
		id = uint32(b.ID)
		return err
	})
	if e, ok := errors.AsType[*client.Error](err); ok && e.Code == domain.Conflict {
		if found, lookErr := a.findBrand(ctx, create); lookErr != nil || found != 0 {
			return found, lookErr
		}
	}
	return id, err
}

// findBrand is the brand that has the slug already, or the name and type where no
// slug is asked for; 0: none.
func (a *API) findBrand(ctx context.Context, create input.Params) (id uint32, err error) {
	err = a.pages(ctx, func(c *client.Client, limit string) (int, error) {
		list, _, err := c.Brands(ctx, client.Params{"keyword": create["name"], "limit": limit})
		for _, b := range list.Items {
			same := b.Fields["Name"] == create["name"] && strings.EqualFold(b.Fields["Type"], create["type"])
			if slug := create["slug"]; slug != "" {
				same = strings.EqualFold(b.Fields["Slug"], slug)
			}
			if same && id == 0 {
				id = uint32(b.ID)
			}
		}
		return len(list.Items), err
	})
	return id, err
}

// definition looks first: nothing keeps two definitions from having one name.
func (a *API) definition(ctx context.Context, create input.Params) (id uint32, err error) {
	err = a.pages(ctx, func(c *client.Client, limit string) (int, error) {
		list, _, err := c.Activities(ctx, client.Params{"keyword": create["name"], "limit": limit})
		for _, d := range list.Items {
			if id == 0 && sameDefinition(&d, create) {
				id = number32(d.ID)
			}
		}
		return len(list.Items), err
	})
	if err != nil || id != 0 {
		return id, err
	}
	err = a.patiently(ctx, aDefinition, create, func(c *client.Client) error {
		d, _, err := c.CreateActivity(ctx, create)
		id = number32(d.ID)
		return err
	})
	return id, err
}

func sameDefinition(d *wire.Definition, create input.Params) bool {
	return d.Name == create["name"] && strings.EqualFold(d.Type, create["type"]) && d.ServiceType == create["service"] &&
		d.OneTime == (create["onetime"] == "1") && d.BrandID == nil
}

// number32 is an id of an answer; 0: none.
func number32(s string) uint32 {
	n, _ := strconv.ParseUint(s, 10, 32)
	return uint32(n)
}

// pageSize is the most that a list gives at once.
const pageSize = 1000

// pages asks for the pages of a list until one is not full.
func (a *API) pages(ctx context.Context, ask func(c *client.Client, limit string) (items int, err error)) error {
	for from := 0; ; from += pageSize {
		var n int
		err := a.patiently(ctx, "list", nil, func(c *client.Client) (err error) {
			n, err = ask(c, fmt.Sprintf("%d,%d", from, pageSize))
			return err
		})
		if err != nil || n < pageSize {
			return err
		}
	}
}

// patiently does something once: while the API is out of reach or asks to wait, it
// is repeated under the same Idempotency-Key.
func (a *API) patiently(ctx context.Context, kind string, create input.Params, do func(*client.Client) error) error {
	c := a.client
	if create != nil {
		c = c.With("Idempotency-Key", idempotencyKey(kind, create))
	}
	short, cancel := context.WithTimeout(ctx, a.patience)
	defer cancel()
	var backoff kafka.Backoff
	for {
		err := do(c)
		e, answered := errors.AsType[*client.Error](err)
		if err == nil || answered && e.Code != domain.Unavailable && e.Code != domain.RateLimited && e.Code != 0 {
			return err
		}
		if backoff.Wait(short) != nil {
			return fmt.Errorf("the API does not answer: %w", errors.Join(ctx.Err(), err))
		}
	}
}

// idempotencyKey is the same for the same parameters.
func idempotencyKey(kind string, create input.Params) string {
	h := sha256.New()
	fmt.Fprintf(h, "collect %s", kind)
	for _, name := range slices.Sorted(maps.Keys(create)) {
		fmt.Fprintf(h, " %q=%q", name, create[name])
	}
	return hex.EncodeToString(h.Sum(nil)[:16])
}

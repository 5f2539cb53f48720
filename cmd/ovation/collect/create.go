package collect

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/api/client"
	"github.com/ovation-analytics/ovation/api/wire"
	"github.com/ovation-analytics/ovation/cmd/ovation/collect/input"
	"github.com/ovation-analytics/ovation/cmd/ovation/patience"
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
			_, _, err := client.Do(ctx, c, client.RegisterMember{More: create})
			return err
		})
	}
	if e, ok := errors.AsType[*client.Error](err); ok {
		if ofTheRow(e) {
			return 0, &Refusal{kind, e}
		}
		return 0, fmt.Errorf("the API makes no %s: %w", kind, err)
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

// Answers is why a dry run cannot ask the API, which is not waited for: patience.ErrAway, or what ends the real run.
func (a *API) Answers(ctx context.Context, account uint32) error {
	return (&API{client: a.client, patience: time.Second}).check(ctx, account)
}

// check is why nothing can be made: what answers is no API, or the key is not one that opens the account.
func (a *API) check(ctx context.Context, account uint32) error {
	return a.patiently(ctx, "application", nil, func(c *client.Client) error {
		app, _, err := client.Do(ctx, c, client.GetApplication{})
		e, answered := errors.AsType[*client.Error](err)
		switch {
		case answered && (e.Status == http.StatusUnauthorized || e.Status == http.StatusForbidden):
			return fmt.Errorf("the API refuses --key: %w", err)
		case err != nil && patience.Passes(err):
			return err
		case err != nil:
			return fmt.Errorf("what answers at --api is not the API of a node: %w", err)
		case number32(app.Account.ID) == 0:
			return errors.New("what answers at --api is not the API of a node")
		case number32(app.Account.ID) != account && account != 0:
			return fmt.Errorf("--key is of account %s, the actions are of account %d", app.Account.ID, account)
		}
		return nil
	})
}

// brand makes a brand, or finds the one that has the name and type, or the slug that is asked for.
// Where only the slug of the name is taken, the brand gets one of its own.
func (a *API) brand(ctx context.Context, create input.Params) (id uint32, err error) {
	id, taken, err := a.createBrand(ctx, create)
	if !conflicts(err) {
		return id, err
	}
	found, wrong := a.findBrand(ctx, create, taken)
	if wrong != nil || found != 0 {
		return found, wrong
	}
	if create["slug"] != "" {
		return 0, err
	}
	create = maps.Clone(create)
	create["slug"] = ownSlug(create["name"], create["type"])
	id, _, err = a.createBrand(ctx, create)
	return id, err
}

// createBrand creates a brand and gives the position of the answer, also of a conflict.
func (a *API) createBrand(ctx context.Context, create input.Params) (id uint32, position string, err error) {
	err = a.patiently(ctx, aBrand, create, func(c *client.Client) error {
		b, meta, err := client.Do(ctx, c, client.CreateBrand{More: create})
		id, position = uint32(b.ID), meta.Position
		return err
	})
	return id, position, err
}

func conflicts(err error) bool {
	e, ok := errors.AsType[*client.Error](err)
	return ok && e.Code == domain.Conflict
}

// maxSlugWords bounds what a slug of its own has of the name, in bytes.
const maxSlugWords = 200

// ownSlug is the slug of a brand whose name gives one that is taken: its words and a hash of name and
// type, the same at every run.
func ownSlug(name, kind string) string {
	words := strings.Join(strings.FieldsFunc(strings.ToLower(name), func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsDigit(r)
	}), "-")
	if words == "" {
		words = "brand"
	}
	if len(words) > maxSlugWords {
		words = strings.ToValidUTF8(words[:maxSlugWords], "")
	}
	sum := sha256.Sum256([]byte(name + "\n" + strings.ToLower(kind)))
	return words + "-" + hex.EncodeToString(sum[:4])
}

// findBrand is the brand that has the slug already, or the name and type where no
// slug is asked for; 0: none. It looks at a position: the node that answers may not be the one that met the conflict.
func (a *API) findBrand(ctx context.Context, create input.Params, position string) (id uint32, err error) {
	slug := create["slug"]
	keywords := []string{create["name"]}
	if slug != "" {
		keywords = append(keywords, "") // the brand may have another name by now
	}
	for _, keyword := range keywords {
		err = a.pages(ctx, func(c *client.Client, limit string) (int, error) {
			list, _, err := client.Do(ctx, c.At(position), client.ListBrands{Keyword: keyword, Limit: limit})
			for _, b := range list.Items {
				same := b.Fields["Name"] == create["name"] && strings.EqualFold(b.Fields["Type"], create["type"])
				if slug != "" {
					same = strings.EqualFold(b.Fields["Slug"], slug)
				}
				if same && id == 0 {
					id = uint32(b.ID)
				}
			}
			return len(list.Items), err
		})
		if err != nil || id != 0 {
			return id, err
		}
	}
	return 0, nil
}

// definition looks first: nothing keeps two definitions from having one name.
func (a *API) definition(ctx context.Context, create input.Params) (id uint32, err error) {
	err = a.pages(ctx, func(c *client.Client, limit string) (int, error) {
		list, _, err := client.Do(ctx, c, client.ListActivities{Keyword: create["name"], Limit: limit})
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
		d, _, err := client.Do(ctx, c, client.CreateActivity{More: create})
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
	return patience.Ask(ctx, a.patience, func() error { return do(c) })
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

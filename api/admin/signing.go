package admin

import (
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/api/bind"
	"github.com/ovation-analytics/ovation/api/token"
)

// editApplication overwrites addresses of an application, by the names of domain.Addresses; an
// empty one clears.
func (p *port) editApplication(r *http.Request) (any, error) {
	id, err := strconv.ParseUint(r.PathValue("id"), 10, 32)
	if err != nil || id == 0 {
		return nil, domain.Bad(domain.InvalidParameter, "id", "an application's id is a number, as app list shows it")
	}
	var given domain.Addresses
	if err := readJSON(r, &given); err != nil {
		return nil, err
	}
	if len(given) == 0 {
		return nil, domain.Bad(domain.MissingParameter, "address", "an address is missing")
	}
	for name, value := range given {
		if err := checkAddress(name, value); err != nil {
			return nil, err
		}
	}
	application := domain.ApplicationID(id)
	if err := p.operator.EditApplication(r.Context(), application, given); err != nil {
		return nil, err
	}
	return Application{ID: application}, nil
}

// checkAddress refuses a name that no address has, and what is no address.
func checkAddress(name, value string) error {
	kind, word, of := strings.Cut(name, ":")
	if of {
		s, known := domain.ParseService(word)
		if !known || !s.Registers() || name != domain.LoginAddress(s) && name != domain.RegisterAddress(s) {
			return domain.Bad(domain.InvalidParameter, name, name+": no address of that name, or no service that members register by")
		}
	} else if kind != domain.AddressLogout && kind != domain.AddressWidget {
		return domain.Bad(domain.InvalidParameter, name, "an address is logout, widget, login:SERVICE or register:SERVICE")
	}
	var u bind.URL
	if value == "" {
		return nil
	}
	if err := u.ParseParam(value); err != nil {
		return domain.Bad(domain.InvalidParameter, name, name+" "+err.Error())
	}
	return nil
}

var errNotOpen = domain.Fail(domain.Unavailable, "the node is not open yet")

func (p *port) listSigningKeys(*http.Request) (any, error) {
	if p.signing == nil {
		return nil, errNotOpen
	}
	keys := p.engine.Directory().SigningKeys()
	states := statesOf(keys, p.operator.Now())
	out := List[SigningKey]{Items: []SigningKey{}}
	for _, k := range keys {
		out.Items = append(out.Items, SigningKey{
			KID: k.KID, State: states[k.KID], Held: p.signing.Holds(k.KID), From: k.From, Ended: k.Ended,
		})
	}
	return out, nil
}

// statesOf are the words for what keys are at a time, by kid.
func statesOf(keys []*domain.SigningKey, now time.Time) map[string]string {
	states := map[string]string{}
	for _, k := range keys {
		states[k.KID] = "old"
		if k.Ended != 0 {
			states[k.KID] = "ended"
		}
	}
	all, signs := token.InForce(keys, now)
	for i, k := range all {
		switch {
		case i < signs:
			states[k.KID] = "previous"
		case i == signs:
			states[k.KID] = "signs"
		default:
			states[k.KID] = "next"
		}
	}
	return states
}

// rotateSigningKey makes a key that signs in a while; with now it signs at once, with end all
// others end.
func (p *port) rotateSigningKey(r *http.Request) (any, error) {
	if p.signing == nil {
		return nil, errNotOpen
	}
	end := r.URL.Query().Has("end")
	now := end || r.URL.Query().Has("now")
	k, err := p.signing.Rotate(r.Context(), now, end)
	if err != nil {
		return nil, err
	}
	p.log.Info("signing key added by the operator", "kid", k.KID, "from", time.UnixMilli(k.From).UTC(), "others end", end)
	state := "next"
	if now {
		state = "signs"
	}
	return SigningKey{KID: k.KID, State: state, Held: true, From: k.From}, nil
}

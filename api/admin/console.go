package admin

import (
	"context"
	"net/http"
	"strconv"
	"time"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/api/console/session"
)

// The shapes of the console's links and sessions.
type (
	// CreateLink asks for a link to sign in with.
	CreateLink struct {
		Role        string               `json:"role"`
		Account     domain.AccountID     `json:"account"`     // 0: the only one there is; of an operator none
		Application domain.ApplicationID `json:"application"` // 0: that of the account whose plan is the highest
		Name        string               `json:"name"`
		Invite      bool                 `json:"invite"` // the link is good for a week instead of ten minutes
	}
	// CreatedLink is a new link, shown this once.
	CreatedLink struct {
		Link    string           `json:"link"`
		Role    string           `json:"role"`
		Account domain.AccountID `json:"account"` // 0: none
		Expires int64            `json:"expires"` // ms since 1970
	}
	// ListedSession is who is, or was, signed in.
	ListedSession struct {
		ID          domain.SessionID `json:"id"`
		Role        string           `json:"role"`
		Name        string           `json:"name"`
		Account     Account          `json:"account"`
		Application Application      `json:"application"`
		Key         uint32           `json:"key"`     // that it began with; 0: it began with a link
		Begun       int64            `json:"begun"`   // ms since 1970
		Renewed     int64            `json:"renewed"` // ms since 1970, at most a day after the last use
		Over        bool             `json:"over"`
	}
	// ListedDeed is that a person asked for a change by the console.
	ListedDeed struct {
		At          int64                `json:"at"` // ms since 1970
		Role        string               `json:"role"`
		Name        string               `json:"name"`
		Account     Account              `json:"account"`
		Application domain.ApplicationID `json:"application"`
		Session     domain.SessionID     `json:"session"`
		Did         string               `json:"did"` // method and path, with its ids and none of its values
	}
	// EndSessions asks that a session ends, or all do.
	EndSessions struct {
		ID  domain.SessionID `json:"id"`
		All bool             `json:"all"`
	}
	// EndedSessions answers it.
	EndedSessions struct {
		Ended uint32 `json:"ended"`
	}
)

func (p *port) createLink(r *http.Request) (any, error) {
	var in CreateLink
	if err := readJSON(r, &in); err != nil {
		return nil, err
	}
	role, ok := domain.ParseRole(in.Role)
	if !ok {
		return nil, domain.Bad(domain.InvalidParameter, "role", "the role is analyst, editor, developer or operator")
	}
	if in.Name != "" {
		if err := checkName("name", in.Name); err != nil {
			return nil, err
		}
	}
	if in.Account == 0 && role != domain.RoleOperator {
		all := p.engine.Directory().Accounts()
		if len(all) != 1 {
			return nil, domain.Bad(domain.MissingParameter, "account", "there is not one account alone: name one by its id")
		}
		in.Account = all[0].ID
	}
	life := time.Duration(domain.LinkLife) * time.Millisecond
	if in.Invite {
		life = time.Duration(domain.InvitationLife) * time.Millisecond
	}
	token, expires, err := p.operator.CreateLink(r.Context(), domain.CreateLink{
		Role: role, Account: in.Account, Application: in.Application, Name: in.Name,
	}, life)
	if err != nil {
		return nil, err
	}
	base := p.public
	if role == domain.RoleOperator {
		base = "http://" + r.Host
	}
	return CreatedLink{base + session.LinkPath + token, role.String(), in.Account, expires}, nil
}

// CreateLink makes a link to sign in with that is good for a while. It gives the token that follows session.LinkPath in the
// address, and when it is over, in ms since 1970.
func (o *Operator) CreateLink(ctx context.Context, of domain.CreateLink, life time.Duration) (token string, expires int64, err error) {
	at := o.Now()
	token, of.Hash = session.NewToken()
	of.Expires, of.At = at.Add(life).UnixMilli(), at.UnixMilli()
	_, err = o.do(ctx, 0, &of)
	return token, of.Expires, err
}

func (p *port) listSessions(*http.Request) (any, error) {
	d := p.engine.Directory()
	accounts := accountNames(d)
	now := p.operator.Now().UnixMilli()
	out := List[ListedSession]{Items: []ListedSession{}}
	for _, s := range d.Sessions() {
		out.Items = append(out.Items, ListedSession{
			ID: s.ID, Role: s.Role.String(), Name: s.Name, Account: Account{s.Account, accounts[s.Account]},
			Application: Application{ID: s.Application}, Key: s.Key, Begun: s.Begun, Renewed: s.Renewed, Over: s.Over(now),
		})
	}
	return out, nil
}

func (p *port) endSessions(r *http.Request) (any, error) {
	var in EndSessions
	if err := readJSON(r, &in); err != nil {
		return nil, err
	}
	if in.ID.IsZero() != in.All {
		return nil, domain.Bad(domain.MissingParameter, "id", "name one session by its id, or all")
	}
	out, err := p.operator.do(r.Context(), 0, &domain.EndSession{ID: in.ID, At: p.operator.Now().UnixMilli()})
	return EndedSessions{out.ID}, err
}

// mostDeeds is how many deeds a list has.
const mostDeeds = 1000

// listDeeds lists the newest deeds, with account= those of an account's people, 0 for operators without one.
func (p *port) listDeeds(r *http.Request) (any, error) {
	var of []domain.AccountID
	if r.URL.Query().Has("account") {
		n, err := strconv.ParseUint(r.URL.Query().Get("account"), 10, 32)
		if err != nil {
			return nil, domain.Bad(domain.InvalidParameter, "account", "the account is a number")
		}
		of = append(of, domain.AccountID(n))
	}
	d := p.engine.Directory()
	accounts := accountNames(d)
	out := List[ListedDeed]{Items: []ListedDeed{}}
	for _, deed := range d.Deeds(of...) {
		if len(out.Items) == mostDeeds {
			break
		}
		out.Items = append(out.Items, ListedDeed{
			At: deed.At, Role: deed.Role.String(), Name: deed.Name, Account: Account{deed.Account, accounts[deed.Account]},
			Application: deed.Application, Session: deed.Session, Did: deed.Did,
		})
	}
	return out, nil
}

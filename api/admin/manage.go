package admin

import (
	"net/http"
	"strconv"

	"github.com/ovation-analytics/ovation/actors/domain"
)

var keyScopes = map[string]domain.KeyScope{
	"":            domain.ScopeApplication,
	"application": domain.ScopeApplication,
	"global":      domain.ScopeGlobal,
	"public":      domain.ScopePublic,
}

func (p *port) manage(mux *http.ServeMux) {
	mux.HandleFunc("GET /applications", p.handle(p.listApplications))
	mux.HandleFunc("POST /applications", p.handle(p.createApplication))
	mux.HandleFunc("POST /applications/{id}", p.handle(p.editApplication))
	mux.HandleFunc("GET /signing-keys", p.handle(p.listSigningKeys))
	mux.HandleFunc("POST /signing-keys/rotate", p.handle(p.rotateSigningKey))
	mux.HandleFunc("POST /applications/{id}/plan", p.handle(p.putPlan))
	mux.HandleFunc("GET /accounts", p.handle(p.listAccounts))
	mux.HandleFunc("POST /accounts/{id}/limits", p.handle(p.putLimits))
	mux.HandleFunc("GET /keys", p.handle(p.listKeys))
	mux.HandleFunc("POST /keys", p.handle(p.createKey))
	mux.HandleFunc("POST /keys/{id}/revoke", p.handle(p.revokeKey))
	mux.HandleFunc("POST /gaps/accept", p.handle(p.acceptGap))
	mux.HandleFunc("POST /records/set-aside", p.handle(p.setAside))
	mux.HandleFunc("POST /nodes/{id}/remove", p.handle(p.removeNode))
	mux.HandleFunc("POST /console/links", p.handle(p.createLink))
	mux.HandleFunc("GET /console/sessions", p.handle(p.listSessions))
	mux.HandleFunc("POST /console/sessions/end", p.handle(p.endSessions))
	mux.HandleFunc("GET /console/deeds", p.handle(p.listDeeds))
	mux.HandleFunc("GET /letters", p.handle(p.listLetters))
	mux.HandleFunc("GET /letters/{offset}", p.handle(p.showLetter))
	mux.HandleFunc("GET /log-level", p.handle(p.showLogLevel))
	mux.HandleFunc("POST /log-level", p.handle(p.setLogLevel))
}

func (p *port) listApplications(*http.Request) (any, error) {
	d := p.engine.Directory()
	names := accountNames(d)
	out := List[OwnedApplication]{Items: []OwnedApplication{}}
	for _, a := range d.Applications() {
		out.Items = append(out.Items, OwnedApplication{
			Account:     Account{a.Account, names[a.Account]},
			Application: Application{a.ID, a.Name, a.Plan.String()},
			Addresses:   a.Addresses,
		})
	}
	return out, nil
}

func (p *port) createApplication(r *http.Request) (any, error) {
	var in CreateApplication
	if err := readJSON(r, &in); err != nil {
		return nil, err
	}
	plan, ok := domain.ParsePlan(in.Plan)
	if !ok {
		return nil, domain.Bad(domain.InvalidParameter, "plan", "the plan is standard, advanced or enterprise")
	}
	owner, id, err := p.operator.CreateApplication(r.Context(), in.Account, in.Name, plan)
	if err != nil {
		return nil, err
	}
	key, _, err := p.operator.CreateKey(r.Context(), id, domain.ScopeApplication)
	if err != nil {
		return nil, &domain.Error{
			Code: domain.CodeOf(err), Op: "create key", Err: err,
			Message: "application " + strconv.Itoa(int(id)) + " was made, its key was not; make one with key create --application",
		}
	}
	return OwnedApplication{Account: Account{ID: owner}, Application: Application{ID: id}, Key: key, API: p.public}, nil
}

func (p *port) listKeys(*http.Request) (any, error) {
	d := p.engine.Directory()
	accounts, applications := accountNames(d), map[domain.ApplicationID]string{}
	for _, a := range d.Applications() {
		applications[a.ID] = a.Name
	}
	out := List[ListedKey]{Items: []ListedKey{}}
	for _, k := range d.Keys() {
		out.Items = append(out.Items, ListedKey{
			ID: k.ID, Hint: k.Hint, Scope: k.Scope.String(), Created: k.Created, Revoked: k.Revoked,
			Account:     Account{k.Account, accounts[k.Account]},
			Application: Application{ID: k.Application, Name: applications[k.Application]},
		})
	}
	return out, nil
}

func (p *port) createKey(r *http.Request) (any, error) {
	var in CreateKey
	if err := readJSON(r, &in); err != nil {
		return nil, err
	}
	scope, ok := keyScopes[in.Scope]
	if !ok {
		return nil, domain.Bad(domain.InvalidParameter, "scope", "the scope is application, global or public")
	}
	if in.Application == 0 {
		all := p.engine.Directory().Applications()
		if len(all) != 1 {
			return nil, domain.Bad(domain.MissingParameter, "application",
				"there are "+strconv.Itoa(len(all))+" applications: name one by its id")
		}
		in.Application = all[0].ID
	}
	if scope == domain.ScopeGlobal && !p.mayBeGlobal(in.Application) {
		return nil, domain.Fail(domain.PlanRequired, "a global key needs the plan enterprise")
	}
	key, id, err := p.operator.CreateKey(r.Context(), in.Application, scope)
	if err != nil {
		return nil, err
	}
	return CreatedKey{id, Application{ID: in.Application}, scope.String(), key, p.public}, nil
}

// mayBeGlobal reports that the application's plan has the Global Key. One that is not
// known here is for the catalog to judge.
func (p *port) mayBeGlobal(id domain.ApplicationID) bool {
	for _, a := range p.engine.Directory().Applications() {
		if a.ID == id {
			return a.Plan >= domain.Enterprise
		}
	}
	return true
}

func (p *port) revokeKey(r *http.Request) (any, error) {
	id, err := idInPath(r, "a key's id is a number, as key list shows it")
	if err != nil {
		return nil, err
	}
	return RevokedKey{id, true}, p.operator.RevokeKey(r.Context(), id)
}

func (p *port) acceptGap(r *http.Request) (any, error) {
	var in AcceptGap
	if err := readJSON(r, &in); err != nil {
		return nil, err
	}
	switch {
	case in.Topic == "":
		return nil, domain.Bad(domain.MissingParameter, "topic", "the topic is missing")
	case in.Partition == nil:
		return nil, domain.Bad(domain.MissingParameter, "partition", "the partition is missing")
	case *in.Partition < 0:
		return nil, domain.Bad(domain.InvalidParameter, "partition", "a partition is a number from 0 up")
	}
	gap, err := p.engine.AcceptGap(r.Context(), in.Topic, *in.Partition, in.Force)
	if err != nil {
		return nil, err
	}
	p.log.Warn("gap accepted by the operator",
		"topic", in.Topic, "partition", gap.Partition, "from", gap.From, "to", gap.To)
	return AcceptedGap{in.Topic, gap.Partition, gap.From, gap.To}, nil
}

func (p *port) setAside(r *http.Request) (any, error) {
	var in SetAside
	if err := readJSON(r, &in); err != nil {
		return nil, err
	}
	switch {
	case in.Shard == nil:
		return nil, domain.Bad(domain.MissingParameter, "shard", "the shard is missing")
	case in.Offset == nil:
		return nil, domain.Bad(domain.MissingParameter, "offset", "the offset is missing")
	case *in.Shard < 0:
		return nil, domain.Bad(domain.InvalidParameter, "shard", "a shard is a number from 0 up")
	case *in.Offset < 0:
		return nil, domain.Bad(domain.InvalidParameter, "offset", "an offset is a number from 0 up")
	}
	if err := p.engine.SetAsideRecord(r.Context(), *in.Shard, *in.Offset, in.Force); err != nil {
		return nil, err
	}
	p.log.Warn("record set aside by the operator", "shard", *in.Shard, "offset", *in.Offset, "forced", in.Force)
	return PutAside{*in.Shard, *in.Offset}, nil
}

func (p *port) removeNode(r *http.Request) (any, error) {
	id, err := domain.ParseNodeID(r.PathValue("id"))
	if err != nil {
		return nil, domain.Bad(domain.InvalidParameter, "id", err.Error())
	}
	var in RemoveNode
	if err := readJSON(r, &in); err != nil {
		return nil, err
	}
	if err := p.engine.RemoveNode(r.Context(), id, in.Force); err != nil {
		return nil, err
	}
	p.log.Warn("a node was removed by the operator", "node", id.String())
	return RemovedNode{id, true}, nil
}

func accountNames(d Directory) map[domain.AccountID]string {
	names := map[domain.AccountID]string{}
	for _, a := range d.Accounts() {
		names[a.ID] = a.Name
	}
	return names
}

package main

import (
	"encoding/json"
	"errors"
	"net/http"
	"strconv"

	"github.com/ovation-analytics/ovation/actors/domain"
)

// The shapes of management, of the admin port's answers and of --output json alike.
type (
	account struct {
		ID   domain.AccountID `json:"id"`
		Name string           `json:"name,omitempty"`
	}
	application struct {
		ID   domain.ApplicationID `json:"id"`
		Name string               `json:"name,omitempty"`
		Plan string               `json:"plan,omitempty"`
	}
	createdApplication struct {
		Account     account     `json:"account"`
		Application application `json:"application"`
		Key         string      `json:"key"`
	}
	listedApplication struct {
		Account     account     `json:"account"`
		Application application `json:"application"`
	}
	createdKey struct {
		ID          uint32      `json:"id"`
		Application application `json:"application"`
		Scope       string      `json:"scope"`
		Key         string      `json:"key"`
	}
	listedKey struct {
		ID          uint32      `json:"id"`
		Hint        string      `json:"hint"`
		Account     account     `json:"account"`
		Application application `json:"application"`
		Scope       string      `json:"scope"`
		Created     int64       `json:"created"` // ms since 1970
		Revoked     int64       `json:"revoked"` // 0: in force
	}
	revokedKey struct {
		ID      uint32 `json:"id"`
		Revoked bool   `json:"revoked"`
	}
	acceptedGap struct {
		Topic     string `json:"topic"`
		Partition int    `json:"partition"`
		From      int64  `json:"from"`
		To        int64  `json:"to"`
	}
	list[T any] struct {
		Items []T `json:"items"`
	}

	createApplication struct {
		Account string `json:"account"`
		Name    string `json:"name"`
		Plan    string `json:"plan"`
	}
	createKey struct {
		Application domain.ApplicationID `json:"application"` // 0: the only one there is
		Scope       string               `json:"scope"`
	}
	acceptGap struct {
		Topic     string `json:"topic"`
		Partition *int   `json:"partition"`
	}

	problem struct {
		Error problemBody `json:"error"`
	}
	problemBody struct {
		Code      domain.Code `json:"code,omitempty"`
		Message   string      `json:"message"`
		Parameter string      `json:"parameter,omitempty"`
	}
)

var keyScopes = map[string]domain.KeyScope{
	"":            domain.ScopeApplication,
	"application": domain.ScopeApplication,
	"global":      domain.ScopeGlobal,
	"public":      domain.ScopePublic,
}

const maxManagementBody = 64 << 10

func (p *adminPort) manage(mux *http.ServeMux) {
	mux.HandleFunc("GET /applications", p.handle(p.listApplications))
	mux.HandleFunc("POST /applications", p.handle(p.createApplication))
	mux.HandleFunc("GET /keys", p.handle(p.listKeys))
	mux.HandleFunc("POST /keys", p.handle(p.createKey))
	mux.HandleFunc("POST /keys/{id}/revoke", p.handle(p.revokeKey))
	mux.HandleFunc("POST /gaps/accept", p.handle(p.acceptGap))
	mux.HandleFunc("GET /verify", p.handle(p.lastVerify))
	mux.HandleFunc("POST /verify", p.handle(p.startVerify))
	mux.HandleFunc("POST /verify/cancel", p.handle(p.cancelVerify))
	mux.HandleFunc("GET /rebuild", p.handle(p.lastRebuild))
	mux.HandleFunc("POST /rebuild", p.handle(p.startRebuild))
	mux.HandleFunc("POST /rebuild/cancel", p.handle(p.cancelRebuild))
}

func (p *adminPort) listApplications(*http.Request) (any, error) {
	d := p.engine.Directory()
	names := accountNames(d)
	out := list[listedApplication]{Items: []listedApplication{}}
	for _, a := range d.Applications() {
		out.Items = append(out.Items, listedApplication{account{a.Account, names[a.Account]}, application{a.ID, a.Name, a.Plan.String()}})
	}
	return out, nil
}

func (p *adminPort) createApplication(r *http.Request) (any, error) {
	var in createApplication
	if err := readJSON(r, &in); err != nil {
		return nil, err
	}
	plan, ok := domain.ParsePlan(in.Plan)
	if !ok {
		return nil, domain.Bad(domain.InvalidParameter, "plan", "the plan is standard, advanced or enterprise")
	}
	owner, id, err := p.op.createApplication(r.Context(), in.Account, in.Name, plan)
	if err != nil {
		return nil, err
	}
	key, _, err := p.op.createKey(r.Context(), id, domain.ScopeApplication)
	if err != nil {
		return nil, &domain.Error{
			Code: domain.CodeOf(err), Op: "create key", Err: err,
			Message: "application " + strconv.Itoa(int(id)) + " was made, its key was not; make one with key create --application",
		}
	}
	return createdApplication{account{ID: owner}, application{ID: id}, key}, nil
}

func (p *adminPort) listKeys(*http.Request) (any, error) {
	d := p.engine.Directory()
	accounts, applications := accountNames(d), map[domain.ApplicationID]string{}
	for _, a := range d.Applications() {
		applications[a.ID] = a.Name
	}
	out := list[listedKey]{Items: []listedKey{}}
	for _, k := range d.Keys() {
		out.Items = append(out.Items, listedKey{
			ID: k.ID, Hint: k.Hint, Scope: k.Scope.String(), Created: k.Created, Revoked: k.Revoked,
			Account:     account{k.Account, accounts[k.Account]},
			Application: application{ID: k.Application, Name: applications[k.Application]},
		})
	}
	return out, nil
}

func (p *adminPort) createKey(r *http.Request) (any, error) {
	var in createKey
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
			return nil, domain.Bad(domain.MissingParameter, "application", "there are "+strconv.Itoa(len(all))+" applications: name one by its id")
		}
		in.Application = all[0].ID
	}
	if scope == domain.ScopeGlobal && !p.mayBeGlobal(in.Application) {
		return nil, domain.Fail(domain.PlanRequired, "a global key needs the plan enterprise")
	}
	key, id, err := p.op.createKey(r.Context(), in.Application, scope)
	if err != nil {
		return nil, err
	}
	return createdKey{id, application{ID: in.Application}, scope.String(), key}, nil
}

// mayBeGlobal reports that the application's plan has the Global Key. One that is not
// known here is for the catalog to judge.
func (p *adminPort) mayBeGlobal(id domain.ApplicationID) bool {
	for _, a := range p.engine.Directory().Applications() {
		if a.ID == id {
			return a.Plan >= domain.Enterprise
		}
	}
	return true
}

func (p *adminPort) revokeKey(r *http.Request) (any, error) {
	id, err := strconv.ParseUint(r.PathValue("id"), 10, 32)
	if err != nil || id == 0 {
		return nil, domain.Bad(domain.InvalidParameter, "id", "a key's id is a number, as key list shows it")
	}
	return revokedKey{uint32(id), true}, p.op.revokeKey(r.Context(), uint32(id))
}

func (p *adminPort) acceptGap(r *http.Request) (any, error) {
	var in acceptGap
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
	gap, err := p.engine.AcceptGap(r.Context(), in.Topic, *in.Partition)
	if err != nil {
		return nil, err
	}
	p.log.Warn("gap accepted by the operator", "topic", in.Topic, "partition", gap.Partition, "from", gap.From, "to", gap.To)
	return acceptedGap{in.Topic, gap.Partition, gap.From, gap.To}, nil
}

func accountNames(d Directory) map[domain.AccountID]string {
	names := map[domain.AccountID]string{}
	for _, a := range d.Accounts() {
		names[a.ID] = a.Name
	}
	return names
}

// handle writes what f gives. An error with a code is the caller's to know; any
// other goes to the log and is told in general words.
func (p *adminPort) handle(f func(*http.Request) (any, error)) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		r.Body = http.MaxBytesReader(w, r.Body, maxManagementBody)
		answer, err := f(r)
		if err == nil {
			p.writeJSON(w, http.StatusOK, answer)
			return
		}
		var e *domain.Error
		if !errors.As(err, &e) {
			e = &domain.Error{Code: domain.Internal, Err: err}
		}
		if e.Code == domain.Internal || e.Err != nil {
			p.log.Error("management request failed", "path", r.URL.Path, "err", err)
		}
		body := problemBody{Code: e.Code, Message: e.Message, Parameter: e.Parameter}
		if body.Message == "" {
			body.Message = "failed; the node's log says why"
		}
		p.writeJSON(w, statusOf(e.Code), problem{body})
	}
}

func statusOf(code domain.Code) int {
	switch code {
	case domain.MissingParameter, domain.InvalidParameter:
		return http.StatusBadRequest
	case domain.NotFound:
		return http.StatusNotFound
	case domain.Conflict:
		return http.StatusConflict
	case domain.TooLarge:
		return http.StatusRequestEntityTooLarge
	case domain.PlanRequired, domain.PlanLimit:
		return http.StatusForbidden
	case domain.Unavailable:
		return http.StatusServiceUnavailable
	default:
		return http.StatusInternalServerError
	}
}

// readJSON reads a request's one JSON object.
func readJSON(r *http.Request, into any) error {
	d := json.NewDecoder(r.Body)
	d.DisallowUnknownFields()
	err := d.Decode(into)
	var tooLarge *http.MaxBytesError
	switch {
	case errors.As(err, &tooLarge):
		return domain.Fail(domain.TooLarge, "the request is too large")
	case err != nil || d.More():
		return domain.Fail(domain.InvalidParameter, "the request is not one JSON object of the known fields")
	}
	return nil
}

func (p *adminPort) writeJSON(w http.ResponseWriter, status int, v any) {
	text, err := json.Marshal(v)
	if err != nil {
		p.log.Error("answer cannot be encoded", "err", err)
		http.Error(w, "internal error", http.StatusInternalServerError)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Cache-Control", "no-store")
	w.WriteHeader(status)
	w.Write(append(text, '\n'))
}

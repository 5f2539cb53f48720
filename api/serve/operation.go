package serve

import (
	"context"
	"net/http"
	"reflect"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/api/auth"
	"github.com/ovation-analytics/ovation/api/bind"
	"github.com/ovation-analytics/ovation/api/wire"
)

// common are the parameters of every operation.
type common struct {
	APIKey    string        `name:"apiKey" max:"4096" doc:"access key of an application"`
	Strict    bool          `name:"strict" doc:"1: a parameter whose name is unknown is error 4, also one of a record in a body of many; without it such a one is ignored and named in a Warning" eg:"1"`
	WaitFor   wire.Position `name:"wait_for" doc:"a token that X-Position gave: answer once it is applied, or with error 11 after timeout_ms"`
	TimeoutMs int64         `name:"timeout_ms" default:"2000" max:"10000" doc:"how long wait_for waits" eg:"1000"`
}

// bound is what an operation's plan binds.
type bound[In any] struct {
	common
	In In
}

// Handler serves an operation: In is its parameters, Out its answer. What it
// reads it reads through the Request; ctx ends when the engine has taken too long.
type Handler[In, Out any] func(ctx context.Context, req *Request, in *In) (Out, error)

// Operation is one row of the table.
type Operation struct {
	ID           string // its name in the document
	Method, Path string
	Summary      string
	Group        string
	Advanced     bool     // needs the advanced plan
	Objects      []string // parameters whose value may be a JSON object
	Enterprise   string   // parameters so prefixed need the enterprise plan
	Access       auth.Access

	Each      *bind.Plan // of one record of a body of many; nil: the body is parameters
	Plan      *bind.Plan
	Outcomes  []Outcome
	Cached    bool // a poll may be answered from the response cache
	OfStream  bool // its cursor may be that of a stream
	OwnCursor bool // it reads its cursor itself: that is of no list
	input     func() (in any, its *common)
	handle    func(ctx context.Context, req *Request, in any) (any, error)
	counts    *counters
}

// Outcome is a status of success and the shape of its body.
type Outcome struct {
	Status   int
	Shape    reflect.Type
	Streamed bool // it is a Stream, or Events
	Events   bool // it is Events
}

// Option is a trait of an operation.
type Option func(*Operation)

// Cached marks a GET whose answers are kept in the response cache: package poll defines what
// may make their bodies. Without the mark a poll gets its 304 after the answer was made and
// compared.
func Cached(o *Operation) { o.Cached = o.Method == http.MethodGet }

// OfStream marks an operation whose cursor may be that of a stream, which other operations with the same parameters take,
// too.
func OfStream(o *Operation) { o.OfStream = true }

// ReadsCursor marks an operation whose cursor is of no list: it reads it itself.
func ReadsCursor(o *Operation) { o.OwnCursor = true }

// Advanced marks an operation that needs the advanced plan.
func Advanced(o *Operation) { o.Advanced = true }

// WithBearer marks an operation that takes a member's token: it is about that member alone
// then, by its parameters memberid and id, and by other names where selection finds them.
func WithBearer(o *Operation) { o.Access.TakesBearer = true }

// Public marks an operation that a public key may use.
func Public(o *Operation) { o.Access.Public = true }

// PublicWithBearer marks an operation that takes a member's token, and that a public key may
// use for that member.
func PublicWithBearer(o *Operation) {
	o.Access = auth.Access{TakesBearer: true, Public: true, OfMember: true}
}

// ForEditors marks an operation that reads what analysts who are signed in to the console may not see.
func ForEditors(o *Operation) { o.Access.Role = domain.RoleEditor }

// ForDevelopers marks an operation that of those who are signed in to the console developers may use.
func ForDevelopers(o *Operation) { o.Access.Role = domain.RoleDeveloper }

// Withheld names parameters that a public key may not give.
func Withheld(names ...string) Option { return func(o *Operation) { o.Access.Withheld = names } }

// Objects names parameters that may be JSON objects.
func Objects(names ...string) Option { return func(o *Operation) { o.Objects = names } }

// Many marks that the body is records, each with the parameters of In.
func Many[In any](o *Operation) {
	o.Each = bind.NewPlan(reflect.TypeFor[In](), "", true)
}

// Enterprise marks that parameters with the prefix need the enterprise plan.
func Enterprise(prefix string) Option { return func(o *Operation) { o.Enterprise = prefix } }

// Answers gives the shape of the body of a status of success; without it 200 has what
// the handler gives.
func Answers[T any](status int) Option {
	shape := reflect.TypeFor[T]()
	events := shape.Implements(reflect.TypeFor[Events]())
	out := Outcome{status, shape, events || shape.Implements(reflect.TypeFor[Stream]()), events}
	return func(o *Operation) { o.Outcomes = append(o.Outcomes, out) }
}

// Get is an operation that reads.
func Get[In, Out any](id, group, path, summary string, f Handler[In, Out], opts ...Option) *Operation {
	return operation(id, http.MethodGet, group, path, summary, f, opts)
}

// Post is an operation that writes.
func Post[In, Out any](id, group, path, summary string, f Handler[In, Out], opts ...Option) *Operation {
	return operation(id, http.MethodPost, group, path, summary, f, opts)
}

func operation[In, Out any](id, method, group, path, summary string, f Handler[In, Out], opts []Option) *Operation {
	o := &Operation{ID: id, Method: method, Path: path, Summary: summary, Group: group}
	for _, opt := range opts {
		opt(o)
	}
	if o.Access.Role == 0 {
		o.Access.Role = domain.RoleAnalyst
		if method == http.MethodPost {
			o.Access.Role = domain.RoleEditor
		}
	}
	if o.Outcomes == nil {
		Answers[Out](http.StatusOK)(o)
	}
	o.Plan = bind.NewPlan(reflect.TypeFor[bound[In]](), path, method == http.MethodPost)
	o.Plan.Ignore("includeOneTime") // whatever asks for everything may ask for it everywhere
	o.input = func() (any, *common) {
		in := new(bound[In])
		return in, &in.common
	}
	o.handle = func(ctx context.Context, req *Request, in any) (any, error) { return f(ctx, req, &in.(*bound[In]).In) }
	return o
}

// streams reports that the operation's answer is one that is made while it is sent, and ends.
func (o *Operation) streams() bool { return o.Outcomes[0].Streamed && !o.Outcomes[0].Events }

// Name is what the operation is counted and logged under.
func (o *Operation) Name() string { return o.Method + " " + o.Path }

// question is the operation and what its input means, without some parameters.
func (o *Operation) question(in any, without []string) string {
	return o.Name() + "\n" + o.Plan.Canon(in, without...)
}

// refusePlan refuses what the plan of the caller's application does not have, as far as the parameters are read.
func (o *Operation) refusePlan(c *auth.Caller, params *bind.Params) error {
	plan := c.App.Plan
	switch {
	case o.Advanced && plan < domain.Advanced:
		return domain.Fail(domain.PlanRequired, "this operation needs the advanced plan")
	case c.Key.Scope == domain.ScopeGlobal && plan < domain.Enterprise:
		return domain.Fail(domain.PlanRequired, "a global key needs the enterprise plan")
	}
	return o.refuseCustom(c, params)
}

// refuseCustom refuses fields that the plan does not have.
func (o *Operation) refuseCustom(c *auth.Caller, params *bind.Params) (refused error) {
	if o.Enterprise != "" && c.App.Plan < domain.Enterprise {
		params.Prefixed(o.Enterprise, func(string, string) {
			refused = domain.Bad(domain.PlanRequired, o.Enterprise, "custom fields need the enterprise plan")
		})
	}
	return refused
}

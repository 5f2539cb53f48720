package api

import (
	"net/http"
	"reflect"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/api/bind"
	"github.com/ovation-analytics/ovation/api/wire"
)

// common are the parameters of every operation.
type common struct {
	APIKey    string        `name:"apiKey" max:"4096" required:"" doc:"access key of an application"`
	WaitFor   wire.Position `name:"wait_for" doc:"a token that X-Position gave: answer once it is applied"`
	TimeoutMs int64         `name:"timeout_ms" default:"2000" max:"10000" doc:"how long wait_for waits" eg:"1000"`
}

// request is what an operation's plan binds.
type request[In any] struct {
	common
	In In
}

// shared is the part of a bound request that is the same for every operation.
func (r *request[In]) shared() *common { return &r.common }

// Operation is one row of the table.
type Operation struct {
	ID           string // its name in the document
	Method, Path string
	Summary      string
	Group        string
	Advanced     bool     // needs the advanced plan
	Objects      []string // parameters whose value may be a JSON object
	Enterprise   string   // parameters so prefixed need the enterprise plan

	each      *bind.Plan // of one record of a body of many; nil: the body is parameters
	plan      *bind.Plan
	out       []outcome
	remembers bool // see remembering
	run       func(c *Call, p *bind.Params) (any, error)
	counts    *counters
}

// outcome is a status of success and the shape of its body.
type outcome struct {
	status int
	shape  reflect.Type
}

// option is a trait of an operation.
type option func(*Operation)

// advanced marks an operation that needs the advanced plan.
func advanced(o *Operation) { o.Advanced = true }

// objects names parameters that may be JSON objects.
func objects(names ...string) option { return func(o *Operation) { o.Objects = names } }

// many says that the body is records, each with the parameters of In.
func many[In any](o *Operation) {
	o.each = bind.NewPlan(reflect.TypeFor[In](), "", true)
}

// enterprise says that parameters so prefixed need the enterprise plan.
func enterprise(prefix string) option { return func(o *Operation) { o.Enterprise = prefix } }

// answers says what a status of success has for a body; without it 200 has what
// the handler gives.
func answers[T any](status int) option {
	return func(o *Operation) { o.out = append(o.out, outcome{status, reflect.TypeFor[T]()}) }
}

func get[In, Out any](id, group, path, summary string, f func(*Call, *In) (Out, error), opts ...option) *Operation {
	return operation(id, http.MethodGet, group, path, summary, f, opts)
}

func post[In, Out any](id, group, path, summary string, f func(*Call, *In) (Out, error), opts ...option) *Operation {
	return operation(id, http.MethodPost, group, path, summary, f, opts)
}

func operation[In, Out any](id, method, group, path, summary string, f func(*Call, *In) (Out, error), opts []option) *Operation {
	o := &Operation{ID: id, Method: method, Path: path, Summary: summary, Group: group}
	for _, opt := range opts {
		opt(o)
	}
	if o.out == nil {
		answers[Out](http.StatusOK)(o)
	}
	o.plan = bind.NewPlan(reflect.TypeFor[request[In]](), path, method == http.MethodPost)
	o.run = func(c *Call, p *bind.Params) (any, error) {
		r := new(request[In])
		warnings, fault := o.plan.Bind(r, p)
		c.warnings = append(c.warnings, warnings...)
		if fault != nil {
			return nil, fault
		}
		if err := c.pageByKeys(r); err != nil {
			return nil, err
		}
		if err := c.unfold(r); err != nil {
			return nil, err
		}
		if err := c.begin(r.shared()); err != nil {
			return nil, err
		}
		if err := c.refresh(r.shared()); err != nil {
			return nil, err
		}
		if c.recall() {
			return nil, nil
		}
		return f(c, &r.In)
	}
	return o
}

// name is what the operation is counted and logged under.
func (o *Operation) name() string { return o.Method + " " + o.Path }

// may reports whether a key of the scope may ask for the operation at all: a
// global key answers every GET, a public one is for pages, of whose operations
// none is served yet.
func (o *Operation) may(scope domain.KeyScope) bool {
	switch scope {
	case domain.ScopeApplication:
		return true
	case domain.ScopeGlobal:
		return o.Method == http.MethodGet
	}
	return false
}

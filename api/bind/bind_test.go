package bind

import (
	"fmt"
	"reflect"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/ovation-analytics/ovation/actors/domain"
)

// Group is shared by inputs.
type Group struct {
	Services Services `name:"services"`
	Country  Country  `name:"country"`
}

// ruled is a group with rules.
type ruled struct {
	PartnerID   string `name:"partnerID"`
	PartnerCode string `name:"partnerCode"`
	taken       map[string]string
}

func (r *ruled) Missing(has func(string) bool) string {
	if has("partnerID") && !has("partnerCode") {
		return "partnerCode"
	}
	return ""
}

func (r *ruled) Check() *domain.Error {
	if r.PartnerCode == "forbidden" {
		return domain.Bad(domain.InvalidParameter, "partnerCode", "partnerCode is forbidden")
	}
	return nil
}

func (r *ruled) Take(name, value string) (bool, error) {
	if !strings.HasPrefix(name, "custom_") {
		return false, nil
	}
	if r.taken == nil {
		r.taken = map[string]string{}
	}
	r.taken[name] = value
	return true, nil
}

type input struct {
	Brand   ID     `name:"brandID"`
	Name    string `name:"name" required:""`
	Sort    string `name:"sort" enum:"ASC,DESC" default:"ASC"`
	Async   bool   `name:"async" default:"1"`
	Value   *int64 `name:"value" max:"65535"`
	Clear   *URL   `name:"clear"`
	Segment ID     `name:"segment"`
	Show    bool   `name:"show" later:""`
	Group
	Rules ruled
}

// bound binds a query to an input of a read or of a write.
func bound(query string, write bool) (*input, []string, *domain.Error) {
	plan := NewPlan(reflect.TypeFor[input](), "/v1.1/brand/:brandid/x", write)
	var p Params
	p.Path("brandid", "7")
	p.Encoded(query)
	in := new(input)
	warnings, fault := plan.Bind(in, &p)
	return in, warnings, fault
}

// Names are read in any case; what is absent keeps its default.
func TestBind_NamesAndDefaults(t *testing.T) {
	in, warnings, fault := bound("NAME=a+b%21&SERVICES=deezer,%20The%20Service,spotify&country=de&VALUE=9&custom_X=5&brandID=7", false)
	if fault != nil || warnings != nil {
		t.Fatal(fault, warnings)
	}
	nine := int64(9)
	want := &input{
		Brand: 7, Name: "a b!", Sort: "ASC", Async: true, Value: &nine,
		Group: Group{Services{domain.Spotify, domain.Deezer}, "DE"}, Rules: ruled{taken: map[string]string{"custom_x": "5"}},
	}
	if d := cmp.Diff(want, in, cmp.AllowUnexported(ruled{})); d != "" {
		t.Error(d)
	}
}

// An empty value is absent in a read and clears in a write.
func TestBind_EmptyValue(t *testing.T) {
	in, _, fault := bound("name=x&value=&clear=&async=&sort=", false)
	if fault != nil || in.Value != nil || in.Clear != nil || !in.Async || in.Sort != "ASC" {
		t.Errorf("read: %+v %v", in, fault)
	}
	in, _, fault = bound("name=x&value=&clear=&async=&sort=", true)
	if fault != nil || in.Value == nil || *in.Value != 0 || in.Clear == nil || *in.Clear != "" || !in.Async || in.Sort != "ASC" {
		t.Errorf("write: %+v %v", in, fault)
	}
}

// Of several faults the first in the contract's order is the error.
func TestBind_OrderOfErrors(t *testing.T) {
	for query, want := range map[string]string{
		"": "3 name", "name=": "3 name",
		"sort=UP":                    "3 name", // what is missing before what is malformed
		"name=x&partnerID=1&sort=UP": "3 partnerCode",
		"name=x&sort=UP&value=-1":    "4 sort", // the first of the request
		"name=x&value=-1&sort=UP":    "4 value", "name=x&value=65536": "4 value", "name=x&value=1.5": "4 value",
		"name=x&partnerCode=forbidden": "4 partnerCode", "name=x&Name=y": "4 Name",
		"name=x&utm=1&utm=2":         "4 utm", // also of an unknown one
		"name=x&segment=&segmentid=": "4 segmentid", "name=x&brandid=8": "4 brandid", "name=x&brandid=%zz": "4 brandid",
		"name=%zz": "4 name", "name=%ff": "4 name", "name=" + strings.Repeat("x", 256): "4 name", "name=x&async=yes": "4 async", "name=x&async=01": "4 async", "name=x&async=on": "4 async",
	} {
		_, _, fault := bound(query, false)
		if fault == nil || fmt.Sprint(int(fault.Code), " ", fault.Parameter) != want || fault.Message == "" {
			t.Errorf("%s: %v, want %s", query, fault, want)
		}
	}
}

// A switch is 1, 0, true or false in any case.
func TestBind_Booleans(t *testing.T) {
	for value, want := range map[string]bool{"1": true, "true": true, "True": true, "TRUE": true, "0": false, "false": false, "FALSE": false, "": true} {
		for _, write := range []bool{false, true} {
			in, _, fault := bound("name=x&async="+value, write)
			if fault != nil || in.Async != want {
				t.Errorf("%q, write %t: %t, %v", value, write, in.Async, fault)
			}
		}
	}
	for value, warned := range map[string]bool{"1": true, "true": true, "0": false, "false": false} {
		if _, warnings, _ := bound("name=x&show="+value, false); (len(warnings) > 0) != warned {
			t.Errorf("show=%s: %q", value, warnings)
		}
	}
}

// Unknown parameters and those not built yet are named.
func TestBind_WarnsOfUnknown(t *testing.T) {
	in, warnings, fault := bound("name=x&utm=1&show=1", false)
	want := []string{"the parameter utm is unknown and was ignored", "show is not available yet and was ignored"}
	if fault != nil || !in.Show {
		t.Fatal(fault)
	}
	if d := cmp.Diff(want, warnings); d != "" {
		t.Error(d)
	}
}

// A request has a bounded number of parameters.
func TestParams_Bound(t *testing.T) {
	var q strings.Builder
	for i := range MaxParams + 5 {
		q.WriteString(strings.Repeat("a", i+1) + "=1&")
	}
	_, warnings, fault := bound("name=x&"+q.String(), false)
	if fault == nil || fault.Code != domain.InvalidParameter || len(warnings) > MaxParams {
		t.Errorf("%v, %d warnings", fault, len(warnings))
	}
}

// A key counts wherever it comes, in a query, a form and a JSON body: what else is wrong comes after it.
func TestParams_KeyAfterTheBound(t *testing.T) {
	for _, other := range []int{MaxParams - 1, MaxParams, MaxParams + 1, 9 * MaxParams} {
		for name, format := range map[string]string{"others": "u%d", "repeats": "u"} {
			var query, body strings.Builder
			for i := range other {
				key := strings.Replace(format, "%d", strconv.Itoa(i), 1)
				query.WriteString(key + "=1&")
				body.WriteString(`"` + key + `":1,`)
			}
			for form, read := range map[string]func(p *Params) error{
				"query": func(p *Params) error { p.Encoded(query.String() + "apiKey=k"); return nil },
				"form":  func(p *Params) error { p.Form(query.String() + "apiKey=k"); return nil },
				"JSON":  func(p *Params) error { return p.JSON([]byte("{" + body.String() + `"apiKey":"k"}`)) },
			} {
				var p Params
				err := read(&p)
				if key, _ := p.Get("apikey"); err != nil || key != "k" {
					t.Errorf("%d %s of a %s: key %q, %v", other, name, form, key, err)
				}
				if many := other >= MaxParams || name == "repeats"; many != (p.fault != nil) || len(p.given) > MaxParams+1 {
					t.Errorf("%d %s of a %s: %d parameters, %v", other, name, form, len(p.given), p.fault)
				}
			}
		}
	}
}

// A JSON body is one object of strings, numbers and booleans.
func TestParams_JSON(t *testing.T) {
	bad := errBody.Error()
	for body, want := range map[string]string{ // the error, or the parameters
		`{"A":"x","b":1.5,"c":true,"d":false,"content":{"k":[1, 2]}}`: ` a=x b=1.5 c=true d=false content={"k":[1, 2]}`,
		` {} `: "", ``: bad, `[]`: bad, `{"a":1`: bad, `{"a":1}{}`: bad, `{"a":1} x`: bad, `{"a":tru}`: bad,
		"{\"a\":\"\xff\"}": "the body must be UTF-8",
	} {
		var p Params
		got := ""
		if err := p.JSON([]byte(body), "content"); err != nil {
			got = err.Error()
		} else {
			for _, g := range p.given {
				got += " " + g.Name + "=" + g.Value
			}
		}
		if got != want {
			t.Errorf("%s: %s, want %s", body, got, want)
		}
	}
	for body, parameter := range map[string]string{
		`{"a":1,"A":2}`: "A", `{"name":null}`: "name", `{"name":[1]}`: "name", `{"name":{"a":1}}`: "name", `{"name":"x","clear":{}}`: "clear",
	} {
		plan, p := NewPlan(reflect.TypeFor[input](), "/x", true), Params{}
		if err := p.JSON([]byte(body)); err != nil {
			t.Fatal(err)
		}
		if _, fault := plan.Bind(new(input), &p); fault == nil || fault.Parameter != parameter && fault.Code != domain.MissingParameter {
			t.Errorf("%s: %v", body, fault)
		}
	}
}

// The hash is of path, names and values, in any order and form.
func TestParams_Hash(t *testing.T) {
	hash := func(path string, queries ...string) uint64 {
		var p Params
		for _, q := range queries {
			p.Encoded(q)
		}
		return p.Hash(path, "apikey")
	}
	same := hash("/a", "x=1&y=2&apiKey=k")
	if got := hash("/a", "Y=2", "X=1"); got != same {
		t.Error("order, case and place change the hash")
	}
	for _, other := range []uint64{hash("/b", "x=1&y=2"), hash("/a", "x=1"), hash("/a", "x=1&y=3"), hash("/a", "x=12&y="), hash("/a", "x1=&y=2")} {
		if other == same {
			t.Error("another request has the same hash")
		}
	}
}

// An address has the values that replace parameters instead of these.
func TestParams_Query(t *testing.T) {
	var p Params
	p.Path("brandid", "1")
	p.Encoded("apiKey=k&Services=a,b&period=1+Day&limit=5&utm=%26")
	got := p.Query([]string{"apikey", "period"}, [2]string{"start_date", "2026-01-01 00:00:00"}, [2]string{"limit", "5,5"})
	if want := "Services=a%2Cb&utm=%26&start_date=2026-01-01+00%3A00%3A00&limit=5%2C5"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
}

// A group with rules that is embedded is a mistake of the program.
func TestNewPlan_EmbeddedRules(t *testing.T) {
	type Bad struct{ ruled }
	defer func() {
		if recover() == nil {
			t.Error("it compiled: its rules would be called twice")
		}
	}()
	NewPlan(reflect.TypeFor[Bad](), "/x", false)
}

// Any input binds to valid values or to one error of the contract.
func FuzzBind_AnyParameters(f *testing.F) {
	for _, s := range []string{"name=x", "a=1&a=2", "%zz=1&name=%", `{"name":"x"}`, "name=x&country=%00&services=,&segment=1", "&&=&==", "limit=99999999999999999999999,1"} {
		f.Add(s, true)
	}
	read, write := NewPlan(reflect.TypeFor[input](), "/:brandid", false), NewPlan(reflect.TypeFor[input](), "/:brandid", true)
	f.Fuzz(func(t *testing.T, s string, w bool) {
		var p Params
		if w {
			_ = p.JSON([]byte(s), "clear")
		}
		p.Encoded(s)
		plan := read
		if w {
			plan = write
		}
		in := new(input)
		warnings, fault := plan.Bind(in, &p)
		if fault != nil && (fault.Code != domain.MissingParameter && fault.Code != domain.InvalidParameter || fault.Message == "") {
			t.Fatalf("%q: %v", s, fault)
		}
		if fault == nil && (in.Name == "" || in.Segment != 0 || in.Country != "" && len(in.Country) != 2) {
			t.Fatalf("%q bound to %+v", s, in)
		}
		if len(p.given) > MaxParams+1 || len(warnings) > len(p.given) {
			t.Fatalf("%q: %d parameters, %d warnings", s, len(p.given), len(warnings))
		}
	})
}

package route

import (
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/julienschmidt/httprouter"
)

// Params are the parameters of a path, in its order.
type Params = httprouter.Params

// Route is a path and what its methods lead to. Parameters are written :name.
type Route[T any] struct {
	Path    string
	Methods map[string]T // by method; HEAD is answered by GET
}

// Allow is the methods of the route, as the header Allow has them.
func (r *Route[T]) Allow() string {
	var names []string
	for m := range r.Methods {
		names = append(names, m)
		if m == http.MethodGet {
			names = append(names, http.MethodHead)
		}
	}
	slices.Sort(names)
	return strings.Join(names, ", ")
}

// Method is what the method leads to.
func (r *Route[T]) Method(method string) (T, bool) {
	if method == http.MethodHead {
		method = http.MethodGet
	}
	t, ok := r.Methods[method]
	return t, ok
}

// Table is compiled routes.
type Table[T any] struct {
	tree   *httprouter.Router
	behind map[string][]variant[T] // by widened path
	routes []*Route[T]
	split  [][]string // of each route's path
}

// variant is one route behind a widened path.
type variant[T any] struct {
	want  []string // per parameter of the widened path: the literal to find there, "" for a true parameter
	name  []string // per parameter: its name in this route
	route *Route[T]
}

// any method: the tree is asked about paths alone.
const anyMethod = "*"

// Compile makes a table. A path given twice, or one that does not begin with a
// slash, is an error.
func Compile[T any](routes []*Route[T]) (*Table[T], error) {
	t := &Table[T]{tree: httprouter.New(), behind: map[string][]variant[T]{}, routes: routes}
	for _, r := range routes {
		if !strings.HasPrefix(r.Path, "/") {
			return nil, fmt.Errorf("route: path %q does not begin with a slash", r.Path)
		}
		t.split = append(t.split, strings.Split(r.Path[1:], "/"))
	}
	for i, segments := range widen(t.split) {
		v, path := variant[T]{route: routes[i]}, ""
		for d, own := range t.split[i] {
			if segments[d] != ":" {
				path += "/" + own
				continue
			}
			path += "/:" + strconv.Itoa(d)
			if name, param := strings.CutPrefix(own, ":"); param {
				v.want, v.name = append(v.want, ""), append(v.name, name)
			} else {
				v.want, v.name = append(v.want, own), append(v.name, "")
			}
		}
		for _, o := range t.behind[path] {
			if slices.Equal(o.want, v.want) {
				return nil, fmt.Errorf("route: %s and %s are the same path", o.route.Path, v.route.Path)
			}
		}
		t.behind[path] = append(t.behind[path], v)
	}
	for path, vs := range t.behind {
		slices.SortFunc(vs, func(a, b variant[T]) int { return slices.Compare(b.want, a.want) }) // "" last: literal first
		t.tree.Handle(anyMethod, path, t.keep(path))
	}
	return t, nil
}

// found carries a widened path out of the tree, which keeps functions only.
type found struct {
	http.ResponseWriter
	path string
}

func (t *Table[T]) keep(path string) httprouter.Handle {
	return func(w http.ResponseWriter, _ *http.Request, _ httprouter.Params) { w.(*found).path = path }
}

// Find is the route of a path in its right spelling, and the path's parameters.
func (t *Table[T]) Find(path string) (*Route[T], Params, bool) {
	if strings.Contains(path, "//") {
		return nil, nil, false // the tree would take an empty segment for a parameter
	}
	handle, ps, _ := t.tree.Lookup(anyMethod, path)
	if handle == nil {
		return nil, nil, false
	}
	var f found
	handle(&f, nil, nil)
	vs := t.behind[f.path]
	for i := range vs {
		if vs[i].matches(ps) {
			return vs[i].route, vs[i].rename(ps), true
		}
		if vs[i].folds(ps) {
			return nil, nil, false // a literal in another case, which wins over a parameter, too
		}
	}
	return nil, nil, false
}

// Fix is the right spelling of a path that has letters in another case, spare
// slashes, or both.
func (t *Table[T]) Fix(path string) (string, bool) {
	segments := strings.FieldsFunc(path, func(r rune) bool { return r == '/' })
	if len(segments) > 32 {
		return "", false
	}
	best := -1
	for i, own := range t.split {
		if fits(own, segments) && (best < 0 || moreLiteral(own, t.split[best])) {
			best = i
		}
	}
	if best < 0 {
		return "", false
	}
	for d := range segments {
		own := t.split[best][d]
		if !strings.HasPrefix(own, ":") {
			segments[d] = own
		}
	}
	return "/" + strings.Join(segments, "/"), true
}

func fits(own, segments []string) bool {
	if len(own) == 1 && own[0] == "" {
		return len(segments) == 0
	}
	if len(own) != len(segments) {
		return false
	}
	for d, s := range own {
		if !strings.HasPrefix(s, ":") && !strings.EqualFold(s, segments[d]) {
			return false
		}
	}
	return true
}

// moreLiteral reports that a has a literal at the first place where only one of
// the two has one.
func moreLiteral(a, b []string) bool {
	for d := range a {
		if x, y := strings.HasPrefix(a[d], ":"), strings.HasPrefix(b[d], ":"); x != y {
			return y
		}
	}
	return false
}

// widen gives each route's segments with ":" wherever some route has a parameter
// at that place.
func widen(split [][]string) [][]string {
	out := make([][]string, len(split))
	for i, s := range split {
		out[i] = slices.Clone(s)
	}
	for d, more := 0, true; more; d++ {
		more = false
		wild := map[string]bool{}
		for _, s := range out {
			if d < len(s) {
				more = true
				at := strings.Join(s[:d], "/")
				wild[at] = wild[at] || strings.HasPrefix(s[d], ":")
			}
		}
		for _, s := range out {
			if d < len(s) && wild[strings.Join(s[:d], "/")] {
				s[d] = ":"
			}
		}
	}
	return out
}

func (v *variant[T]) matches(ps Params) bool {
	for i, literal := range v.want {
		if literal != "" && literal != ps[i].Value {
			return false
		}
	}
	return true
}

// folds reports that the literals are there, in another case perhaps.
func (v *variant[T]) folds(ps Params) bool {
	for i, literal := range v.want {
		if literal != "" && !strings.EqualFold(literal, ps[i].Value) {
			return false
		}
	}
	return true
}

// rename keeps, in place, the true parameters under the route's own names.
func (v *variant[T]) rename(ps Params) Params {
	kept := ps[:0]
	for i, name := range v.name {
		if name != "" {
			kept = append(kept, httprouter.Param{Key: name, Value: ps[i].Value})
		}
	}
	return kept
}

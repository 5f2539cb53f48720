package bind

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
)

// Canon is the one form of a bound input: inputs that mean the same have the same,
// however they were spelled. in is what Bind has filled in. Parameters named in without,
// and those with the value that they have when they are absent, are left out; what the
// plan does not know is not in it.
func (p *Plan) Canon(in any, without ...string) string {
	v, out := reflect.ValueOf(in).Elem(), []string(nil)
	for _, q := range p.params {
		value, absent := v.FieldByIndex(q.index), p.zero.FieldByIndex(q.index)
		if slices.Contains(without, q.folded()) || reflect.DeepEqual(value.Interface(), absent.Interface()) {
			continue
		}
		if q.pointer {
			value = value.Elem()
		}
		verb := "%s=%v"
		if k := value.Kind(); k == reflect.String || k == reflect.Slice && value.Type().Elem().Kind() == reflect.String {
			verb = "%s=%q"
		}
		out = append(out, fmt.Sprintf(verb, q.folded(), value.Interface()))
	}
	slices.Sort(out)
	return strings.Join(out, "\n")
}

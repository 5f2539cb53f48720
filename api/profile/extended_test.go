package profile

import "testing"

// A patch is merged as the appendix of RFC 7396 has it, into a node.
func TestNodePatch_MergesByTheStandard(t *testing.T) {
	for _, c := range []struct{ node, patch, want string }{
		{`{"a":"b"}`, `{"a":"c"}`, `{"a":"c"}`},
		{`{"a":"b"}`, `{"b":"c"}`, `{"a":"b","b":"c"}`},
		{`{"a":"b"}`, `{"a":null}`, ``},
		{`{"a":"b","b":"c"}`, `{"a":null}`, `{"b":"c"}`},
		{`{"a":["b"]}`, `{"a":"c"}`, `{"a":"c"}`},
		{`{"a":"c"}`, `{"a":["b"]}`, `{"a":["b"]}`},
		{`{"a":{"b":"c"}}`, `{"a":{"b":"d","c":null}}`, `{"a":{"b":"d"}}`},
		{`{"a":[{"b":"c"}]}`, `{"a":[1]}`, `{"a":[1]}`},
		{`{"a":"foo"}`, `{"b":{"c":null,"d":{"e":null}}}`, `{"a":"foo","b":{"d":{}}}`},
		{`{"e":null}`, `{"a":1}`, `{"a":1,"e":null}`},
		{``, `{"a":{"bb":{"ccc":null}}}`, `{"a":{"bb":{}}}`},
		{`{"a":1}`, `{"a":{"b":[null,{"c":null}]}}`, `{"a":{"b":[null,{"c":null}]}}`},
		{`{"n":1.10}`, `{"m":9007199254740993}`, `{"m":9007199254740993,"n":1.10}`},
	} {
		got, err := nodePatch(c.patch).mergedInto(c.node)
		if err != nil || got != c.want {
			t.Errorf("%s into %s is %s, %v, want %s", c.patch, c.node, got, err, c.want)
		}
	}
}

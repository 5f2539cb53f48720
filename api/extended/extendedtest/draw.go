package extendedtest

import (
	"encoding/json"
	"strings"

	"pgregory.net/rapid"
)

// scalars are values in JSON, among them numbers that are equal and texts that look like numbers.
var scalars = []string{
	`0`, `-0`, `1`, `1.0`, `10`, `1e1`, `0.1e2`, `-1`, `-1.5`, `-15e-1`, `2.50`, `9007199254740993`, `9007199254740992`, `1e30`, `12e-7`,
	`"1"`, `"01"`, `""`, `"gold"`, `"Gold"`, `"gold plate"`, `"it's"`, `"a and b"`, `"x=y"`, `"zürich"`, `true`, `false`, `null`,
}

// fields are names of merged fields, two of which differ by case alone.
var fields = []string{"tier", "Tier", "age", "tags", "home", "list"}

// paths are paths into nodes, of which some lead nowhere.
var paths = []string{
	"tier", "TIER", "age", "tags", "home", "home.city", "Home.CITY", "list", "list.x", "list.x.y", "tier.x", "none", "none.x", "Extended.age",
	"extended.list.X",
}

// Merged is a random object as updates merge them.
func Merged(t *rapid.T) string {
	out := map[string]json.RawMessage{}
	for range rapid.IntRange(0, 4).Draw(t, "fields") {
		out[rapid.SampledFrom(fields).Draw(t, "field")] = json.RawMessage(value(t, 2))
	}
	b, err := json.Marshal(out)
	if err != nil {
		panic(err)
	}
	return string(b)
}

// value is a random value, nested at the most so deep.
func value(t *rapid.T, deep int) string {
	kind := rapid.IntRange(0, 4).Draw(t, "kind")
	if deep == 0 || kind < 3 {
		return rapid.SampledFrom(scalars).Draw(t, "scalar")
	}
	var parts []string
	for range rapid.IntRange(0, 3).Draw(t, "parts") {
		part := value(t, deep-1)
		if kind == 4 {
			name := rapid.SampledFrom([]string{"x", "X", "city", "y"}).Draw(t, "name")
			part = `"` + name + `":` + part
		}
		parts = append(parts, part)
	}
	if kind == 4 {
		return "{" + strings.Join(parts, ",") + "}"
	}
	return "[" + strings.Join(parts, ",") + "]"
}

// Path is a random path, of those given or into what is merged.
func Path(t *rapid.T, also ...string) string {
	return rapid.SampledFrom(append(also, paths...)).Draw(t, "path")
}

// Query is random conditions, their paths of those given or into what is merged, and the query that
// says them.
func Query(t *rapid.T, maxConditions int, also ...string) (all []Condition, spelled string) {
	var parts []string
	for range rapid.IntRange(1, maxConditions).Draw(t, "conditions") {
		c := Condition{
			Path: Path(t, also...), Op: rapid.SampledFrom([]string{"=", "!=", "<", "<=", ">", ">=", "~"}).Draw(t, "operator"),
			Value: rapid.SampledFrom(scalars).Draw(t, "value"),
		}
		if c.Value = strings.Trim(c.Value, `"`); rapid.IntRange(0, 5).Draw(t, "other value") == 0 {
			c.Value = rapid.SampledFrom([]string{"g", "0", "100", "-2", "a'b'", "M", "ada"}).Draw(t, "of these")
		}
		all = append(all, c)
		parts = append(parts, c.spelled(t))
	}
	and := rapid.SampledFrom([]string{" and ", " AND  ", "\tAnd "}).Draw(t, "and")
	return all, strings.Join(parts, and)
}

// spelled is the condition in one of its spellings.
func (c Condition) spelled(t *rapid.T) string {
	blank := func() string { return rapid.SampledFrom([]string{"", " ", "  "}).Draw(t, "blank") }
	value := c.Value
	if value == "" || strings.ContainsAny(value, "' =") || rapid.Bool().Draw(t, "quoted") {
		value = "'" + strings.ReplaceAll(value, "'", "''") + "'"
	}
	return blank() + c.Path + blank() + c.Op + blank() + value
}

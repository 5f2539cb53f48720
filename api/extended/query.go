package extended

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"
)

// MaxConditions is how many conditions a query can have.
const MaxConditions = 20

// Query is conditions that a node has to meet, every one.
type Query []Condition

// Condition is a condition on what a path leads to.
type Condition struct {
	Path  Path
	Op    string
	Value string

	number string // of a value that is a number: sortable
	folded string // of a search: in lower case
}

// maxQuery bounds a query that is a parameter, in characters.
const maxQuery = 4096

// ParseParam reads a query.
func (q *Query) ParseParam(s string) (err error) {
	if utf8.RuneCountInString(s) > maxQuery {
		return fmt.Errorf("must be at most %d characters long", maxQuery)
	}
	*q, err = Parse(s)
	return err
}

// String is the query in one of its spellings.
func (q Query) String() string {
	all := make([]string, len(q))
	for i, c := range q {
		all[i] = c.Path.String() + c.Op + "'" + strings.ReplaceAll(c.Value, "'", "''") + "'"
	}
	return strings.Join(all, " and ")
}

var (
	errCondition = errors.New("must be conditions PATH OPERATOR VALUE with and between them, an operator being one of = != < <= > >= ~")
	errValue     = errors.New("must have a value in each condition, in quotes '…' where it has an operator or the word and in it")
	errQuote     = errors.New("must close each quote, with nothing but and behind it; a quote within quotes is written twice")
	errMany      = fmt.Errorf("must have at most %d conditions", MaxConditions)
)

// Parse reads a query.
func Parse(s string) (Query, error) {
	var q Query
	for {
		var c Condition
		rest, more, err := c.parse(strings.TrimLeft(s, blanks))
		if err != nil {
			return nil, err
		}
		if q = append(q, c); len(q) > MaxConditions {
			return nil, errMany
		}
		if !more {
			return q, nil
		}
		s = rest
	}
}

// parse reads a condition, and gives what is after it and its and; more: there is one.
func (c *Condition) parse(s string) (rest string, more bool, err error) {
	at := strings.IndexAny(s, operators+blanks)
	if at < 0 {
		return "", false, errCondition
	}
	if c.Path, err = ParsePath(s[:at]); err != nil {
		return "", false, err
	}
	s = strings.TrimLeft(s[at:], blanks)
	if c.Op = operatorOf(s); c.Op == "" {
		return "", false, errCondition
	}
	s = strings.TrimLeft(s[len(c.Op):], blanks)
	if strings.HasPrefix(s, "'") {
		c.Value, rest, more, err = quoted(s)
	} else {
		c.Value, rest, more, err = bare(s)
	}
	c.number, _ = sortable(c.Value)
	c.folded = strings.ToLower(c.Value)
	return rest, more, err
}

// operatorOf is the operator that a text begins with; empty: none.
func operatorOf(s string) string {
	for _, op := range [...]string{"!=", "<=", ">=", "=", "<", ">", "~"} {
		if strings.HasPrefix(s, op) {
			return op
		}
	}
	return ""
}

// quoted reads a value in quotes.
func quoted(s string) (value, rest string, more bool, err error) {
	var b strings.Builder
	for i := 1; i < len(s); i++ {
		switch {
		case s[i] != '\'':
			b.WriteByte(s[i])
		case i+1 < len(s) && s[i+1] == '\'':
			b.WriteByte('\'')
			i++
		default:
			tail := s[i+1:]
			word, behind := nextWord(tail)
			switch {
			case word == "":
				return b.String(), "", false, nil
			case strings.ContainsAny(tail[:1], blanks) && strings.EqualFold(word, "and"):
				return b.String(), behind, true, nil
			}
			return "", "", false, errQuote
		}
	}
	return "", "", false, errQuote
}

// bare reads a value up to the next and, or to the end.
func bare(s string) (value, rest string, more bool, err error) {
	from := s
	for s != "" {
		word, behind := nextWord(s)
		if strings.EqualFold(word, "and") {
			value, rest, more = from[:len(from)-len(s)], behind, true
			break
		}
		if first := len(s) == len(from); word != "" &&
			(first && strings.ContainsAny(word[:1], operators) || !first && strings.ContainsAny(word, operators)) {
			return "", "", false, errValue
		}
		s = behind
	}
	if !more {
		value = from
	}
	if value = strings.Trim(value, blanks); value == "" {
		return "", "", false, errValue
	}
	return value, rest, more, nil
}

// nextWord is the first word of a text, and what is after it.
func nextWord(s string) (word, behind string) {
	s = strings.TrimLeft(s, blanks)
	at := strings.IndexAny(s, blanks)
	if at < 0 {
		return s, ""
	}
	return s[:at], s[at:]
}

// Match reports that a node meets every condition.
func (q Query) Match(n *Node) bool {
	for i := range q {
		if !q[i].Match(n) {
			return false
		}
	}
	return true
}

// Match reports that a node meets the condition.
func (c *Condition) Match(n *Node) bool { return c.Path.each(n, c.meets) }

// meets reports that one of the values that the path leads to does.
func (c *Condition) meets(v any) bool {
	text, ok := textOf(v)
	if !ok {
		return c.Op == "!="
	}
	if c.Op == "~" {
		return strings.Contains(strings.ToLower(text), c.folded)
	}
	order := strings.Compare(text, c.Value)
	if of, isNumber := v.(json.Number); isNumber && c.number != "" {
		if b, ok := sortable(of.String()); ok {
			order = strings.Compare(b, c.number)
		}
	}
	switch c.Op {
	case "=":
		return order == 0
	case "!=":
		return order != 0
	case "<":
		return order < 0
	case "<=":
		return order <= 0
	case ">":
		return order > 0
	}
	return order >= 0
}

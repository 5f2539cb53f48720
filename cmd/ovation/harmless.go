package main

import (
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// harmless is text as it is, if a terminal shows all of it and obeys none, else quoted.
func harmless(b []byte) string {
	s := string(b)
	if !utf8.ValidString(s) || strings.ContainsFunc(s, func(r rune) bool { return r != '\n' && !unicode.IsPrint(r) }) {
		return strconv.Quote(s)
	}
	return s
}

// harmlessWord is harmless of what stands within a line.
func harmlessWord(s string) string {
	if strings.Contains(s, "\n") {
		return strconv.Quote(s)
	}
	return harmless([]byte(s))
}

package main

import (
	_ "embed"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/alecthomas/kong"
)

// Completion prints what makes a shell complete command lines. A shell asks the hidden command complete for
// candidates, so that they are those of the program that is installed.
type Completion struct {
	Shell string `arg:"" enum:"bash,zsh,fish" help:"bash, zsh or fish."`
}

//go:embed shell/completion.bash
var completionBash string

//go:embed shell/completion.zsh
var completionZsh string

//go:embed shell/completion.fish
var completionFish string

// Run prints the script.
func (c *Completion) Run(w io.Writer) error {
	scripts := map[string]string{"bash": completionBash, "zsh": completionZsh, "fish": completionFish}
	_, err := io.WriteString(w, scripts[c.Shell])
	return err
}

// Complete prints candidates for the last of the words of a command line, each with a tab and what it is. Without
// any the shell offers files.
type Complete struct {
	Words []string `arg:"" optional:"" passthrough:""`
}

// Run prints them.
func (c *Complete) Run(ctx *kong.Context, w io.Writer) error {
	words := c.Words
	if len(words) > 0 && words[0] == "--" {
		words = words[1:]
	}
	for _, found := range candidates(ctx.Model.Node, words) {
		about, _, _ := strings.Cut(found.about, "\n")
		if _, err := fmt.Fprintf(w, "%s\t%s\n", found.word, about); err != nil {
			return err
		}
	}
	return nil
}

type candidate struct{ word, about string }

// candidates are what the last word may become, after the words before it.
func candidates(command *kong.Node, words []string) (found []candidate) {
	if len(words) == 0 {
		words = []string{""}
	}
	before, last := words[:len(words)-1], words[len(words)-1]
	var open *kong.Flag // its value comes next
	for _, word := range before {
		switch {
		case word == "=": // bash makes it a word of its own
		case open != nil:
			open = nil
		case strings.HasPrefix(word, "-"):
			open = valueFlag(command, word)
		default:
			if i := slices.IndexFunc(command.Children, func(n *kong.Node) bool { return n.Name == word }); i >= 0 {
				command = command.Children[i]
			}
		}
	}
	name, value, given := strings.Cut(last, "=")
	switch {
	case open != nil:
		found = values(open.Value, "")
		last = strings.TrimPrefix(last, "=")
	case strings.HasPrefix(last, "-") && given && value != "" || strings.HasSuffix(last, "=") && len(last) > 1:
		if flag := valueFlag(command, name); flag != nil {
			found = values(flag.Value, name+"=")
		}
	case strings.HasPrefix(last, "-"):
		for _, group := range command.AllFlags(true) {
			for _, flag := range group {
				found = append(found, candidate{"--" + flag.Name, flag.Help})
			}
		}
	default:
		for _, child := range command.Children {
			if !child.Hidden {
				found = append(found, candidate{child.Name, child.Help})
			}
		}
		for _, argument := range command.Positional {
			found = append(found, values(argument, "")...)
		}
	}
	return slices.DeleteFunc(found, func(c candidate) bool { return !strings.HasPrefix(c.word, last) })
}

// valueFlag is the flag that a word begins and that needs a value; nil: there is none.
func valueFlag(command *kong.Node, word string) *kong.Flag {
	if strings.Contains(word, "=") {
		return nil
	}
	for _, group := range command.AllFlags(false) {
		for _, flag := range group {
			if (word == "--"+flag.Name || flag.Short != 0 && word == "-"+string(flag.Short)) && !flag.IsBool() {
				return flag
			}
		}
	}
	return nil
}

// values are the words that a flag or argument may be, where they are few.
func values(v *kong.Value, prefix string) (found []candidate) {
	for _, word := range v.EnumSlice() {
		if word != "" {
			found = append(found, candidate{prefix + word, ""})
		}
	}
	return found
}

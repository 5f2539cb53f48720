package main

import (
	"fmt"
	"io"
	"os"
	"reflect"
	"slices"

	"github.com/alecthomas/kong"
	"github.com/goccy/go-yaml"

	"github.com/ovation-analytics/ovation/cmd/ovation/config"
)

// ConfigPrint prints the configuration.
type ConfigPrint struct {
	Config config.Config `embed:""`
	form
}

// setting is a value of the configuration, and where it is from.
type setting struct {
	Value  any    `json:"value"`
	Source string `json:"source"`
}

// Run prints every value under its flag's name, in the order of Config, as a file for --config.
func (c *ConfigPrint) Run(ctx *kong.Context, w io.Writer) error {
	if c.Output == "json" {
		values := map[string]setting{}
		for _, flag := range settingsOf(ctx) {
			values[flag.Name] = setting{plain(flag.Target), sourceOf(ctx, flag)}
		}
		return c.print(w, values, nil)
	}
	text, err := configText(ctx)
	if err != nil {
		return err
	}
	_, err = w.Write(text)
	return err
}

// configText is the configuration as a file for --config, with a comment on where each value is from. Values of hidden
// flags are left out.
func configText(ctx *kong.Context, hidden ...string) ([]byte, error) {
	var values yaml.MapSlice
	sources := yaml.CommentMap{}
	for _, flag := range settingsOf(ctx) {
		value := plain(flag.Target)
		if slices.Contains(hidden, flag.Name) && !flag.Target.IsZero() {
			value = "[left out]"
		}
		values = append(values, yaml.MapItem{Key: flag.Name, Value: value})
		comment := yaml.LineComment(" " + sourceOf(ctx, flag))
		if _, list := value.([]string); list { // the library breaks a list by a comment in its line
			comment = yaml.HeadComment(" " + sourceOf(ctx, flag))
		}
		sources["$."+flag.Name] = []*yaml.Comment{comment}
	}
	return yaml.MarshalWithOptions(values, yaml.Flow(false), yaml.WithComment(sources))
}

// settingsOf are the flags of the selected command that belong to the node's configuration.
func settingsOf(ctx *kong.Context) (flags []*kong.Flag) {
	for _, flag := range ctx.Selected().Flags {
		if flag.Group != nil && flag.Group.Key != outputGroup {
			flags = append(flags, flag)
		}
	}
	return flags
}

// outputGroup is the group of flags on what a command prints.
const outputGroup = "Output"

// sourceOf is where a flag's value is from.
func sourceOf(ctx *kong.Context, flag *kong.Flag) string {
	for _, path := range ctx.Path {
		if path.Flag != flag {
			continue
		}
		if file, ok := ctx.FlagValue(configFlag(ctx)).(config.File); ok && path.Resolved {
			return "file " + string(file)
		}
		return "flag"
	}
	for _, name := range flag.Tag.Envs {
		if _, set := os.LookupEnv(name); set {
			return "environment " + name
		}
	}
	return "default"
}

// configFlag is the flag --config.
func configFlag(ctx *kong.Context) *kong.Flag {
	for _, flag := range ctx.Model.Flags {
		if flag.Name == "config" {
			return flag
		}
	}
	return nil
}

// plain is a flag's value as YAML should show it.
func plain(v reflect.Value) any {
	if s, ok := v.Interface().(fmt.Stringer); ok {
		return s.String()
	}
	if v.Kind() == reflect.Slice && v.Len() == 0 {
		return []string{}
	}
	return v.Interface()
}

package main

import (
	"fmt"
	"io"
	"reflect"

	"github.com/alecthomas/kong"
	"github.com/goccy/go-yaml"

	"github.com/ovation-analytics/ovation/cmd/ovation/config"
)

// ConfigPrint prints the configuration.
type ConfigPrint struct {
	Config config.Config `embed:""`
}

// Run prints every value under its flag's name, in the order of Config.
func (*ConfigPrint) Run(ctx *kong.Context, w io.Writer) error {
	var values yaml.MapSlice
	for _, flag := range ctx.Selected().Flags {
		values = append(values, yaml.MapItem{Key: flag.Name, Value: plain(flag.Target)})
	}
	text, err := yaml.MarshalWithOptions(values, yaml.Flow(false))
	if err != nil {
		return err
	}
	_, err = w.Write(text)
	return err
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

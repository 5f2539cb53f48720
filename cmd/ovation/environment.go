package main

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"

	"github.com/alecthomas/kong"

	"github.com/ovation-analytics/ovation/cmd/ovation/config"
	"github.com/ovation-analytics/ovation/cmd/ovation/secrets"
)

const variablePrefix = "OVATION_"

// ofKubernetes are the variables that Kubernetes sets for a service named ovation, unless a pod declines them.
var ofKubernetes = regexp.MustCompile(`^OVATION_(SERVICE_HOST|SERVICE_PORT|PORT)(_|$)`)

// variables are the names of all variables of the environment that the program reads.
func variables(app *kong.Application) []string {
	names := map[string]bool{config.KafkaPassword: true, secrets.MasterKeys: true}
	_ = kong.Visit(app, func(node kong.Visitable, next kong.Next) error {
		if flag, ok := node.(*kong.Flag); ok {
			for _, name := range flag.Tag.Envs {
				names[name] = true
			}
		}
		return next(nil)
	})
	return slices.Sorted(maps.Keys(names))
}

// misspelt is a warning for each variable of the environment that looks like one of the program's, but is none.
// Values may be secrets, and are not shown.
func misspelt(app *kong.Application, environ []string) (warnings []string) {
	known := variables(app)
	for _, v := range environ {
		name, _, _ := strings.Cut(v, "=")
		if !strings.HasPrefix(name, variablePrefix) || slices.Contains(known, name) || ofKubernetes.MatchString(name) {
			continue
		}
		warning := fmt.Sprintf("warning: the environment has %s, which is no variable of this program", harmless([]byte(name)))
		if near := nearest(name, known); near != "" {
			warning += "; did you mean " + near + "?"
		}
		warnings = append(warnings, warning)
	}
	slices.Sort(warnings)
	return warnings
}

// nearest is the known name with the fewest edits from a name, if that is at most a third of it.
func nearest(name string, known []string) (near string) {
	name = strings.TrimPrefix(name, variablePrefix)
	best := max(1, len(name)/3) + 1
	for _, k := range known {
		if d := edits(name, strings.TrimPrefix(k, variablePrefix)); d < best {
			near, best = k, d
		}
	}
	return near
}

// edits is how many bytes are inserted, deleted or changed between two texts.
func edits(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			change := diagonal
			if a[i] != b[j] {
				change++
			}
			diagonal = row[j+1]
			row[j+1] = min(change, row[j]+1, diagonal+1)
		}
	}
	return row[len(b)]
}

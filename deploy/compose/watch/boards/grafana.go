package main

import (
	"encoding/json"
	"strings"
)

// board is a dashboard.
type board struct {
	title  string
	panels []panel
}

// panel is a graph.
type panel struct {
	title, unit string
	about       string // one sentence
	series      []series
	alert       string // whose threshold is a line; empty: none
	threshold   float64
}

// series is an expression, and what its lines are called. $i in it selects the instances.
type series struct{ expr, legend string }

// prometheus is the expression as Grafana has it.
func (s series) prometheus() string { return strings.ReplaceAll(s.expr, "$i", `instance=~"$instance"`) }

// file is the name of the dashboard's file.
func (b *board) file() string { return strings.ToLower(b.title) + ".json" }

// schema is the version of the JSON, of Grafana 12.
const schema = 41

// wide, high and columns are the grid: two panels a row.
const (
	wide    = 12
	high    = 8
	columns = 2
)

type object = map[string]any

// json is the dashboard as Grafana imports it.
func (b *board) json() ([]byte, error) {
	source := object{"type": "prometheus", "uid": "${datasource}"}
	panels := make([]object, 0, len(b.panels))
	for i, p := range b.panels {
		panels = append(panels, p.object(i, source))
	}
	text, err := json.MarshalIndent(object{
		"uid": "ovation-" + strings.ToLower(b.title), "title": "Ovation: " + b.title, "tags": []string{"ovation"},
		"schemaVersion": schema, "editable": true, "graphTooltip": 1, "refresh": "30s",
		"time":  object{"from": "now-1h", "to": "now"},
		"links": []object{{"type": "dashboards", "tags": []string{"ovation"}, "includeVars": true, "keepTime": true, "title": "Ovation"}},
		"templating": object{"list": []object{
			{"name": "datasource", "label": "Data source", "type": "datasource", "query": "prometheus"},
			{
				"name": "instance", "label": "Instance", "type": "query", "datasource": source,
				"query":   object{"query": "label_values(ovation_build_info, instance)", "refId": "instance"},
				"refresh": 2, "multi": true, "includeAll": true, "allValue": ".+",
				"current": object{"text": "All", "value": "$__all"},
			},
		}},
		"panels": panels,
	}, "", "  ")
	return append(text, '\n'), err
}

// object is the i-th panel of a dashboard.
func (p *panel) object(i int, source object) object {
	var targets []object
	for n, s := range p.series {
		targets = append(targets, object{
			"refId": string(rune('A' + n)), "datasource": source, "expr": s.prometheus(), "legendFormat": s.legend,
		})
	}
	defaults := object{"unit": p.unit, "min": 0}
	if p.alert != "" {
		defaults["custom"] = object{"thresholdsStyle": object{"mode": "line"}}
		defaults["thresholds"] = object{"mode": "absolute", "steps": []object{
			{"color": "transparent", "value": nil}, {"color": "red", "value": p.threshold},
		}}
	}
	return object{
		"id": i + 1, "type": "timeseries", "title": p.title, "description": p.description(), "datasource": source,
		"gridPos": object{"x": i % columns * wide, "y": i / columns * high, "w": wide, "h": high},
		"targets": targets, "fieldConfig": object{"defaults": defaults, "overrides": []object{}},
		"options": object{
			"legend":  object{"displayMode": "list", "placement": "bottom", "showLegend": true},
			"tooltip": object{"mode": "multi", "sort": "desc"},
		},
	}
}

// runbook is where the entries of alerts are.
const runbook = "https://github.com/ovation-analytics/ovation/blob/main/api/docs/guide/operate/runbook.md#"

func (p *panel) description() string {
	if p.alert == "" {
		return p.about
	}
	return p.about + " The line is the threshold of [" + p.alert + "](" + runbook + strings.ToLower(p.alert) + ")."
}

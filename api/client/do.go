package client

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"reflect"
	"strconv"
	"strings"

	"github.com/ovation-analytics/ovation/api/wire"
)

// Call is an operation with its parameters: a value such as GetBrand{BrandID: 1}, which Do answers
// with an Out.
type Call[Out any] interface{ call() route[Out] }

// route is how an operation is asked.
type route[Out any] struct {
	method, path string
	one          bool // the answer is the only element of an array
}

// Do asks an operation. A 304 leaves the answer zero.
func Do[Out any](ctx context.Context, c *Client, q Call[Out]) (out Out, meta Meta, err error) {
	r := q.call()
	path, query, body, err := asked(r.method, r.path, q)
	if err != nil {
		return out, Meta{}, err
	}
	if !r.one {
		meta, err = c.do(ctx, r.method, path, query, body, &out)
		return out, meta, err
	}
	var all []Out
	meta, err = c.do(ctx, r.method, path, query, body, &all)
	switch {
	case err != nil || meta.Status == http.StatusNotModified:
		return out, meta, err
	case len(all) != 1:
		return out, meta, fmt.Errorf("client: %s answered %d objects, not one", path, len(all))
	}
	return all[0], meta, nil
}

// asked is what a call sends: its path, and its parameters in the query or as the body.
func asked(method, path string, q any) (string, Params, *payload, error) {
	p, records := given(q)
	for part := range strings.SplitSeq(path, "/") {
		if name, ok := strings.CutPrefix(part, ":"); ok {
			path = strings.Replace(path, part, p[name], 1)
			delete(p, name)
		}
	}
	switch {
	case records.IsValid():
		body, err := lines(records)
		return path, p, body, err
	case method == http.MethodPost:
		return path, nil, form(p), nil
	}
	return path, p, nil, nil
}

// given are the parameters of a call, and its records.
func given(q any) (p Params, records reflect.Value) {
	p = Params{}
	v := reflect.ValueOf(q)
	for f, value := range v.Fields() {
		switch name := f.Tag.Get("name"); {
		case name != "" && !value.IsZero():
			p[name] = text(reflect.Indirect(value))
		case f.Name == "Records":
			records = value
		}
	}
	maps.Copy(p, v.FieldByName("More").Interface().(Params))
	return p, records
}

// text is a parameter's value as it is sent.
func text(v reflect.Value) string {
	switch {
	case v.Kind() == reflect.Bool:
		return wire.Flag(v.Bool())
	case v.CanUint():
		return strconv.FormatUint(v.Uint(), 10)
	case v.CanInt():
		return strconv.FormatInt(v.Int(), 10)
	}
	return v.String()
}

// lines are records as packed lines of JSON.
func lines(records reflect.Value) (*payload, error) {
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	lines := json.NewEncoder(z)
	for _, record := range records.Seq2() {
		p, _ := given(record.Interface())
		if err := lines.Encode(p); err != nil {
			return nil, err
		}
	}
	if err := z.Close(); err != nil {
		return nil, err
	}
	return &payload{kind: "application/x-ndjson", packed: "gzip", bytes: b.Bytes()}, nil
}

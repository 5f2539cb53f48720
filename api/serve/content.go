package serve

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"io"
	"mime"
	"net/http"
	"slices"
	"strings"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/api/bind"
)

var (
	errBodyType   = domain.Fail(domain.UnsupportedMedia, "the body must be application/json or application/x-www-form-urlencoded")
	errBodyCoding = domain.Fail(domain.UnsupportedMedia, "the body must come without a Content-Encoding")
)

// readParameters adds the parameters of a body; objects are those whose value may be a JSON object.
func readParameters(h http.Header, b []byte, params *bind.Params, objects []string) error {
	if len(b) == 0 {
		return nil
	}
	if coding := h.Get("Content-Encoding"); coding != "" && !strings.EqualFold(coding, "identity") {
		return errBodyCoding
	}
	kind, _, err := mime.ParseMediaType(h.Get("Content-Type"))
	if err != nil {
		return errBodyType
	}
	switch kind {
	case "application/x-www-form-urlencoded":
		params.Form(string(b))
	case "application/json":
		if err := params.JSON(b, objects...); err != nil {
			return domain.Fail(domain.InvalidParameter, err.Error())
		}
	default:
		return errBodyType
	}
	return nil
}

// The bounds of a body of many records.
const (
	MaxRecords     = 2000
	MaxRecordsBody = 2 << 20 // packed, and unpacked
)

// jsonBlanks are what may be around a JSON text: fewer than Unicode has.
const jsonBlanks = " \t\r\n"

// manyKinds are the media types of a body of many; which of both forms it has, its
// first byte shows.
var manyKinds = []string{"application/json", "application/x-ndjson", "application/ndjson", "application/jsonl"}

var (
	errManySize     = domain.Fail(domain.TooLarge, "the body is over 2 MiB, packed or unpacked")
	errManyRecords  = domain.Fail(domain.TooLarge, "the body has more than 2000 records")
	errManyType     = domain.Fail(domain.UnsupportedMedia, "the body must be application/x-ndjson or application/json, as it is or with gzip")
	errManyUnpacked = domain.Fail(domain.InvalidParameter, "the body is no gzip")
	errManyArray    = domain.Fail(domain.InvalidParameter, "the body must be lines of JSON objects, or one JSON array of them")
)

// readRecords is the records of a body of many.
func readRecords(h http.Header, b []byte) ([][]byte, error) {
	if len(b) == 0 {
		return nil, nil
	}
	kind, _, err := mime.ParseMediaType(h.Get("Content-Type"))
	if err != nil || !slices.Contains(manyKinds, kind) {
		return nil, errManyType
	}
	switch strings.ToLower(h.Get("Content-Encoding")) {
	case "", "identity":
	case "gzip", "x-gzip":
		if b, err = unpacked(b); err != nil {
			return nil, err
		}
	default:
		return nil, errManyType
	}
	return split(b)
}

// unpacked is what a gzip holds, up to the bound of a body: more is not even read.
func unpacked(b []byte) ([]byte, error) {
	z, err := gzip.NewReader(bytes.NewReader(b))
	if err != nil {
		return nil, errManyUnpacked
	}
	out, err := io.ReadAll(io.LimitReader(z, MaxRecordsBody+1))
	switch {
	case len(out) > MaxRecordsBody:
		return nil, errManySize
	case err != nil:
		return nil, errManyUnpacked
	}
	return out, nil
}

// split gives the records of a body: the elements of an array, or the lines that are
// not blank. Whether one is good is judged later and alone; only an array has to be
// JSON as a whole.
func split(body []byte) ([][]byte, error) {
	if body = bytes.Trim(body, jsonBlanks); len(body) > 0 && body[0] == '[' {
		return elements(body)
	}
	var out [][]byte
	for line := range bytes.SplitSeq(body, []byte{'\n'}) {
		if line = bytes.Trim(line, jsonBlanks); len(line) == 0 {
			continue
		}
		if len(out) == MaxRecords {
			return nil, errManyRecords
		}
		out = append(out, line)
	}
	return out, nil
}

// elements are the elements of a JSON array.
func elements(body []byte) ([][]byte, error) {
	dec := json.NewDecoder(bytes.NewReader(body))
	if _, err := dec.Token(); err != nil {
		return nil, errManyArray
	}
	var out [][]byte
	for dec.More() {
		var raw json.RawMessage
		if err := dec.Decode(&raw); err != nil {
			return nil, errManyArray
		}
		if len(out) == MaxRecords {
			return nil, errManyRecords
		}
		out = append(out, raw)
	}
	if _, err := dec.Token(); err != nil {
		return nil, errManyArray
	}
	if _, err := dec.Token(); err != io.EOF {
		return nil, errManyArray
	}
	return out, nil
}

package client

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"

	"github.com/ovation-analytics/ovation/api/wire"
)

// maxLine bounds a line of an answer of lines.
const maxLine = 1 << 20

// ErrIncomplete says that an export ended without its last line: something is missing.
var ErrIncomplete = errors.New("client: the export is not complete")

// Export has each line of an export of a member passed to f as it arrives, without its line end and
// good until f returns; kind is its type (wire.MemberLine and so on). The error of f ends it.
// The export is whole only where the error is nil: it is ErrIncomplete where the last line is missing.
// The client's time limit is of the whole answer: Over gives one without.
func (c *Client) Export(
	ctx context.Context, q ExportMember, f func(kind string, line []byte) error,
) (end wire.ExportEnd, meta Meta, err error) {
	r := q.stream()
	path, query, _, err := asked(r.method, r.path, q)
	if err != nil {
		return end, meta, err
	}
	a, meta, err := c.open(ctx, path, query)
	if err != nil {
		return end, meta, err
	}
	defer a.close()
	lines := bufio.NewScanner(a.stream)
	lines.Buffer(make([]byte, 64<<10), maxLine)
	for lines.Scan() {
		var line struct {
			Type string `json:"type"`
		}
		if err := json.Unmarshal(lines.Bytes(), &line); err != nil {
			if lines.Err() != nil {
				break // the read failed within the line: its error is the reason
			}
			return end, meta, fmt.Errorf("client: answer of %s: %w", path, err)
		}
		if line.Type == wire.EndLine {
			if err := json.Unmarshal(lines.Bytes(), &end); err != nil {
				return end, meta, fmt.Errorf("client: answer of %s: %w", path, err)
			}
		}
		if err := f(line.Type, lines.Bytes()); err != nil {
			return end, meta, err
		}
	}
	switch err := lines.Err(); {
	case errors.Is(err, io.ErrUnexpectedEOF):
		return end, meta, ErrIncomplete
	case err != nil:
		return end, meta, err
	case end.Type == "":
		return end, meta, ErrIncomplete
	}
	return end, meta, nil
}

// open asks a path whose answer is read as it arrives. The next address is asked only before the first byte.
func (c *Client) open(ctx context.Context, path string, query Params) (*answer, Meta, error) {
	q := c.inquiry(http.MethodGet, path, query, nil)
	q.stream = true
	a, err := c.ask(ctx, q)
	if err != nil {
		return nil, Meta{}, err
	}
	meta := metaOf(a.res)
	if a.stream == nil {
		a.close()
		return nil, meta, failure(a.res, meta, a.body)
	}
	return a, meta, nil
}

package serve

import (
	"log/slog"
	"net/http"
	"time"
)

// logAccess writes the line of an answered request. It has the pattern of the path and never the
// path, which may name a member; no parameter, header, body or address.
func logAccess(to *slog.Logger, x *exchange, took time.Duration) {
	attrs := make([]slog.Attr, 0, 8)
	attrs = append(attrs,
		slog.String("method", knownMethod(x.r.Method)),
		slog.String("route", x.reply.route),
		slog.Int("status", x.reply.status),
		slog.Int("bytes", x.reply.bytes),
		slog.Float64("tookMs", float64(took.Microseconds())/1000),
		slog.String("request", x.random.String()),
	)
	if id := x.spans.request.Trace(); id != "" {
		attrs = append(attrs, slog.String("trace", id))
	}
	if app := x.req.Caller.App; app != nil {
		attrs = append(attrs, slog.Uint64("application", uint64(app.ID)))
	}
	to.LogAttrs(x.r.Context(), slog.LevelInfo, "request", attrs...)
}

// knownMethod is a method that HTTP defines; of another one, which may be any text, only that it is.
func knownMethod(method string) string {
	switch method {
	case http.MethodGet, http.MethodHead, http.MethodPost, http.MethodPut, http.MethodPatch,
		http.MethodDelete, http.MethodConnect, http.MethodOptions, http.MethodTrace:
		return method
	}
	return "other"
}

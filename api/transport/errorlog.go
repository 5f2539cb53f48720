package transport

import (
	"log"
	"log/slog"
	"regexp"
	"strings"
)

// addresses are hosts with a port, as net/http names clients in what it logs.
var addresses = regexp.MustCompile(`(\d{1,3}(\.\d{1,3}){3}|\[[0-9A-Fa-f:.]+(%[^\]]*)?\]):\d+`)

// anonymous logs what net/http reports, without addresses of clients.
type anonymous struct{ log *slog.Logger }

// Write logs one report. Of a panic it keeps that there was one: its value may quote a
// request.
func (a anonymous) Write(report []byte) (int, error) {
	text, _, _ := strings.Cut(string(report), "\n")
	if strings.Contains(text, "panic serving") {
		text = "http: a handler panicked"
	}
	a.log.Warn("connection", "report", addresses.ReplaceAllString(text, "client"))
	return len(report), nil
}

// errorLog is a log for net/http.
func errorLog(to *slog.Logger) *log.Logger {
	if to == nil {
		to = slog.New(slog.DiscardHandler)
	}
	return log.New(anonymous{to}, "", 0)
}

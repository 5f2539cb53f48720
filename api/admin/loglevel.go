package admin

import (
	"log/slog"
	"net/http"
	"strings"

	"github.com/ovation-analytics/ovation/actors/domain"
)

// LogLevel is from which level on the node logs: debug, info, warn or error.
type LogLevel struct {
	Level string `json:"level"`
}

var logLevels = map[string]slog.Level{"debug": slog.LevelDebug, "info": slog.LevelInfo, "warn": slog.LevelWarn, "error": slog.LevelError}

func (p *port) showLogLevel(*http.Request) (any, error) {
	if p.level == nil {
		return nil, domain.Fail(domain.NotFound, "the level of this node's log cannot be changed")
	}
	return LogLevel{strings.ToLower(p.level.Level().String())}, nil
}

// setLogLevel holds until the process ends.
func (p *port) setLogLevel(r *http.Request) (any, error) {
	var in LogLevel
	if err := readJSON(r, &in); err != nil {
		return nil, err
	}
	level, ok := logLevels[in.Level]
	if !ok {
		return nil, domain.Bad(domain.InvalidParameter, "level", "the level is debug, info, warn or error")
	}
	if p.level != nil {
		p.log.Warn("the level of the log is changed", "from", p.level.Level().String(), "to", level.String())
		p.level.Set(level)
	}
	return p.showLogLevel(r)
}

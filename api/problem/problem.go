package problem

import (
	"errors"
	"net/http"

	"github.com/ovation-analytics/ovation/actors/domain"
)

// ContentType of every problem.
const ContentType = "application/problem+json"

// Problem is the body of an error.
type Problem struct {
	Type      string `json:"type"`
	Title     string `json:"title"`
	Status    int    `json:"status"`
	Detail    string `json:"detail"`
	Parameter string `json:"parameter,omitempty"` // the parameter at fault, if one is
	Request   string `json:"request_id,omitempty"`
	Error     Legacy `json:"error"`
}

// Legacy is the object older clients look for.
type Legacy struct {
	Code    int    `json:"code"`
	Message string `json:"message"`
}

// kind is what a code stands for.
type kind struct {
	slug   string
	status int
	title  string
}

var kinds = [...]kind{
	domain.OK:               {"internal", http.StatusInternalServerError, "Internal error"}, // an error without a code is a bug
	domain.MissingKey:       {"missing-key", http.StatusUnauthorized, "Missing key"},
	domain.InvalidKey:       {"invalid-key", http.StatusUnauthorized, "Invalid key"},
	domain.MissingParameter: {"missing-parameter", http.StatusBadRequest, "Missing parameter"},
	domain.InvalidParameter: {"invalid-parameter", http.StatusBadRequest, "Invalid parameter"},
	domain.NotFound:         {"not-found", http.StatusNotFound, "Not found"},
	domain.MethodNotAllowed: {"method-not-allowed", http.StatusMethodNotAllowed, "Method not allowed"},
	domain.Conflict:         {"conflict", http.StatusConflict, "Conflict"},
	domain.RateLimited:      {"rate-limited", http.StatusTooManyRequests, "Rate limited"},
	domain.PlanRequired:     {"plan-required", http.StatusForbidden, "Plan required"},
	domain.Internal:         {"internal", http.StatusInternalServerError, "Internal error"},
	domain.Unavailable:      {"unavailable", http.StatusServiceUnavailable, "Unavailable"},
	domain.PlanLimit:        {"plan-limit", http.StatusForbidden, "Plan limit"},
	domain.NoAccount:        {"no-account", http.StatusNotFound, "No account"},
	domain.TooLarge:         {"too-large", http.StatusRequestEntityTooLarge, "Too large"},
	domain.WrongApplication: {"wrong-application", http.StatusForbidden, "Wrong application"},
	domain.Gone:             {"gone", http.StatusGone, "Gone"},
	domain.UnsupportedMedia: {"unsupported-media", http.StatusUnsupportedMediaType, "Unsupported media type"},
	domain.WrongPassword:    {"wrong-password", http.StatusUnauthorized, "Wrong password"},
	domain.Locked:           {"locked", http.StatusTooManyRequests, "Locked"},
}

// Codes are all codes of the contract, ascending.
func Codes() []domain.Code {
	codes := make([]domain.Code, 0, len(kinds)-1)
	for c := range kinds[1:] {
		codes = append(codes, domain.Code(c+1))
	}
	return codes
}

// Status is the status a code is answered with.
func Status(code domain.Code) int { return kindOf(code).status }

// Slug is the code's word in type.
func Slug(code domain.Code) string { return kindOf(code).slug }

func kindOf(code domain.Code) kind {
	if int(code) >= len(kinds) {
		code = domain.Internal
	}
	return kinds[code]
}

// Of is the problem that err is shown as. An error that is no domain.Error shows
// nothing of itself.
func Of(err error) *Problem {
	code, detail, parameter := domain.Internal, "", ""
	if e, ok := errors.AsType[*domain.Error](err); ok && e.Code != domain.OK {
		code, parameter = e.Code, e.Parameter
		if code != domain.Internal {
			detail = e.Message
		}
	}
	k := kindOf(code)
	if k.slug == "internal" {
		code = domain.Internal
	}
	if detail == "" {
		detail = k.title
		if code == domain.Internal {
			detail = "something went wrong here; the request id finds it in the log"
		}
	}
	return &Problem{
		Type: "/errors/" + k.slug, Title: k.title, Status: k.status, Detail: detail, Parameter: parameter,
		Error: Legacy{Code: int(code), Message: detail},
	}
}

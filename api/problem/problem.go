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

// kind is the slug, status, title and cause of a code.
type kind struct {
	slug   string
	status int
	title  string
	when   string
}

var kinds = [...]kind{
	domain.OK:               {"internal", http.StatusInternalServerError, "Internal error", ""}, // an error without a code is a bug
	domain.MissingKey:       {"missing-key", http.StatusUnauthorized, "Missing key", "there is no apiKey"},
	domain.InvalidKey:       {"invalid-key", http.StatusUnauthorized, "Invalid key", "the key is unknown or revoked"},
	domain.MissingParameter: {"missing-parameter", http.StatusBadRequest, "Missing parameter", "a required parameter is absent, or the one that another requires"},
	domain.InvalidParameter: {"invalid-parameter", http.StatusBadRequest, "Invalid parameter", "a value is malformed, or parameters do not go together"},
	domain.NotFound:         {"not-found", http.StatusNotFound, "Not found", "there is no such member, brand, segment, activity, action or path"},
	domain.MethodNotAllowed: {"method-not-allowed", http.StatusMethodNotAllowed, "Method not allowed", "the path does not take the method; Allow names those that it takes"},
	domain.Conflict:         {"conflict", http.StatusConflict, "Conflict", "an identity or a slug is taken, or an Idempotency-Key or a marker was used for something else"},
	domain.RateLimited:      {"rate-limited", http.StatusTooManyRequests, "Rate limited", "too many requests; Retry-After says when to go on"},
	domain.PlanRequired:     {"plan-required", http.StatusForbidden, "Plan required", "an advanced operation, and a plan without it"},
	domain.Internal:         {"internal", http.StatusInternalServerError, "Internal error", "a defect of the service; request_id finds it in the log"},
	domain.Unavailable:      {"unavailable", http.StatusServiceUnavailable, "Unavailable", "not now, or not within the time given; Retry-After says when to repeat"},
	domain.PlanLimit:        {"plan-limit", http.StatusForbidden, "Plan limit", "a quota is used up, a chain of merges would be longer than 8, or the question would read more rows than this installation reads for one"},
	domain.NoAccount:        {"no-account", http.StatusNotFound, "No account", "nobody has the identity of a login"},
	domain.TooLarge:         {"too-large", http.StatusRequestEntityTooLarge, "Too large", "the body or the header is over the limit"},
	domain.WrongApplication: {"wrong-application", http.StatusForbidden, "Wrong application", "the key is not made for this operation or member"},
	domain.Gone:             {"gone", http.StatusGone, "Gone", "the member was merged into another, which Location names, or erased"},
	domain.UnsupportedMedia: {"unsupported-media", http.StatusUnsupportedMediaType, "Unsupported media type", "the body is of another type"},
	domain.WrongPassword:    {"wrong-password", http.StatusUnauthorized, "Wrong password", "the password of a login, or the access token that a merge needs, is wrong"},
	domain.Locked:           {"locked", http.StatusTooManyRequests, "Locked", "too many wrong passwords; Retry-After says when one is looked at again"},
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

// When describes what a code is answered to.
func When(code domain.Code) string { return kindOf(code).when }

// Title is the code's name.
func Title(code domain.Code) string { return kindOf(code).title }

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
	title := k.title
	if code == domain.WrongPassword && parameter == domain.ErrMergeDenied.Parameter {
		title = "Wrong access token"
	}
	return &Problem{
		Type: "/errors/" + k.slug, Title: title, Status: k.status, Detail: detail, Parameter: parameter,
		Error: Legacy{Code: int(code), Message: detail},
	}
}

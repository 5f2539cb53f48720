// Package problem is how an error leaves the API: as application/problem+json
// (RFC 9457) that also holds the object older clients look for.
//
//	{ "type": "/errors/missing-parameter", "title": "Missing parameter", "status": 400,
//	  "detail": "service is required", "parameter": "service",
//	  "error": { "code": 3, "message": "service is required" } }
//
// A code of the contract decides status, slug and title: the table is here and
// nowhere else. A problem shows the public message of a domain.Error and never its
// cause.
package problem

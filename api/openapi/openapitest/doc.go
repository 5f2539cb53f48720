// Package openapitest holds the answers of tests against the OpenAPI document: status, media
// type, headers and every value of the body, by kin-openapi, which did not make the document.
//
// A Checker is made once and may be called by any goroutine.
package openapitest

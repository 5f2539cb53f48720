// Package schema is what protoc-gen-go makes of the schema: every structure that the log and
// the store keep. Only package codec uses it.
package schema

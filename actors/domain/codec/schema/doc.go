// Package schema is the code that protoc-gen-go makes of member.proto. Tests of package
// codec hold the codec against it; nothing else uses it.
package schema

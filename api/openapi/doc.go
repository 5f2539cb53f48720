// Package openapi describes the table of operations as an OpenAPI 3.1 document: input.go
// what is sent, from the input structs; shape.go what is answered, from the shapes of package
// wire; texts.go what holds for all operations and what summaries leave out; fields.tsv what
// each field holds; examples/ an answer each. A document is made once and does not change.
package openapi

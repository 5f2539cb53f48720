// Package bind reads the parameters of a request into the input of an operation.
//
// An input is a struct: its fields are the parameters, structs in it are shared
// groups, tags are the rules. The same struct describes the operation in
// /openapi.json, so what is documented is what is read.
//
//	type input struct {
//		Filter
//		Keyword string      `name:"keyword" doc:"part of the name, any case" eg:"moon"`
//		Sort    string      `name:"sort" enum:"ASC,DESC" default:"ASC"`
//		Value   *int64      `name:"value" max:"65535"`
//	}
//
//	tag       means
//	name      the parameter's name; matched in any case
//	required  absent or empty is error 3
//	enum      words, matched in any case, bound in this spelling
//	default   bound when absent
//	not       services that are not taken
//	min, max  of an integer; min of a text for the document; max of a text: its length (255 without it), in characters, from
//	          64 KiB on in bytes
//	later     the contract has it, this version not yet: when used it is ignored, with
//	          a warning
//	exact     of a text: it is bound as it is given, as a password or a token; any other is composed (package composed)
//	doc, eg   for the document; eg is an example that is served
//
// A field of a type T is its zero value (or the default) when absent. A *T is nil
// when absent; in a write an empty value clears: the pointer is to a zero T. In a
// read an empty value is an absent one. Booleans are 1 or true, 0 or false, in any case.
//
// A parameter that the plan does not have is ignored with a warning, which names the nearest
// one; where the request is strict it is error 4.
//
// Errors come in the contract's order: what is missing (3) before what is
// malformed (4), by the order of the struct's fields and of the request.
// Parameters are read from untrusted bytes: their number, the length of each and
// the length of a list are bounded. A Plan is read only: any goroutine may use it.
package bind

// Package pages holds the documents that a node gives without a key: what describes the interface, what
// describes an error, the keys that member tokens are checked with, and the pictures of members without one.
//
//	/openapi.json            Config.Document by the base address that the client reaches the node under
//	/.well-known/jwks.json   Config.Keys, as of now
//	/errors/:slug            what an error means: JSON, or HTML for a browser
//	/docs, /docs/:file       Config.Files
//	/avatar/:memberid.svg    drawn from the number (package avatar)
//	/, /brand/:id, …, /web/… the console (package console), of Config.Files; not in the document of the API
//
// All lists them. A Document that does not change is made once, and so is each of its compressed forms. A picture is
// drawn for each request: it is small. It says nothing of a member, which anyone could ask for: not that there is
// one, or was, nor which one it is merged into.
//
// Any goroutine may call a Set. Package serve calls it, and writes what it gives.
package pages

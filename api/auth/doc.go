// Package auth decides on whose behalf a request is made, what the caller may do, and which pages may read the answer.
//
//	Credentials   what the headers and the parameters name the caller by
//	Caller        the key, its application and the member of a Bearer, verified
//	Access        who beside the holder of an application's key an operation is for
//	AllowOrigin   what a web page of another origin may read; AllowListed, of a document; Preflight, what it may ask
//
// A key comes as X-API-Key, as a Bearer that begins as keys do, or as the parameter apiKey. All that a
// request gives must be the same text. A Bearer of any other form is a member's token, which needs a key beside
// it and is verified with the key, also where the operation takes none: a forged or expired one is always an
// invalid key. RefuseNamed and Caller.Own refuse a member that is not the token's.
//
// A key that is revoked, whose application is gone or is of another account, is unknown. No error tells which. No
// error quotes a key or a token.
//
// A page may read an answer if its origin is of a domain on the allowlist of the key's application. A request ahead
// of a page's own (preflight) has no body: without a key in its query the allowlists of all applications decide,
// which grants nothing but that the page's own request is sent. No answer depends on cookies or other credentials
// of a browser, and none allows them.
//
// The package knows no connection, no clock and no engine: headers are maps under canonical names, time is a value,
// the catalog is a port. Credentials and a Caller belong to the goroutine of their request; package serve asks.
package auth

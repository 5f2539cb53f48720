// Package docs is /docs: the document of the API as a page, by swagger-ui, whose files are in
// vendor as the npm package swagger-ui-dist 5.35.0 has them, with their licences.
//
// The page asks no other host: what it needs it has from this server, and its policy forbids
// anything else. It keeps no key: what is typed into it is gone with the page. The package
// holds files; serve.Server serves them.
package docs

// Package docs is /docs: the guides, which are the Markdown files below guide, and the document of the API as a
// page. A guide is served as /docs/NAME, in a folder as /docs/FOLDER-NAME; its links are relative in the file, so
// that the guides are read in the repository as well. The browser searches them, in /docs/guides.json. Their picture,
// overview.svg, is drawn by deploy/picture.
//
// The page of the document is by swagger-ui, whose files are in
// vendor as the npm package swagger-ui-dist 5.35.0 has them, with their licences.
//
// Each operation can be tried: the page begins with the parameters of openapi.PageDocument.
//
// The page asks no other host: what it needs it has from this server, and its policy forbids
// anything else. It keeps no key: what is typed into it is gone with the page. The package
// holds files; a pages.Set gives them.
//
// A demo prints the address of its page with its key in the fragment (/docs#key=…). A browser sends a fragment to no
// server, and the page takes it out of the address before it loads anything. No answer of a node has a key: a page that has the node's
// address under its own name (DNS rebinding), another user of the machine and a proxy find none. Only the page of a
// demo looks at the fragment: at any other node a link could have its reader work with the key of its author.
package docs

// Package console makes what the console has of others, in api/console/web/vendor, from npm packages that package-lock.json pins by
// their hashes:
//
//	npm ci && npm run vendor
//
// Its test makes the files again and compares them, where npm reaches its packages. Tests of pages take axe-core from there, too.
package console

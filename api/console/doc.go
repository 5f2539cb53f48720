// Package console is what people look at: the pages of an account's audience, as files that a pages.Set serves.
//
//	web/index.html   every page: app.js reads from the address which one is shown
//	web/lib          no element of a page: questions, session, place, words
//	web/charts       numbers to SVG
//	web/ui           card, table, feed, list, small pieces
//	web/pages        a file a page; those that most readers never open are loaded when they are opened
//	web/vendor       made by deploy/console of pinned packages, with their licences
//
// The files are ES modules as they are written: nothing builds them. They ask this server alone, and their policy forbids
// anything else. Every number is an answer of the API under /console/v1.1, asked with the reader's session. Text of members and
// brands is text, never markup; a picture of another host is not loaded.
//
// The page is one document for all addresses. Page, range and filters are in the address, so that a link shows what its sender
// saw. Days are those of UTC, as the API counts them.
package console

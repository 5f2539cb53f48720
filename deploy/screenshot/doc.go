// Command screenshot takes README's picture of the console: it builds the program, runs a demo with the usual audience in a new
// directory, signs in by the demo's link, and takes what Chromium shows of the best known brand's year.
//
//	go run ./deploy/screenshot > api/docs/console.png
//
// The audience is that of seed 1, so the picture changes with the pages, with the date, and with which of the fans are up. It is
// committed. It needs Chromium.
package main

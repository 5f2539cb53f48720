// Package composed gives texts one form: the composed one of Unicode (normalization form C). A name that was typed, one that
// a Mac's file has and one that a program wrote look alike, and may differ in their bytes: "ö" is one character, or "o" and a
// diaeresis. Whatever comes into the installation is composed: names and identities over HTTP, of published records and of
// imported files, keywords, and the texts of contents. What is compared is the same then.
//
// The form of characters that are assigned never changes (Unicode's stability policy): hashes of identities are made of it.
// Addresses, passwords, tokens and ids of records stay as they are given.
//
// Everything is pure, and for any goroutine.
package composed

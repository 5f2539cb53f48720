// Package composed has texts in one form: normalization form C of Unicode, which is called composed here. Texts that look alike
// may differ in their bytes: "ö" is one character, or "o" and a diaeresis, as in names of files of macOS. What comes into the
// installation is composed: parameters over HTTP, identities, markers and contents of records, values of imported
// files. Then equal bytes are equal texts. Contents and other JSON values are composed by package jsonvalue.
//
// The form of assigned characters never changes (Unicode's stability policy), so hashes of identities may follow it.
// Addresses of pages and of mail, passwords, tokens and ids of records stay as they are given.
//
// Everything is pure, and for any goroutine.
package composed

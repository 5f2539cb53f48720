// Package topics makes the topics of an installation with the settings that they need, and
// compares those that exist with what they should be.
//
// A difference with which records could be lost is an error; another one is a warning. Nothing
// that exists is changed. Any goroutine may call.
package topics

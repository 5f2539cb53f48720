// Package walk passes over messages of the Kafka protocol, as a shape says, before a
// decoder sees them: a length that lies, of an array, a text or a list of tags, is found
// out at once, and what the decoder takes of memory and time is then bounded by the bytes
// that are really there. kmsg alone believes a number of tags: five bytes of an answer keep
// it busy for minutes.
//
// A Walker belongs to one goroutine.
package walk

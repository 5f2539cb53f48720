// Package recordbatch is the layout of Kafka's record batch, format 2: the one that the client
// and the embedded broker share.
//
//	header.go      the fields before the records, and the checksum over them
//	record.go      iteration over the records of a batch that is decompressed
//	codec.go       how records are compressed
//	decompress.go  all four codecs, at most MaxDecompressed bytes a batch
//
// It promises that no input makes it panic, read beyond its end or allocate more than
// MaxDecompressed. It does not decide what a bad batch means: the client reports corruption to
// its reader, the broker refuses the batch.
//
// Any goroutine may call any function. Slices that are returned share the memory of the input,
// or of the destination that was passed in.
package recordbatch

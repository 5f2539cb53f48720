// Package walktest is what tests of decoders of the Kafka protocol share.
package walktest

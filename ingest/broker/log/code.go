package log

import "strconv"

// Code is an error by its number in the Kafka protocol, as the broker answers it. An error of
// this package either is a Code or wraps one.
type Code int16

// The codes that this package uses.
const (
	OffsetOutOfRange       Code = 1
	CorruptMessage         Code = 2
	UnknownTopic           Code = 3
	PolicyViolation        Code = 44
	MessageTooLarge        Code = 10
	InvalidTopic           Code = 17
	InvalidTimestamp       Code = 32
	TopicExists            Code = 36
	InvalidPartitions      Code = 37
	InvalidConfig          Code = 40
	UnsupportedFormat      Code = 43
	OutOfOrderSequence     Code = 45
	InvalidProducerEpoch   Code = 47
	InvalidTxnState        Code = 48
	StorageError           Code = 56
	UnsupportedCompression Code = 76
	InvalidRecord          Code = 87
)

var codeTexts = map[Code]string{
	OffsetOutOfRange:       "offset out of range",
	CorruptMessage:         "record batch is corrupt",
	UnknownTopic:           "unknown topic or partition",
	PolicyViolation:        "not allowed",
	MessageTooLarge:        "record batch is larger than max.message.bytes",
	InvalidTopic:           "invalid topic name",
	InvalidTimestamp:       "invalid timestamp",
	TopicExists:            "topic exists",
	InvalidPartitions:      "invalid number of partitions",
	InvalidConfig:          "invalid configuration",
	UnsupportedFormat:      "message format is not supported",
	OutOfOrderSequence:     "sequence number out of order",
	InvalidProducerEpoch:   "producer epoch is old",
	InvalidTxnState:        "transactions are not supported",
	StorageError:           "storage error",
	UnsupportedCompression: "compression is not supported",
	InvalidRecord:          "invalid record",
}

// Error is the code's text.
func (c Code) Error() string {
	if t := codeTexts[c]; t != "" {
		return t
	}
	return "error " + strconv.Itoa(int(c))
}

// KafkaCode is the code as a number.
func (c Code) KafkaCode() int16 { return int16(c) }

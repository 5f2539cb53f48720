package main

import (
	"crypto/hkdf"
	"crypto/sha256"
	"encoding/hex"

	"github.com/ovation-analytics/ovation/ingest/broker/wire"
	"github.com/ovation-analytics/ovation/ingest/kafka"
)

// ownTopics are the topics that the embedded log lets only nodes change: what a node's
// state is made of.
func (c *Config) ownTopics() []string {
	return []string{c.TopicPrefix + kafka.Journal, c.TopicPrefix + kafka.Catalog}
}

// nodePassword is that of wire.NodeUser: every node of the installation has it.
func (s *Secrets) nodePassword() (string, error) {
	key, err := hkdf.Key(sha256.New, s.Master[:], nil, "ovation: a node at the embedded log", sha256.Size)
	return hex.EncodeToString(key), err
}

// kafkaPassword is the one for --kafka-sasl, if the environment has none.
func (s *Secrets) kafkaPassword(user string) (string, error) {
	if s.Kafka == "" && user == wire.NodeUser {
		return s.nodePassword()
	}
	return s.Kafka, nil
}

package kafka

import (
	"errors"
	"fmt"
	"strings"

	"github.com/segmentio/kafka-go/sasl"
	"github.com/segmentio/kafka-go/sasl/plain"
	"github.com/segmentio/kafka-go/sasl/scram"
)

// SASL is the mechanism of a name in any case, PLAIN, SCRAM-SHA-256 or SCRAM-SHA-512, as
// Config.SASL takes it. With PLAIN the broker is shown the password, and without TLS so is
// the network; SCRAM does not. No error has the password.
func SASL(mechanism, user, password string) (sasl.Mechanism, error) {
	if user == "" || password == "" {
		return nil, errors.New("kafka: SASL needs a user and a password")
	}
	algorithm := scram.SHA256
	switch strings.ToUpper(mechanism) {
	case "PLAIN":
		return plain.Mechanism{Username: user, Password: password}, nil
	case scram.SHA256.Name():
	case scram.SHA512.Name():
		algorithm = scram.SHA512
	default:
		return nil, fmt.Errorf("kafka: SASL mechanism %q is none of PLAIN, SCRAM-SHA-256, SCRAM-SHA-512", mechanism)
	}
	m, err := scram.Mechanism(algorithm, user, password)
	if err != nil { // it quotes what it cannot prepare
		return nil, errors.New("kafka: the user or the password has characters that SCRAM does not allow")
	}
	return m, nil
}

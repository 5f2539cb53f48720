package wire

import (
	"crypto/hkdf"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"

	"github.com/twmb/franz-go/pkg/kmsg"
	"github.com/xdg-go/scram"
)

// NodeUser is the user as which a node of this installation authenticates on a socket.
const NodeUser = "ovation-node"

// NodePassword is that of NodeUser, for who has the pepper of the installation: every node.
func NodePassword(pepper []byte) (string, error) {
	key, err := hkdf.Key(sha256.New, pepper, nil, "ovation: a node at the embedded log", sha256.Size)
	return hex.EncodeToString(key), err
}

const (
	saslMechanism  = "SCRAM-SHA-256"
	saslIterations = 4096
	saslSalt       = 16 // bytes
)

// newSASL keeps of a password what verifies it; nil for none: no client can authenticate.
func newSASL(password string) (*scram.Server, error) {
	if password == "" {
		return nil, nil
	}
	client, err := scram.SHA256.NewClient(NodeUser, password, "")
	if err != nil {
		return nil, fmt.Errorf("embedded kafka: password of the nodes: %w", err)
	}
	salt := make([]byte, saslSalt)
	rand.Read(salt) // never fails: it ends the program instead
	known := client.GetStoredCredentials(scram.KeyFactors{Salt: string(salt), Iters: saslIterations})
	return scram.SHA256.NewServer(func(user string) (scram.StoredCredentials, error) {
		if user != NodeUser {
			return scram.StoredCredentials{}, errors.New("no such user")
		}
		return known, nil
	})
}

// authentication makes a client's connection that of a node.
type authentication struct{ call }

func (c authentication) handshake(req *kmsg.SASLHandshakeRequest, rs *kmsg.SASLHandshakeResponse) {
	rs.SupportedMechanisms = []string{}
	if c.sasl != nil {
		rs.SupportedMechanisms = append(rs.SupportedMechanisms, saslMechanism)
	}
	if c.sasl == nil || req.Mechanism != saslMechanism {
		rs.ErrorCode = c.refuse(codeSASLMechanism)
		return
	}
	c.conn.scram = c.sasl.NewConversation()
}

// authenticate takes one step of a conversation. One that fails ends it; the client
// stays what it was.
func (c authentication) authenticate(req *kmsg.SASLAuthenticateRequest, rs *kmsg.SASLAuthenticateResponse) {
	if c.conn.scram == nil {
		rs.ErrorCode = c.refuse(codeSASLState)
		return
	}
	reply, err := step(c.conn.scram, string(req.SASLAuthBytes))
	rs.SASLAuthBytes = []byte(reply)
	switch {
	case err != nil:
		c.conn.scram = nil
		c.complain("a client has not authenticated")
		rs.ErrorCode, rs.ErrorMessage = c.refuse(codeSASLFailed), new("user or password is wrong")
	case c.conn.scram.Done():
		c.conn.scram = nil
		c.trust(c.conn)
	}
}

// step is Step for what any client sends: the library's parser panics on some of it.
func step(s *scram.ServerConversation, challenge string) (answer string, err error) {
	defer func() {
		if p := recover(); p != nil {
			answer, err = "", fmt.Errorf("not SCRAM: %v", p)
		}
	}()
	return s.Step(challenge)
}

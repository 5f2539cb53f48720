package secrets

import (
	"bytes"
	"context"
	"crypto/ed25519"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"regexp"
	"sync"
	"time"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/api/admin"
	"github.com/ovation-analytics/ovation/api/token"
	"github.com/ovation-analytics/ovation/cmd/ovation/files"
)

// publishAhead is how long a new signing key is in the key set before it signs: longer than
// clients keep the set, and enough to put the secrets on the other nodes.
const publishAhead = 10 * time.Minute

// PrivateHalf is the private half of a signing key.
func (k SigningKey) PrivateHalf() token.PrivateKey {
	return token.PrivateKey{ID: k.KID, Key: ed25519.NewKeyFromSeed(k.Seed[:])}
}

// PublicHalf is the public half of a signing key.
func (k SigningKey) PublicHalf() [32]byte {
	return [32]byte(ed25519.NewKeyFromSeed(k.Seed[:]).Public().(ed25519.PublicKey))
}

// PrivateHalves are the private halves of all signing keys of the secrets.
func (s *Secrets) PrivateHalves() []token.PrivateKey {
	all := make([]token.PrivateKey, len(s.Signing))
	for i, k := range s.Signing {
		all[i] = k.PrivateHalf()
	}
	return all
}

// PublishSigningKeys adds the public halves that the catalog lacks. Of a new installation the
// first key of the file signs at once; in another one a key has its time to reach the other
// nodes. A kid whose public half is another one is a Conflict.
func PublishSigningKeys(
	ctx context.Context, op admin.Operator, known []*domain.SigningKey, held []SigningKey, now time.Time,
) error {
	public := map[string][32]byte{}
	for _, k := range known {
		public[k.KID] = k.Public
	}
	from := now
	if len(known) > 0 {
		from = now.Add(publishAhead)
	}
	for i, k := range held {
		if there, ok := public[k.KID]; ok && there == k.PublicHalf() {
			continue
		}
		at := from.Add(-time.Duration(i) * time.Millisecond)
		if _, err := op.AddSigningKey(ctx, k.KID, k.PublicHalf(), at, false); err != nil {
			return fmt.Errorf("the signing key %s: %w", k.KID, err)
		}
	}
	return nil
}

// WarnWithoutKey warns of a node that lacks the private half of the key that signs.
func WarnWithoutKey(log *slog.Logger, keys []*domain.SigningKey, held []SigningKey, now time.Time) {
	all, signs := token.InForce(keys, now)
	if signs < 0 {
		return
	}
	for _, k := range held {
		if k.KID == all[signs].KID {
			return
		}
	}
	log.Warn("the secrets lack the private half of the signing key in use: "+
		"tokens are signed with an older one, or not at all; copy the file of secrets from the node that has it",
		"kid", all[signs].KID)
}

// Signing is the node's signing keys as the admin port needs them.
type Signing struct {
	path   string // of the secrets
	tokens *token.Tokens
	op     admin.Operator
	mu     sync.Mutex // of Rotate
}

// NewSigning is the signing keys of a node, whose file of secrets is at path.
func NewSigning(path string, tokens *token.Tokens, op admin.Operator) *Signing {
	return &Signing{path: path, tokens: tokens, op: op}
}

// Holds reports that the node has the private half of a key.
func (s *Signing) Holds(kid string) bool { return s.tokens.Holds(kid) }

// Rotate makes a key. Its private half is durable before the catalog has the public one: what
// fails in between is made up for at the next start.
func (s *Signing) Rotate(ctx context.Context, atOnce, end bool) (domain.SigningKey, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	k := NewSigningKey()
	if err := addToSecrets(s.path, k); err != nil {
		return domain.SigningKey{}, &domain.Error{
			Code: domain.Conflict, Op: "rotate", Err: err,
			Message: "the file of secrets cannot be extended: " + err.Error(),
		}
	}
	if err := s.tokens.Add(k.PrivateHalf()); err != nil {
		return domain.SigningKey{}, err
	}
	from := s.op.Now()
	if !atOnce {
		from = from.Add(publishAhead)
	}
	return s.op.AddSigningKey(ctx, k.KID, k.PublicHalf(), from, end)
}

// NewSigningKey makes a key that no catalog knows.
func NewSigningKey() SigningKey {
	var k SigningKey
	var kid [8]byte
	rand.Read(kid[:]) // never fails: it ends the program instead
	rand.Read(k.Seed[:])
	k.KID = hex.EncodeToString(kid[:])
	return k
}

// signingLine is the line of the file of secrets before its signing keys, and the indentation
// of the first.
var signingLine = regexp.MustCompile(`(?m)^signing:[ \t]*(?:#.*)?\r?\n([ \t]*)- `)

var errForm = errors.New("its signing keys are in a form that cannot be extended: add a key by hand")

// addToSecrets adds a signing key to a file of secrets. The file is replaced as a whole, once
// every byte of the new one is on the disk. No error quotes it.
func addToSecrets(path string, k SigningKey) error {
	if stat, err := os.Lstat(path); err != nil || stat.Mode()&fs.ModeSymlink != 0 {
		return errors.Join(err, errors.New("it is no file of its own"))
	}
	before, err := Read(path)
	if err != nil {
		return err
	}
	text, err := files.ReadPrivate(path, maxFile)
	if err != nil {
		return err
	}
	at := signingLine.FindSubmatchIndex(text)
	if at == nil {
		return errForm
	}
	indent := string(text[at[2]:at[3]])
	entry := fmt.Sprintf("%[1]s- kid: %[2]q\n%[1]s  seed: %[3]q\n", indent, k.KID, hex.EncodeToString(k.Seed[:]))
	text = bytes.Join([][]byte{text[:at[2]], text[at[2]:]}, []byte(entry))
	after, err := parse(path, text)
	if err != nil || len(after.Signing) != len(before.Signing)+1 || after.Signing[0] != k {
		return errForm
	}
	return replace(path, text)
}

package node

import (
	"context"
	"errors"
	"fmt"
	"os"

	"github.com/ovation-analytics/ovation/actors"
	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/api/admin"
	"github.com/ovation-analytics/ovation/cmd/ovation/secrets"
	"github.com/ovation-analytics/ovation/ingest"
	"github.com/ovation-analytics/ovation/ingest/activity"
	"github.com/ovation-analytics/ovation/ingest/kafka"
)

// What makes a node one of an installation: its secrets are those that the log was begun with. A node with others, or
// with none, is refused before it writes into --data, and makes none; where that is found later, it takes away again
// what it made there.

// settleSecrets keeps the secrets that the node made, unless the log is that of an installation already, and refuses
// those of another one. A catalog that cannot be read is the actors' concern, but begins no installation.
func (n *Node) settleSecrets(ctx context.Context, catalog *ingest.Log) error {
	path := n.Config.SecretsFile()
	l, err := findLayout(ctx, catalog)
	if _, gap := errors.AsType[*domain.GapError](err); gap && !n.Secrets.New() {
		err = nil
	}
	if err != nil {
		return fmt.Errorf("the layout cannot be read: %w", err)
	}
	if l == nil {
		err = n.keepSecrets()
	} else { // the node that made it has kept its secrets before, in this node's file perhaps
		n.Secrets, err = n.Secrets.Found(path)
	}
	if err != nil {
		return err
	}
	if n.Hasher, err = activity.NewHasher(n.Secrets.Pepper[:]); err != nil || l == nil {
		return err
	}
	return n.Secrets.Check(path, n.Hasher.Check(), l)
}

// findLayout is the installation's layout, the first record of its catalog; nil: there is none yet.
func findLayout(ctx context.Context, catalog *ingest.Log) (*domain.Layout, error) {
	var page domain.Page
	reader := catalog.Reader(0)
	for {
		err := kafka.Persist(ctx, func() (err error) {
			if page.Next == 0 { // a read waits for a first record
				if page.End, err = catalog.End(ctx, 0); err != nil || page.End == 0 {
					return err
				}
			}
			page, err = reader.Read(ctx, page.Next, page.Epoch, nil)
			return err
		})
		if err != nil {
			return nil, err
		}
		for i := range page.Records {
			if l, ok := page.Records[i].Command.(*domain.Layout); ok {
				return l, nil
			}
		}
		if page.Next >= page.End {
			return nil, nil
		}
	}
}

// keepSecrets writes secrets that are new.
func (n *Node) keepSecrets() error {
	path := n.Config.SecretsFile()
	kept, err := n.Secrets.Keep(path)
	if err != nil {
		return err
	}
	if n.Secrets.New() && kept.Pepper == n.Secrets.Pepper { // else they are another process's
		n.made = append(n.made, path)
	}
	n.Secrets = kept
	return nil
}

// missing are those of the paths at which nothing is.
func missing(paths []string) (none []string) {
	for _, p := range paths {
		if _, err := os.Lstat(p); errors.Is(err, os.ErrNotExist) {
			none = append(none, p)
		}
	}
	return none
}

// unmake takes away what a start made that failed with err, for want of the installation's secrets: the next start
// with the right ones finds what this one found. It is called when all is closed.
func (n *Node) unmake(err error) error {
	_, other := errors.AsType[*secrets.OtherError](err)
	_, running := errors.AsType[*actors.StopError](err)
	if !other || running {
		return nil
	}
	var errs []error
	for _, path := range n.made {
		if path != n.Config.Data {
			errs = append(errs, os.RemoveAll(path))
		}
	}
	for _, path := range n.made {
		if path == n.Config.Data {
			_ = os.Remove(path) // stays where something else is in it
		}
	}
	return errors.Join(errs...)
}

// SettleLayout makes the catalog's first record, or checks that this node belongs to
// the installation that made it: the same secrets, the same number of partitions.
func (n *Node) SettleLayout(ctx context.Context) error {
	shards := n.Logs.Topics.Journal.Partitions()
	if n.Actors.Catalog().Layout() == nil {
		if shards != n.Config.Shards {
			return fmt.Errorf("the journal was made with %d partitions, --shards of this new installation is %d", shards, n.Config.Shards)
		}
		if err := n.makeLayout(ctx); err != nil {
			return fmt.Errorf("the layout cannot be written: %w", err)
		}
	}
	l := n.Actors.Catalog().Layout()
	if l == nil {
		return errors.New("the catalog has no layout")
	}
	if err := n.Secrets.Check(n.Config.SecretsFile(), n.Hasher.Check(), l); err != nil {
		return err // another node was faster
	}
	if shards != l.Shards {
		return fmt.Errorf("the journal has %d partitions, the installation was made with %d shards", shards, l.Shards)
	}
	if l.Shards != n.Config.Shards {
		n.Log.Warn("--shards is of new installations only: this one has its own number", "shards", l.Shards, "flag", n.Config.Shards)
	}
	return n.settleSigning(ctx)
}

func (n *Node) makeLayout(ctx context.Context) error {
	out, err := submit(ctx, n.Actors, &domain.Layout{
		Shards: n.Logs.Topics.Journal.Partitions(), Journal: n.Logs.Topics.Journal.Topic(), Source: n.Logs.Topics.Source.Topic(),
		Pepper: n.Hasher.Check(), Token: n.Secrets.TokenCheck(), At: n.Clock.Now().UnixMilli(),
	})
	if err != nil {
		return err
	}
	return out.Err()
}

// settleSigning publishes the signing keys of this node's secrets.
func (n *Node) settleSigning(ctx context.Context) error {
	path, op, now := n.Config.SecretsFile(), admin.NewOperator(n.Actors, n.Clock.Now), n.Clock.Now()
	known := n.Actors.Catalog().SigningKeys()
	if err := n.Secrets.CheckSigning(path, known); err != nil {
		return err
	}
	err := insist(ctx, func() error {
		return secrets.PublishSigningKeys(ctx, op, n.Actors.Catalog().SigningKeys(), n.Secrets.Signing, now)
	})
	if domain.CodeOf(err) == domain.Conflict {
		return &secrets.OtherError{Path: path, Err: err}
	}
	if err != nil {
		return err
	}
	secrets.WarnWithoutKey(n.Log, n.Actors.Catalog().SigningKeys(), n.Secrets.Signing, now)
	return nil
}

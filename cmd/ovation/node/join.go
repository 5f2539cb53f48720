package node

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"strings"

	"github.com/ovation-analytics/ovation/cmd/ovation/status"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/actors/nodes"
	"github.com/ovation-analytics/ovation/cmd/ovation/build"
	"github.com/ovation-analytics/ovation/cmd/ovation/files"
	"github.com/ovation-analytics/ovation/ingest"
)

// idFile is where the id of a node is, in --data.
const idFile = "node-id"

// openID reads the id of the node of a directory, or makes one: random, and kept for good.
func openID(path string) (domain.NodeID, error) {
	text, err := files.Read(path, 100)
	if errors.Is(err, fs.ErrNotExist) {
		var id domain.NodeID
		rand.Read(id[:]) // never fails: it ends the program instead
		if err := files.Create(path, []byte(id.String()+"\n")); err != nil {
			return domain.NodeID{}, err
		}
		text, err = files.Read(path, 100)
	}
	if err != nil {
		return domain.NodeID{}, err
	}
	id, err := domain.ParseNodeID(strings.TrimSpace(string(text)))
	if err != nil {
		return domain.NodeID{}, fmt.Errorf("%s: %w; delete it to have this node join as a new one", path, err)
	}
	return id, nil
}

// join takes part in the installation: the node is listed once it has caught up.
func (n *Node) join(context.Context) error {
	path := filepath.Join(n.Config.Data, idFile)
	id, err := openID(path)
	if err != nil {
		return fmt.Errorf("the id of this node: %w", err)
	}
	all := map[domain.NodeID]bool{id: true} // this one is listed later, the first time
	for _, listed := range n.Actors.Catalog().Nodes() {
		all[listed.ID] = true
	}
	if why := status.LinksOf(len(all)); why != "" && n.Config.BaseURL == "" {
		n.Log.Warn(why)
	}
	n.Actors.Join(nodes.Self{
		Up: domain.NodeUp{
			ID: id, Address: n.base(), Zone: n.Config.Zone, Rules: domain.RulesVersion, Protocol: nodes.Protocol,
			Program: build.Read().Version,
		},
		IDFile: path,
	}, ingest.NewBeats(n.Logs.Client, n.Config.TopicPrefix))
	return nil
}

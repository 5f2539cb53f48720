package node

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"os"
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

// openID reads the id of the node of a directory; made: there is none, and this is a random one, to be kept.
func openID(path string) (id domain.NodeID, made bool, err error) {
	text, err := files.Read(path, 100)
	if errors.Is(err, fs.ErrNotExist) {
		rand.Read(id[:]) // never fails: it ends the program instead
		return id, true, nil
	}
	if err != nil {
		return domain.NodeID{}, false, err
	}
	if id, err = domain.ParseNodeID(strings.TrimSpace(string(text))); err != nil {
		return domain.NodeID{}, false, fmt.Errorf("%s: %w; delete it to have this node join as a new one", path, err)
	}
	return id, false, nil
}

// idPath is where the id of this node is.
func (n *Node) idPath() string { return filepath.Join(n.Config.Data, idFile) }

// readID reads the id of this node. A new one is kept when the node joins: a start that is refused leaves none.
func (n *Node) readID(context.Context) (err error) {
	if n.ID, n.newID, err = openID(n.idPath()); err != nil {
		return fmt.Errorf("the id of this node: %w", err)
	}
	return nil
}

// keepID keeps an id that was made.
func (n *Node) keepID() error {
	if !n.newID {
		return nil
	}
	if err := files.Create(n.idPath(), []byte(n.ID.String()+"\n")); err != nil {
		return fmt.Errorf("the id of this node: %w", err)
	}
	n.newID = false
	return nil
}

// listens is where a node listens, for operators: the name of the machine stands for all its addresses.
func listens(at net.Addr, machine string) string {
	host, port, err := net.SplitHostPort(at.String())
	if ip := net.ParseIP(host); err != nil || machine == "" || !ip.IsUnspecified() {
		return at.String()
	}
	return net.JoinHostPort(machine, port)
}

// join takes part in the installation: the node is listed once it has caught up.
func (n *Node) join(context.Context) error {
	if err := n.keepID(); err != nil {
		return err
	}
	all := map[domain.NodeID]bool{n.ID: true} // this one is listed later, the first time
	for _, listed := range n.Actors.Catalog().Nodes() {
		all[listed.ID] = true
	}
	if why := status.LinksOf(len(all)); why != "" && n.Config.BaseURL == "" {
		n.Log.Warn(why)
	}
	machine, _ := os.Hostname() // empty: the address stays
	n.Actors.Join(nodes.Self{
		Up: domain.NodeUp{
			Address: n.Config.PublicPort.Scheme() + "://" + listens(n.ports.public.Addr(), machine), Zone: n.Config.Zone, Program: build.Read().Version,
		},
		IDFile:   n.idPath(),
		Networks: n.ports.port.networks.Mark(n.Secrets.Pepper[:]),
	}, ingest.NewBeats(n.Logs.Client, n.Config.TopicPrefix))
	return nil
}

package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/ovation-analytics/ovation/cmd/ovation/supervisor"
	"github.com/ovation-analytics/ovation/ingest/broker/wire"
)

const (
	// maxDemoNodes is how many nodes a demo has at most.
	maxDemoNodes = 9
	// portsApart is how much the ports of a node are above those of the one before.
	portsApart = 10
	// demoPause is how long a node that ended stays away.
	demoPause = 3 * time.Second
	// demoGrace is what nodes have for their end in order: first all but the one with the log, then that.
	demoGrace = 2 * time.Second
)

// demoNode is one process of a demo with several nodes. Its addresses stay the same from life to life.
type demoNode struct {
	number             int
	http, admin, kafka string
	process            *supervisor.Process
}

// runNodes runs several nodes until ctx ends: the first one plays the audience, and has the log unless it is
// at --kafka; the others join. This process is none of them.
func (d *Demo) runNodes(ctx context.Context, w io.Writer) error {
	program, err := os.Executable()
	if err != nil {
		return err
	}
	nodes, err := d.places()
	if err != nil {
		return err
	}
	log := d.Config.Logger()
	s := supervisor.New(supervisor.Options{Pause: demoPause, Grace: demoGrace, Log: log})
	defer s.End()
	lines, said := supervisor.NewLines(os.Stderr), &announcement{to: w}
	begin := func(n *demoNode) {
		name := fmt.Sprint("node ", n.number)
		n.process = s.Start(name, func() *exec.Cmd {
			cmd := exec.Command(program, d.flagsOf(n, nodes[0])...)
			cmd.Stdout, cmd.Stderr = said.next(n), lines.Of(name+": ")
			return cmd
		})
	}
	begin(nodes[0])
	err = nodes[0].process.Await(ctx, said.complete)
	for _, n := range nodes[1:] {
		if err == nil {
			begin(n)
		}
	}
	for _, n := range nodes[1:] {
		if err == nil {
			err = n.process.Await(ctx, n.ready)
		}
	}
	if err == nil {
		_, err = io.WriteString(w, d.describe(nodes, said.String()))
	}
	if err != nil && ctx.Err() == nil {
		return err
	}
	<-ctx.Done()
	log.Info("stopping all nodes")
	return nil
}

// flagsOf are a node's: those of this process, and what it has of its own. The last of a flag counts.
func (d *Demo) flagsOf(n, first *demoNode) []string {
	own := []string{
		fmt.Sprint("--node=", n.number), "--http=" + n.http, "--admin=" + n.admin,
	}
	if d.Config.BaseURL == "" { // else an answer's links would be those of the node that gives it
		own = append(own, "--base-url=http://"+first.http)
	}
	switch {
	case n == first:
		own = append(own, "--embedded-kafka="+n.kafka)
	default:
		own = append(own, "--secrets="+d.Config.SecretsFile(), "--data="+filepath.Join(d.Config.Data, fmt.Sprint("node-", n.number)))
		if len(d.Config.Kafka) == 0 {
			own = append(own, "--kafka="+first.kafka, "--embedded-kafka=127.0.0.1:0", "--kafka-sasl=scram-sha-256", "--kafka-user="+wire.NodeUser)
		}
	}
	return append(os.Args[1:len(os.Args):len(os.Args)], own...)
}

// places are the nodes with their addresses.
func (d *Demo) places() (all []*demoNode, err error) {
	at := func(address string, i int) string {
		host, port, e := net.SplitHostPort(address)
		n, e2 := strconv.Atoi(port)
		if err = errors.Join(err, e, e2); err != nil {
			return ""
		}
		if n == 0 {
			var free string
			free, err = freePort(host)
			return free
		}
		return net.JoinHostPort(host, strconv.Itoa(n+i*portsApart))
	}
	for i := range d.Nodes {
		all = append(all, &demoNode{
			number: i + 1, http: at(d.Config.HTTP, i), admin: at(d.Config.AdminPort.Admin, i), kafka: at(d.Config.EmbeddedKafka, i),
		})
	}
	return all, err
}

// freePort is an address that nothing listens at. It is below those that systems give to outgoing connections,
// which could take it while its node is away.
func freePort(host string) (string, error) {
	for range 100 {
		address := net.JoinHostPort(host, strconv.Itoa(10_000+rand.IntN(20_000)))
		if l, err := net.Listen("tcp", address); err == nil {
			return address, l.Close()
		}
	}
	return "", fmt.Errorf("no free port of %s between 10000 and 30000", host)
}

// ready reports that a node serves.
func (n *demoNode) ready() bool {
	res, err := http.Get("http://" + n.admin + "/readyz")
	if err != nil {
		return false
	}
	res.Body.Close()
	return res.StatusCode == http.StatusOK
}

// describe says where the nodes are and what can be tried.
func (d *Demo) describe(nodes []*demoNode, announced string) string {
	var b strings.Builder
	for i, n := range nodes {
		title, log := "        ", ""
		if i == 0 {
			title = "\nNodes   "
			if len(d.Config.Kafka) == 0 {
				log = ", has the log"
			}
		}
		fmt.Fprintf(&b, "%s %d  http://%s  admin %s  pid %d%s\n", title, n.number, n.http, n.admin, n.process.PID(), log)
	}
	if q := firstQuestion.FindString(announced); q != "" {
		fmt.Fprintf(&b, "\nEach node answers the same. The first question, to node 2:\n\n  %s\n", strings.Replace(q, nodes[0].http, nodes[1].http, 1))
	}
	without := "Without one, reads and writes go on at the others"
	if len(d.Config.Kafka) == 0 {
		without = "While it is down, reads and writes go on at the others. Node 1 has the log: while that is down, only reads work"
	}
	fmt.Fprintf(&b, "\nKill a node: it is started again after %v. %s.\n\n", demoPause, without)
	for i := len(nodes) - 1; i >= 0; i-- {
		fmt.Fprintf(&b, "  kill -9 %d   # node %d\n", nodes[i].process.PID(), nodes[i].number)
	}
	return b.String()
}

// firstQuestion is the first command that a demo prints.
var firstQuestion = regexp.MustCompile(`curl -H .*`)

// announcement is what the first life of the first node prints; later lives print the same.
type announcement struct {
	to io.Writer

	mu    sync.Mutex // guards what follows
	text  bytes.Buffer
	lives int // of the first node
}

// next is where the next life of a node prints.
func (a *announcement) next(n *demoNode) io.Writer {
	a.mu.Lock()
	defer a.mu.Unlock()
	if n.number > 1 {
		return nil
	}
	if a.lives++; a.lives > 1 {
		return nil
	}
	return a
}

func (a *announcement) Write(b []byte) (int, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.text.Write(b)
	return a.to.Write(b)
}

// complete reports that all is printed: it is written at once.
func (a *announcement) complete() bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	return bytes.HasSuffix(a.text.Bytes(), []byte("\n")) && firstQuestion.Match(a.text.Bytes())
}

// String is what was printed.
func (a *announcement) String() string {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.text.String()
}

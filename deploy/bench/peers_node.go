package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"time"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/api/client"
	"github.com/ovation-analytics/ovation/deploy/bench/peers"
	"github.com/ovation-analytics/ovation/ingest/kafka"
)

// peersMemory is the --memory of a node with a scene in it: all of it is resident.
const peersMemory = "4GiB"

// staged is a node that has a scene's rows, and under which names.
type staged struct {
	node  *node
	scene *peers.Scene
	names names
	http  *http.Client
	made  int // records published
}

// names are those that a node gave, as they are kept beside it.
type names struct {
	Sizes   peers.Sizes
	End     domain.Second
	Account uint32
	Key     string
	People  []domain.MemberID
	Brands  []domain.BrandID
	Kinds   []domain.DefinitionID
}

// stage starts a node with a scene in it: one that was kept, or a new one. Whoever stages
// it stops it.
func (b *bench) stage(ctx context.Context, sizes peers.Sizes) (*staged, error) {
	dir := b.dir
	if b.o.peers.keep != "" {
		dir = b.o.peers.keep
	}
	s := &staged{
		node: &node{binary: b.binary, data: filepath.Join(dir, "scene"), args: []string{"--shards", itoa(b.o.shards), "--memory", peersMemory}},
		http: manyRequests(1),
	}
	kept := filepath.Join(dir, "names.json")
	text, err := os.ReadFile(kept)
	if err == nil {
		return s, s.again(ctx, sizes, text)
	}
	if !errors.Is(err, os.ErrNotExist) {
		return s, err
	}
	if _, err := os.Stat(s.node.data); err == nil {
		return s, fmt.Errorf("%s is of a run that was broken off: delete it", s.node.data)
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return s, err
	}
	s.names.Sizes, s.names.End = sizes, domain.Second(time.Now().Truncate(time.Minute).Add(-time.Hour).Unix())
	s.scene = peers.NewScene(sizes, s.names.End)
	if err := s.load(ctx, b.o.batch); err != nil {
		return s, err
	}
	if text, err = json.Marshal(&s.names); err != nil {
		return s, err
	}
	return s, os.WriteFile(kept, text, 0o600)
}

// again starts the node that was kept.
func (s *staged) again(ctx context.Context, sizes peers.Sizes, text []byte) error {
	if err := json.Unmarshal(text, &s.names); err != nil {
		return err
	}
	if s.names.Sizes != sizes {
		return fmt.Errorf("%s has another scene: %+v", s.node.data, s.names.Sizes)
	}
	s.scene = peers.NewScene(sizes, s.names.End)
	s.scene.Name(s.names.People, s.names.Brands, s.names.Kinds)
	took, err := s.node.start(ctx)
	progress("the node that was kept was ready after %v", took.Round(time.Millisecond))
	return err
}

// load fills a new node.
func (s *staged) load(ctx context.Context, batch int) error {
	if _, err := s.node.start(ctx); err != nil {
		return err
	}
	var err error
	if s.names.Account, s.names.Key, err = s.node.account(ctx, "scene"); err != nil {
		return err
	}
	if err := s.enter(ctx); err != nil {
		return err
	}
	s.scene.Name(s.names.People, s.names.Brands, s.names.Kinds)
	rows := s.scene.Rows
	progress("publishing %d activities", len(rows))
	began := time.Now()
	st, err := s.publish(ctx, batch, len(rows), func(i int) (*peers.Row, time.Time) { return &rows[i], time.Unix(int64(rows[i].Time), 0) })
	if err != nil {
		return err
	}
	progress("committed after %v, %.0f a second", time.Since(began).Round(time.Millisecond), float64(len(rows))/time.Since(began).Seconds())
	if st.rows() < int64(len(rows)) || st.letters() > 0 {
		return fmt.Errorf("of %d activities %d rows are there, %d dead letters", len(rows), st.rows(), st.letters())
	}
	return nil
}

// enter makes brands and definitions, and registers everybody.
func (s *staged) enter(ctx context.Context) error {
	c, n := s.scene, &s.names
	api := client.New("http://"+s.node.http, n.Key).Over(manyRequests(registering))
	n.People, n.Brands, n.Kinds = make([]domain.MemberID, len(c.People)), make([]domain.BrandID, len(c.Brands)), make([]domain.DefinitionID, len(c.Kinds))
	progress("making %d brands, registering %d members", len(c.Brands), len(c.People))
	err := side(len(c.Brands), func(i int) error {
		made, _, err := api.CreateBrand(ctx, client.Params{"name": fmt.Sprintf("Artist %d", i), "type": "Music"})
		n.Brands[i] = domain.BrandID(made.ID)
		return err
	})
	if err != nil {
		return err
	}
	for i := range c.Kinds {
		k := &c.Kinds[i]
		made, _, err := api.CreateActivity(ctx, client.Params{
			"name": fmt.Sprintf("did %d with {brand}", i), "type": "Listened", "service": k.Service.String(), "value": itoa(int(k.Points)), "onetime": "0",
		})
		if err != nil {
			return err
		}
		id, err := strconv.ParseUint(made.ID, 10, 32)
		if err != nil {
			return err
		}
		n.Kinds[i] = domain.DefinitionID(id)
	}
	began := time.Now()
	err = side(len(c.People), func(i int) error {
		p := &c.People[i]
		params := client.Params{"service": domain.Spotify.String(), "uid": uidOf(i), "authtoken": "bench", "country": p.CountryName()}
		if p.Paid {
			params["paidaccount"] = "1"
		}
		out, _, err := api.Register(ctx, params)
		n.People[i] = domain.MemberID(out.Data.ID)
		return err
	})
	progress("registered after %v, %.0f a second", time.Since(began).Round(time.Millisecond), float64(len(c.People))/time.Since(began).Seconds())
	return err
}

func uidOf(person int) string { return "scene-" + itoa(person) }

// publish publishes n actions, each as next gives it and at the time it gives, and waits
// until they are committed.
func (s *staged) publish(ctx context.Context, batch, n int, next func(i int) (*peers.Row, time.Time)) (st status, err error) {
	f, err := newFeed(ctx, s.node, batch)
	if err != nil {
		return st, err
	}
	defer f.close()
	err = f.publish(ctx, n, func(i int) (int, kafka.Message) {
		row, at := next(i)
		return int(row.Person), kafka.Message{Key: []byte(uidOf(int(row.Person))), Value: s.record(make([]byte, 0, 256), row, at)}
	})
	if err != nil {
		return st, err
	}
	return f.settled(ctx)
}

// record is a row as a collector publishes it: every second one names the member by its
// id, the others by service and user id.
func (s *staged) record(b []byte, row *peers.Row, at time.Time) []byte {
	s.made++
	b = append(b, `{"id":"`...)
	b = strconv.AppendInt(b, at.Unix(), 36)
	b = append(b, '-')
	b = strconv.AppendInt(b, int64(s.made), 10)
	b = append(b, `","source":"bench/scene","time":"`...)
	b = at.UTC().AppendFormat(b, time.RFC3339)
	b = append(b, `","account":`...)
	b = strconv.AppendUint(b, uint64(s.names.Account), 10)
	if s.made%2 == 0 {
		b = append(b, `,"memberID":`...)
		b = strconv.AppendUint(b, uint64(s.scene.People[row.Person].ID), 10)
	} else {
		b = append(b, `,"service":"`...)
		b = append(b, domain.Spotify.String()...)
		b = append(b, `","serviceUserID":"`...)
		b = append(b, uidOf(int(row.Person))...)
		b = append(b, '"')
	}
	b = append(b, `,"activityID":`...)
	b = strconv.AppendUint(b, uint64(s.scene.Kinds[row.Kind].ID), 10)
	b = append(b, `,"brandID":`...)
	b = strconv.AppendUint(b, uint64(s.scene.Brands[row.Brand]), 10)
	b = append(b, `,"content":`...)
	return append(row.Content(b), '}')
}

package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
)

// status is what is read of /status.
type status struct {
	Shards []struct {
		Applied, End, Rows, Recorded, Commits int64
		Woken                                 int64 `json:"membersWoken"`
		Outbox, LettersWaiting                int64
		Stopped                               string
		DeadLetters                           map[string]int64
	}
	Routers []struct {
		Next, End int64
		Stopped   string
	}
	Store struct {
		Families  map[string]uint64
		Disk, WAL uint64
		Debt      uint64 `json:"compactionDebt"`
	}
}

// rows are the living rows of all shards.
func (s *status) rows() (n int64) {
	for i := range s.Shards {
		n += s.Shards[i].Rows
	}
	return n
}

// woken is how often a member was read from the store.
func (s *status) woken() (n int64) {
	for i := range s.Shards {
		n += s.Shards[i].Woken
	}
	return n
}

// letters are the records that could not be applied.
func (s *status) letters() (n int64) {
	for i := range s.Shards {
		for _, m := range s.Shards[i].DeadLetters {
			n += m
		}
	}
	return n
}

// maxAdmin bounds an answer of the admin port: a profile is the largest.
const maxAdmin = 64 << 20

// ask asks the admin port; a nil body is a GET.
func (n *node) ask(ctx context.Context, path string, body any) ([]byte, error) {
	method, payload := http.MethodGet, io.Reader(nil)
	if body != nil {
		b, err := json.Marshal(body)
		if err != nil {
			return nil, err
		}
		method, payload = http.MethodPost, bytes.NewReader(b)
	}
	req, err := http.NewRequestWithContext(ctx, method, "http://"+n.admin+path, payload)
	if err != nil {
		return nil, err
	}
	if body != nil {
		req.Header.Set("Content-Type", "application/json")
	}
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		return nil, err
	}
	defer res.Body.Close()
	b, err := io.ReadAll(io.LimitReader(res.Body, maxAdmin))
	if err == nil && res.StatusCode != http.StatusOK {
		err = fmt.Errorf("%s: %s: %s", path, res.Status, b)
	}
	return b, err
}

func (n *node) status(ctx context.Context) (st status, err error) {
	b, err := n.ask(ctx, "/status", nil)
	if err != nil {
		return st, err
	}
	if err := json.Unmarshal(b, &st); err != nil {
		return st, fmt.Errorf("/status: %w", err)
	}
	for i := range st.Shards {
		if why := st.Shards[i].Stopped; why != "" {
			return st, fmt.Errorf("shard %d stopped: %s", i, why)
		}
	}
	for i := range st.Routers {
		if why := st.Routers[i].Stopped; why != "" {
			return st, fmt.Errorf("router %d stopped: %s", i, why)
		}
	}
	return st, nil
}

// account makes an account with an application and gives its id and its key.
func (n *node) account(ctx context.Context, name string) (id uint32, key string, err error) {
	var out struct {
		Account struct{ ID uint32 }
		Key     string
	}
	b, err := n.ask(ctx, "/applications", map[string]string{"account": name, "name": name, "plan": "enterprise"})
	if err == nil {
		err = json.Unmarshal(b, &out)
	}
	return out.Account.ID, out.Key, err
}

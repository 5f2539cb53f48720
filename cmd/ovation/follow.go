package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"os"
	"strings"
	"time"
)

// How often the node is asked for its progress, and how often that is printed.
const (
	pollEvery  = 200 * time.Millisecond
	printEvery = 5 * time.Second
)

// cancelTime bounds the request that cancels a run.
const cancelTime = 30 * time.Second

// follow asks at a path for a run while on holds, and cancels it when ctx ends. With text output
// it prints the progress now and then.
func follow[R any](
	ctx context.Context, c *adminClient, path string, progress func(*R) string, on func(*R) bool,
) (*R, error) {
	tick, printed := time.NewTicker(pollEvery), time.Now()
	defer tick.Stop()
	for {
		body, err := c.call(ctx, http.MethodGet, path, nil)
		r := new(R)
		if err == nil {
			err = json.Unmarshal(body, r)
		}
		switch {
		case ctx.Err() != nil:
			over, cancel := context.WithTimeout(context.WithoutCancel(ctx), cancelTime)
			defer cancel()
			_, err := c.call(over, http.MethodPost, path+"/cancel", struct{}{})
			return r, errors.Join(fmt.Errorf("the %s is cancelled", strings.TrimPrefix(path, "/")), err)
		case err != nil || !on(r):
			return r, err
		}
		if c.Output == "text" && time.Since(printed) > printEvery {
			printed = time.Now()
			fmt.Fprintln(os.Stderr, progress(r))
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
		}
	}
}

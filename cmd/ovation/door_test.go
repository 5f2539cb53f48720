package main

import (
	"errors"
	"fmt"
	"net/http"
	"strings"
	"testing"
)

func TestTheDoorSaysWhatTheNodeWaitsForUntilItOpens(t *testing.T) {
	var d door
	ask := func(path string) string {
		w := serveTo(&d, request(http.MethodGet, path, ""))
		return fmt.Sprint(w.Code, " ", strings.TrimSpace(w.Body.String()))
	}
	for _, c := range []struct {
		do                        func()
		livez, readyz, everywhere string
	}{
		{func() {}, "200 ok", "503 not ready: the node is starting", `503 {"error":{"code":11,"message":"not ready: the node is starting"}}`},
		{func() { d.waits(errors.New("a broker")) }, "200 ok", "503 not ready: a broker", `503 {"error":{"code":11,"message":"not ready: a broker"}}`},
		{func() { d.open(http.NotFoundHandler()) }, "404 404 page not found", "404 404 page not found", "404 404 page not found"},
	} {
		c.do()
		if got := [3]string{ask("/livez"), ask("/readyz"), ask("/applications")}; got != [3]string{c.livez, c.readyz, c.everywhere} {
			t.Errorf("%q", got)
		}
	}
}

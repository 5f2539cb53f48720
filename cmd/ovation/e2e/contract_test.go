package e2e

import (
	"fmt"
	"net/http"
	"os"
	"strings"
	"sync"

	"github.com/ovation-analytics/ovation/api"
	"github.com/ovation-analytics/ovation/api/openapi"
	"github.com/ovation-analytics/ovation/api/openapi/openapitest"
)

// contract holds every answer of every node to these tests against the document: all clients
// send their requests by the default transport, which it takes the place of.
type contract struct {
	next    http.RoundTripper // as it was
	checked http.RoundTripper
	foreign sync.Map // addresses of nodes of another version

	mu     sync.Mutex
	faults []string
	count  int
}

var conformance contract

// begin replaces the default transport by the contract.
func (c *contract) begin() error {
	document, err := openapi.Document(api.Operations())
	if err != nil {
		return err
	}
	checker, err := openapitest.New(document("http://any.example"))
	if err != nil {
		return err
	}
	c.next = http.DefaultTransport
	c.checked = checker.Transport(c.next, c.failed)
	http.DefaultTransport = c
	return nil
}

// RoundTrip sends a request; the answer is checked if it is one of the API.
func (c *contract) RoundTrip(r *http.Request) (*http.Response, error) {
	if _, other := c.foreign.Load(r.URL.Host); other || !strings.HasPrefix(r.URL.Path, "/v1.1/") {
		return c.next.RoundTrip(r)
	}
	c.mu.Lock()
	c.count++
	c.mu.Unlock()
	return c.checked.RoundTrip(r)
}

// failed keeps what is wrong with an answer.
func (c *contract) failed(err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(c.faults) < 20 {
		c.faults = append(c.faults, err.Error())
	}
}

// end is the exit code of the tests: answers that differ from the document fail them.
func (c *contract) end(code int) int {
	for _, fault := range c.faults {
		fmt.Fprintln(os.Stderr, "--- FAIL: an answer differs from the document:", fault)
	}
	if len(c.faults) > 0 {
		return 1
	}
	return code
}

package client_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"

	"github.com/ovation-analytics/ovation/api/client"
)

// A brand is created under a key of idempotency; an error has the contract's code.
func Example() {
	api := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/v1.1/brand/create" {
			w.Header().Set("Content-Type", "application/problem+json")
			w.WriteHeader(http.StatusNotFound)
			fmt.Fprint(w, `{"status":404,"error":{"code":5},"detail":"the account has no such brand","parameter":"brandid"}`)
			return
		}
		w.Header().Set("X-Position", "AQID")
		fmt.Fprintf(w, `{"ID":1,"Name":%q}`, r.FormValue("name"))
	}))
	defer api.Close()

	c := client.New(api.URL, "ov_key")
	brand, meta, err := c.With("Idempotency-Key", "import-7").CreateBrand(context.Background(), client.Params{"name": "The Moons", "type": "Music"})
	fmt.Println(brand.ID, brand.Fields["Name"], meta.Position, err)

	_, _, err = c.At(meta.Position).Brand(context.Background(), 9) // waits until the brand created is visible
	if problem, ok := errors.AsType[*client.Error](err); ok {
		fmt.Println(problem.Code, problem.Parameter, problem.Message)
	}
	// Output:
	// 1 The Moons AQID <nil>
	// 5 brandid the account has no such brand
}

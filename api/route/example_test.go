package route_test

import (
	"fmt"

	"github.com/ovation-analytics/ovation/api/route"
)

// A literal wins over a parameter at its place; a path in another case is fixed.
func ExampleTable_Find() {
	table, err := route.Compile([]*route.Route[string]{
		{Path: "/v1.1/brand/create", Methods: map[string]string{"POST": "create"}},
		{Path: "/v1.1/brand/:brandid", Methods: map[string]string{"GET": "show"}},
	})
	if err != nil {
		panic(err)
	}
	for _, path := range []string{"/v1.1/brand/create", "/v1.1/brand/7", "/V1.1/Brand/7/"} {
		found, params, ok := table.Find(path)
		if !ok {
			fmt.Println(table.Fix(path))
			continue
		}
		fmt.Println(found.Path, params, found.Allow())
	}
	// Output:
	// /v1.1/brand/create [] POST
	// /v1.1/brand/:brandid [{brandid 7}] GET, HEAD
	// /v1.1/brand/7 true
}

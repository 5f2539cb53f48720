package client_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"

	"github.com/ovation-analytics/ovation/api/client"
)

// serve is an API that has these answers.
func serve(answers map[string]http.HandlerFunc) (c *client.Client, stop func()) {
	api := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if answer := answers[r.URL.Path]; answer != nil {
			answer(w, r)
			return
		}
		w.Header().Set("Content-Type", "application/problem+json")
		w.WriteHeader(http.StatusNotFound)
		fmt.Fprint(w, `{"status":404,"error":{"code":5},"detail":"the account has no such brand","parameter":"brandid"}`)
	}))
	return client.New(api.URL, "ov_key"), api.Close
}

// A brand is created under a key of idempotency; an error has the contract's code.
func ExampleDo() {
	c, stop := serve(map[string]http.HandlerFunc{"/v1.1/brand/create": func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("X-Position", "AQID")
		fmt.Fprintf(w, `{"ID":1,"Name":%q}`, r.FormValue("name"))
	}})
	defer stop()

	ctx := context.Background()
	brand, meta, err := client.Do(ctx, c.With("Idempotency-Key", "import-7"), client.CreateBrand{Name: "The Moons", Type: "Music"})
	fmt.Println(brand.ID, brand.Fields["Name"], meta.Position, err)

	_, _, err = client.Do(ctx, c.At(meta.Position), client.GetBrand{BrandID: 9}) // waits until the brand created is visible
	if problem, ok := errors.AsType[*client.Error](err); ok {
		fmt.Println(problem.Code, problem.Parameter, problem.Message)
	}
	// Output:
	// 1 The Moons AQID <nil>
	// 5 brandid the account has no such brand
}

// A member registers and listens to a track; the action is recorded once it is visible.
func ExampleDo_record() {
	c, stop := serve(map[string]http.HandlerFunc{
		"/v1.1/member/register": func(w http.ResponseWriter, r *http.Request) {
			fmt.Fprint(w, `[{"data":{"ID":4097}}]`)
		},
		"/v1.1/activity/record": func(w http.ResponseWriter, r *http.Request) {
			fmt.Fprintf(w, `{"ID":"12289","MemberID":%q,"Content":%s}`, r.FormValue("service")+" "+r.FormValue("uid"), r.FormValue("content"))
		},
	})
	defer stop()

	ctx := context.Background()
	member, _, err := client.Do(ctx, c, client.RegisterMember{Service: "spotify", UID: "ada", AuthToken: "t", Country: "SE"})
	fmt.Println(member.Data.ID, err)
	action, _, err := client.Do(ctx, c, client.RecordActivity{
		ActivityID: 100, BrandID: 1, Service: "spotify", UID: "ada", Content: `{"TrackName":"Lantern"}`, Async: new(false),
	})
	fmt.Println(action.MemberID, string(action.Content), err)
	// Output:
	// 4097 <nil>
	// spotify ada {"TrackName":"Lantern"} <nil>
}

// A poll carries the ETag of the answer before: 304 says that nothing changed.
func ExampleClient_With() {
	c, stop := serve(map[string]http.HandlerFunc{"/v1.1/brand/1/stats/activity": func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("ETag", `W/"7"`)
		if r.Header.Get("If-None-Match") == `W/"7"` {
			w.WriteHeader(http.StatusNotModified)
			return
		}
		fmt.Fprintf(w, `{"TotalCount":"12","TotalMembers":"5"}`)
	}})
	defer stop()

	ctx, week := context.Background(), client.GetBrandActivityStats{BrandID: 1, Period: "7 Day", PaidOnly: true}
	tally, meta, err := client.Do(ctx, c, week)
	fmt.Println(meta.Status, tally.TotalCount, err)
	_, meta, err = client.Do(ctx, c.With("If-None-Match", meta.ETag), week)
	fmt.Println(meta.Status, err)
	// Output:
	// 200 12 <nil>
	// 304 <nil>
}

// The pages of a list follow one another by their keys.
func ExampleMeta() {
	c, stop := serve(map[string]http.HandlerFunc{"/v1.1/brands": func(w http.ResponseWriter, r *http.Request) {
		if r.FormValue("cursor") == "" {
			w.Header().Set("Link", `<https://api.example/v1.1/brands?limit=2&cursor=k2>; rel="next"`)
			fmt.Fprint(w, `{"items":[{"ID":1},{"ID":2}]}`)
			return
		}
		fmt.Fprint(w, `{"items":[{"ID":3}]}`)
	}})
	defer stop()

	for next := (client.Params{"limit": "2", "cursor": ""}); next != nil; {
		page, meta, err := client.Do(context.Background(), c, client.ListBrands{More: next})
		if err != nil {
			fmt.Println(err)
			return
		}
		for _, brand := range page.Items {
			fmt.Println(brand.ID)
		}
		next = meta.Next
	}
	// Output:
	// 1
	// 2
	// 3
}

// An export is read line by line; it is whole where there is no error.
func ExampleClient_Export() {
	c, stop := serve(map[string]http.HandlerFunc{"/v1.1/member/4097/export": func(w http.ResponseWriter, r *http.Request) {
		fmt.Fprintln(w, `{"type":"member","FirstName":"Ada"}`)
		fmt.Fprintln(w, `{"type":"end"}`)
	}})
	defer stop()

	_, _, err := c.Export(context.Background(), client.ExportMember{MemberID: 4097}, func(kind string, line []byte) error {
		fmt.Println(kind, string(line))
		return nil
	})
	fmt.Println(err)
	// Output:
	// member {"type":"member","FirstName":"Ada"}
	// end {"type":"end"}
	// <nil>
}

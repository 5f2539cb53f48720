// Program foreign talks to the API through a client that oapi-codegen makes of its document:
// it creates a brand and a definition, registers a member, records an action and reads it.
package main

import (
	"context"
	"errors"
	"fmt"
	"log"
	"net/http"
	"os"

	"foreign/client"
)

func main() {
	if err := run(context.Background(), os.Args[1], os.Args[2]); err != nil {
		log.Fatal(err)
	}
}

// run does it all under a base address and a key; it prints what it reads.
func run(ctx context.Context, base, key string) error {
	keyed := client.WithRequestEditorFn(func(_ context.Context, r *http.Request) error {
		r.Header.Set("X-API-Key", key)
		return nil
	})
	c, err := client.NewClientWithResponses(base, keyed)
	if err != nil {
		return err
	}
	brand, err := c.CreateBrandWithResponse(ctx, &client.CreateBrandParams{}, client.CreateBrandJSONRequestBody{
		Name: "The Moons", Type: "Music", Spotifyurl: new("https://open.spotify.com/artist/4dpARuHxo51G3z768sgnrY"),
	})
	if err != nil {
		return err
	}
	if brand.JSON200 == nil {
		return failed("brand", brand.ApplicationproblemJSONDefault)
	}
	definition, err := c.CreateActivityWithFormdataBodyWithResponse(ctx, &client.CreateActivityParams{}, client.CreateActivityFormdataRequestBody{
		Name: "played a track by {brand}", Type: "Listened", Service: "spotify", Value: new(int64(3)),
	})
	if err != nil {
		return err
	}
	if definition.JSON200 == nil {
		return failed("definition", definition.ApplicationproblemJSONDefault)
	}
	member, err := c.RegisterMemberWithResponse(ctx, &client.RegisterMemberParams{}, client.RegisterMemberJSONRequestBody{
		Service: "spotify", Uid: new("fan-7"), Authtoken: new("token-7"), Firstname: new("Ada"), Country: new("DE"),
	})
	if err != nil {
		return err
	}
	if member.JSON200 == nil || len(*member.JSON200) != 1 {
		return failed("member", member.ApplicationproblemJSONDefault)
	}
	id := (*member.JSON200)[0].Data.ID
	var content client.RecordActivityBody_Content
	if err := content.FromRecordActivityBodyContent0(map[string]any{"TrackName": "Lantern"}); err != nil {
		return err
	}
	var activity int64
	if _, err := fmt.Sscan(definition.JSON200.ID, &activity); err != nil {
		return err
	}
	recorded, err := c.RecordActivityWithResponse(ctx, &client.RecordActivityParams{WaitFor: member.Headers200.XPosition}, client.RecordActivityJSONRequestBody{
		Activityid: activity, Brandid: &brand.JSON200.ID, Id: &id, Async: new(client.SwitchWordN0), Content: &content,
	})
	if err != nil {
		return err
	}
	if recorded.JSON200 == nil {
		return failed("action", recorded.ApplicationproblemJSONDefault)
	}
	return read(ctx, c, brand.JSON200.ID, id, recorded)
}

// read prints what there is of the action that was recorded.
func read(ctx context.Context, c *client.ClientWithResponses, brand, member int64, recorded *client.RecordActivityResponse) error {
	at := recorded.Headers200.XPosition
	feed, err := c.GetFeedWithResponse(ctx, &client.GetFeedParams{BrandID: &brand, WaitFor: at})
	if err != nil {
		return err
	}
	if feed.JSON200 == nil || len(feed.JSON200.Items) != 1 || feed.JSON200.Items[0].ID != recorded.JSON200.ID {
		return failed("feed", feed.ApplicationproblemJSONDefault)
	}
	item := feed.JSON200.Items[0]
	fmt.Printf("feed: %s %s, %v, value %s\n", *item.MemberName, item.Name, item.Content, item.Value)
	tally, err := c.GetBrandActivityStatsWithResponse(ctx, brand, &client.GetBrandActivityStatsParams{WaitFor: at})
	if err != nil {
		return err
	}
	if tally.JSON200 == nil {
		return failed("tally", tally.ApplicationproblemJSONDefault)
	}
	fmt.Printf("tally: %s by %s\n", tally.JSON200.TotalCount, tally.JSON200.TotalMembers)
	shown, err := c.GetMemberWithResponse(ctx, member, &client.GetMemberParams{WaitFor: at, Showactions: new(client.SwitchWordN1)})
	if err != nil {
		return err
	}
	if shown.JSON200 == nil || shown.JSON200.Actions == nil {
		return failed("member", shown.ApplicationproblemJSONDefault)
	}
	fmt.Printf("member: %s in %s, %d actions\n", *shown.JSON200.Data.FirstName, *shown.JSON200.Data.CountryCode, len(*shown.JSON200.Actions))
	none, err := c.GetBrandWithResponse(ctx, brand+1, &client.GetBrandParams{})
	if err != nil {
		return err
	}
	if none.ApplicationproblemJSONDefault == nil {
		return failed("brand that is not there", nil)
	}
	fmt.Printf("error: %d of %s\n", none.ApplicationproblemJSONDefault.Error.Code, *none.ApplicationproblemJSONDefault.Parameter)
	return nil
}

// failed is the error of a call that did not give what it has to.
func failed(what string, p *client.Problem) error {
	if p == nil {
		return errors.New(what + ": another answer than expected")
	}
	return errors.New(what + ": " + p.Detail)
}

package api

import (
	"net/http"

	"github.com/ovation-analytics/ovation/api/wire"
)

// Operations are all operations, in the order of the document. The list is made
// anew on each call: an API fills in its own counters.
func Operations() []*Operation {
	return []*Operation{
		get("Brands", "/v1.1/brands", "All brands of the account", listBrands),
		get("Brands", "/v1.1/brands/crossover", "The most popular brands", crossover),
		get("Brands", "/v1.1/brands/:brandid/crossover", "Other brands of a brand's active members", crossover),
		get("Brands", "/v1.1/brand/:brandid", "One brand", showBrand),
		get("Brands", "/v1.1/brand/:brandid/activities", "The activity definitions usable for a brand", brandActivities),
		get("Brands", "/v1.1/brand/:brandid/segments", "A brand's segments", brandSegments),
		post("Brands", "/v1.1/brand/create", "Create a brand", createBrand, advanced, enterprise(wire.CustomPrefix)),
		post("Brands", "/v1.1/brand/:brandid/edit", "Edit a brand: what is given overwrites", editBrand, advanced, enterprise(wire.CustomPrefix)),
		post("Brands", "/v1.1/brand/:brandid/delete", "Delete a brand", deleteBrand, advanced),
		post("Brands", "/v1.1/brand/:brandid/optin", "Opt a member in to a brand", optInBrand),
		post("Brands", "/v1.1/brand/:brandid/optout", "Opt a member out of a brand", optOutBrand),
		get("Brands", "/v1.1/brand/:brandID/stats/activity", "Tally of activities", tallyActivities),
		get("Brands", "/v1.1/brand/:brandID/stats/timeline", "Activity by day and service", timeline),
		get("Brands", "/v1.1/brand/:brandID/stats/location", "Activity by country", location),

		get("Activities", "/v1.1/activities", "All activity definitions of the account", listActivities),
		get("Activities", "/v1.1/activity/:activityid", "One activity definition", showActivity),
		get("Activities", "/v1.1/activity/feed", "Actions of members, newest first", feed),
		get("Activities", "/v1.1/activity/count/daily", "Activity by day, of a brand or of all", countDaily, advanced),
		get("Activities", "/v1.1/activity/count/services", "Activity by day and service, of a brand or of all", timeline, advanced),
		post("Activities", "/v1.1/activity/create", "Create an activity definition", createActivity),
		post("Activities", "/v1.1/activity/:activityid/edit", "Edit an activity definition", editActivity, advanced),
		post("Activities", "/v1.1/activity/:activityid/delete", "Delete an activity definition; its actions stay", deleteActivity, advanced),
		post("Activities", "/v1.1/activity/record", "Record an action of a member", record, advanced,
			objects("content"), answers[wire.FeedItem](http.StatusOK), answers[wire.Accepted](http.StatusAccepted)),
		post("Activities", "/v1.1/activities/record", "Record many actions: good ones are taken whatever the others are", recordMany, advanced,
			objects("content"), many[actionIn], answers[wire.RecordedMany](http.StatusOK), answers[wire.RecordedMany](http.StatusAccepted)),

		get("Segments", "/v1.1/segments", "All segments of the account", listSegments),
		get("Segments", "/v1.1/segment/:segmentid", "One segment", showSegment),
		post("Segments", "/v1.1/segment/create", "Create a segment", createSegment, advanced),
		post("Segments", "/v1.1/segment/:segmentid/edit", "Edit a segment: what is given overwrites", editSegment, advanced),
		post("Segments", "/v1.1/segment/:segmentid/delete", "Delete a segment; opt-ins to it end", deleteSegment, advanced),
		post("Segments", "/v1.1/segment/:segmentid/optin", "Opt a member in to a segment", optInSegment),
		post("Segments", "/v1.1/segment/:segmentid/optout", "Opt a member out of a segment", optOutSegment),

		post("Members", "/v1.1/member/register", "Register a member by a service, or meet it again", register),
		post("Members", "/v1.1/member/:memberid/register", "Attach a service to a member, or update the one it has", attach),
		get("Members", "/v1.1/member", "A member, found by a name, with its opt-ins and service records", findMember),
		get("Members", "/v1.1/member/:memberid", "A member with its opt-ins and service records", showMember),
		get("Members", "/v1.1/members/active", "Members by activity", activeMembers),
		post("Members", "/v1.1/optin", "Opt a member in to the global list", optInGlobal),
		post("Members", "/v1.1/optout", "Opt a member out of the global list", optOutGlobal),
	}
}
